"""Pictures of every mode that Pillow has, and files of every kind that we read."""

from __future__ import annotations

import io
import warnings

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

#: Every mode: the samples that it is made of, as (channels, dtype).
MODES = {
    "1": (1, "u1"), "L": (1, "u1"), "P": (1, "u1"), "LA": (2, "u1"), "PA": (2, "u1"),
    "RGB": (3, "u1"), "RGBA": (4, "u1"), "RGBX": (4, "u1"), "CMYK": (4, "u1"), "YCbCr": (3, "u1"),
    "LAB": (3, "u1"), "HSV": (3, "u1"), "La": (2, "u1"), "RGBa": (4, "u1"),
    "I;16": (1, "<u2"), "I": (1, "<i4"), "F": (1, "<f4"),
}  # fmt: skip
KINDS = ("PNG", "TIFF", "BMP", "GIF", "WEBP", "JPEG", "JPEG2000", "PPM", "AVIF")
#: Modes whose samples are read as they are from a PIL image.
PLAIN = ("L", "LA", "RGB", "RGBA", "I;16")


@st.composite
def pictures(draw: st.DrawFn, mode: str) -> Image.Image:
    """A PIL image of a mode, of any samples, up to 9 x 9 pixels."""
    channels, kind = MODES[mode]
    height, width = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    elements = None
    if kind == "<f4":
        elements = st.floats(-1e6, 1e6, width=32)
    samples = draw(arrays.arrays(np.dtype(kind), (height, width, channels), elements=elements))
    if mode == "1":
        return Image.fromarray(samples[..., 0]).convert("1")
    image = Image.frombytes(mode, (width, height), samples.tobytes())
    if mode in ("P", "PA"):
        image.putpalette(draw(st.binary(min_size=768, max_size=768)))
    return image


def written(image: Image.Image, kind: str) -> bytes | None:
    """The file of a picture; None where this kind does not have its mode."""
    file = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # PNG of 32-bit integers
            image.save(file, kind)
    except (OSError, ValueError, KeyError, RuntimeError):
        return None
    return file.getvalue()
