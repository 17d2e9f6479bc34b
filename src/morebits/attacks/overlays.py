"""Things that people put on a picture: a rectangle, a line of text, an emoji, a logo."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from morebits.attacks.colour import GRAY_WEIGHTS
from morebits.attacks.samples import Image8, rounded

if TYPE_CHECKING:
    from PIL.Image import Image

#: Shapes are drawn so many times larger, then made smaller, so that their edges are smooth.
_FINE = 4
#: How opaque a logo is, of 255, and how far from the corner, of the short side.
_LOGO_ALPHA, _LOGO_MARGIN = 160, 0.03
_WORDS = "morebits 2026"


def rectangle(image: Image8, area: float, random: np.random.Generator) -> Image8:
    """A rectangle of one colour over a fraction `area` of the picture, anywhere."""
    height, width = image.shape[:2]
    stretch = 2.0 ** random.uniform(-0.5, 0.5)
    across = min(1.0, max(area, math.sqrt(area) * stretch))  # neither side above the picture's
    wide, high = max(1, round(across * width)), max(1, round(area / across * height))
    colour = random.integers(0, 256, 3)
    patch = np.full((high, wide, 4), (*colour, 255), np.uint8)
    return _anywhere(image, patch, random)


def text(image: Image8, size: float, random: np.random.Generator) -> Image8:
    """A line of white text with a black rim, `size` of the height high, anywhere."""
    from PIL import Image, ImageDraw, ImageFont

    pixels = max(4, round(size * image.shape[0]))
    font = ImageFont.load_default(pixels)
    rim = max(1, pixels // 16)
    left, top, right, bottom = font.getbbox(_WORDS, stroke_width=rim)
    canvas = Image.new("RGBA", (math.ceil(right - left), math.ceil(bottom - top)), (0, 0, 0, 0))
    ImageDraw.Draw(canvas).text(
        (-left, -top), _WORDS, "white", font, stroke_width=rim, stroke_fill="black"
    )
    return _anywhere(image, np.asarray(canvas), random)


def emoji(image: Image8, size: float, random: np.random.Generator) -> Image8:
    """A smiling face, `size` of the short side wide, anywhere."""
    from PIL import Image, ImageDraw

    side = max(1, round(size * min(image.shape[:2])))
    unit = _FINE * side / 20
    canvas = Image.new("RGBA", (_FINE * side, _FINE * side), (0, 0, 0, 0))
    draw = ImageDraw.Draw(canvas)
    draw.ellipse((0, 0, 20 * unit - 1, 20 * unit - 1), (255, 204, 51, 255))
    for left in (5, 12):
        draw.ellipse((left * unit, 5 * unit, (left + 3) * unit, 9 * unit), (80, 50, 20, 255))
    smile = (4 * unit, 5 * unit, 16 * unit, 16 * unit)
    draw.arc(smile, 20, 160, (80, 50, 20, 255), max(1, round(1.5 * unit)))
    return _anywhere(image, _smaller(canvas, side, side), random)


def logo(image: Image8, size: float, random: np.random.Generator) -> Image8:
    """A half-transparent white ring and bar, `size` of the width wide, in one of the corners."""
    from PIL import Image, ImageDraw

    height, width = image.shape[:2]
    wide = max(1, round(size * width))
    high = max(1, wide // 3)
    white = (255, 255, 255, _LOGO_ALPHA)
    canvas = Image.new("RGBA", (_FINE * wide, _FINE * high), (255, 255, 255, 0))
    draw, tall, end = ImageDraw.Draw(canvas), _FINE * high - 1, _FINE * wide - 1
    draw.ellipse((0, 0, tall, tall), outline=white, width=max(1, tall // 5))
    draw.rectangle((min(end, 1.3 * tall), 0.3 * tall, end, 0.7 * tall), white)
    margin = round(_LOGO_MARGIN * min(width, height))
    right, lower = random.integers(0, 2, 2)
    left = width - wide - margin if right else margin
    top = height - high - margin if lower else margin
    return _pasted(image, _smaller(canvas, wide, high), max(0, left), max(0, top))


def _smaller(canvas: Image, width: int, height: int) -> Image8:
    from PIL import Image

    return np.asarray(canvas.resize((width, height), Image.Resampling.BOX))


def _anywhere(image: Image8, patch: Image8, random: np.random.Generator) -> Image8:
    """Inside the picture with equal chance; what is larger than the picture is cut."""
    top = int(random.integers(max(0, image.shape[0] - patch.shape[0]) + 1))
    left = int(random.integers(max(0, image.shape[1] - patch.shape[1]) + 1))
    return _pasted(image, patch, left, top)


def _pasted(image: Image8, patch: Image8, left: int, top: int) -> Image8:
    """The picture under the patch (RGB and alpha), whose upper left corner is at this place."""
    result = image.copy()
    place = result[top : top + patch.shape[0], left : left + patch.shape[1]]
    cut = patch[: place.shape[0], : place.shape[1]].astype(np.float64)
    colour, alpha = cut[..., :3], cut[..., 3:] / 255
    if image.shape[2] == 1:
        colour = (colour @ GRAY_WEIGHTS)[..., None]
    place[...] = rounded(alpha * colour + (1 - alpha) * place)
    return result
