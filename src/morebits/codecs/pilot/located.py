"""What `locate` answers: the map from the original picture to the received one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.pilot.adding import rgb
from morebits.codecs.pilot.waves import Reals
from morebits.errors import InputError
from morebits.images import read

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

#: Original pixels between two lines of the grid that `show` draws, and its colours.
_GRID = 64
_Colour: TypeAlias = tuple[int, int, int]
_LINE, _AXIS = (255, 96, 0), (0, 220, 255)


@dataclass(frozen=True, eq=False)
class Located:
    """Where the original pixels are in a received picture; false when no pilot was found.

    `matrix` (2, 3) takes an original pixel (x, y, 1) to the received one, pixel centres at
    whole numbers: a picture of width W that was mirrored has x' = W - 1 - x. `score` is in
    standard deviations of the noise; `p_value` is the chance that a picture without this pilot
    gives such a map. `model` names the edit, `tier` the part of the search that found it,
    `size` is (width, height) of the received picture. `alternatives` are other maps that
    explain the picture nearly as well, best first.
    """

    matrix: Reals
    score: float
    p_value: float
    model: str
    tier: str
    seconds: float
    found: bool
    size: tuple[int, int]
    alternatives: tuple[Located, ...] = ()

    def __bool__(self) -> bool:
        return self.found

    @property
    def area(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the received frame on the original grid.

        >>> cut = np.array([[1.0, 0, -30], [0, 1, -20]])
        >>> Located(cut, 9, 0, "crop", "", 0, True, (64, 48)).area
        (30, 20, 64, 48)
        """
        right, bottom = self.size[0] - 1, self.size[1] - 1
        corners = np.array([[0, 0], [right, 0], [0, bottom], [right, bottom]], np.float64)
        x, y = self.original(corners).T
        # A whole-pixel map must not grow by a pixel for the last digit of a float.
        left, top = math.ceil(x.min() - 0.5), math.ceil(y.min() - 0.5)
        return left, top, math.floor(x.max() + 0.5) - left + 1, math.floor(y.max() + 0.5) - top + 1

    def original(self, points: Reals) -> Reals:
        """Received points (N, 2) in the coordinates of the original.

        >>> turn = np.array([[0.0, 1, 0], [-1, 0, 9]])
        >>> turned = Located(turn, 9, 0, "turn", "", 0, True, (5, 10))
        >>> turned.original(np.array([[3.0, 9.0]])).tolist()
        [[0.0, 3.0]]
        """
        linear = np.linalg.inv(self.matrix[:, :2])
        return (np.asarray(points, np.float64) - self.matrix[:, 2]) @ linear.T

    def rectify(self, image: object) -> NDArray[np.uint8]:
        """The received picture on the original grid (bicubic), 8-bit RGB, over `area`.

        What lies outside of the received frame is black.

        >>> picture = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
        >>> mirror = Located(np.array([[-1.0, 0, 3], [0, 1, 0]]), 9, 0, "flip", "", 0, True, (4, 4))
        >>> bool((mirror.rectify(picture) == picture[:, ::-1]).all())
        True
        """
        from PIL import Image

        array = self._checked(image)
        left, top, width, height = self.area
        # Pillow's coordinates have pixel centres at halves.
        (a, b), (c, d) = self.matrix[:, :2].tolist()
        x, y = (self.matrix @ [left - 0.5, top - 0.5, 1] + 0.5).tolist()
        coefficients = (a, b, x, c, d, y)
        return np.asarray(
            Image.fromarray(array).transform(
                (width, height),
                Image.Transform.AFFINE,
                coefficients,
                resample=Image.Resampling.BICUBIC,
            )
        )

    def show(self, image: object) -> Image:
        """The received picture with the original's grid over it, every 64 of its pixels."""
        from PIL import Image, ImageDraw

        picture = Image.fromarray(self._checked(image))
        pen = ImageDraw.Draw(picture)
        left, top, width, height = self.area
        right, bottom = left + width - 1, top + height - 1
        for x in range(-(-left // _GRID) * _GRID, right + 1, _GRID):
            self._line(pen, (x, top), (x, bottom), _LINE if x else _AXIS)
        for y in range(-(-top // _GRID) * _GRID, bottom + 1, _GRID):
            self._line(pen, (left, y), (right, y), _LINE if y else _AXIS)
        return picture

    def _line(
        self, pen: ImageDraw, start: tuple[int, int], end: tuple[int, int], colour: _Colour
    ) -> None:
        ends = self.matrix @ np.array([[start[0], end[0]], [start[1], end[1]], [1, 1]])
        pen.line([*ends[:, 0].tolist(), *ends[:, 1].tolist()], fill=colour, width=1)

    def _checked(self, image: object) -> NDArray[np.uint8]:
        array = read(image).array
        if (array.shape[1], array.shape[0]) != self.size:
            shape = f"{array.shape[1]}x{array.shape[0]} pixels"
            raise InputError(
                "image", shape, f"give the picture that was located, {self.size[0]}x{self.size[1]}"
            )
        return np.rint(rgb(array)).astype(np.uint8)
