"""The paper's handcrafted codec: a message as base-q digits, one digit a sample.

Section "Our simplest bounds are achievable", eq. handcrafted_gray_capacity: the largest cube
in the ball of allowed pictures has the half-side `h = floor(peak 10^(-tau/20))`, so each of
the n samples of a solid cover takes one of `q = 2 h + 1` values, and `floor(n log2 q)` bits
fit. The paper writes `rho` for the peak in one place and `2^k` in another. Its four figures
(623,232, 551,948, 456,509 and 311,616 bits at 36, 38, 42 and 48 dB) come out of both; the
promise of a PSNR measured with `rho` holds with `rho` only: from 42.111 to 42.144 dB, for
example, `2^k` still gives 5 values, whose corners are at 42.110 dB.
"""

from __future__ import annotations

import math
from typing import Literal

import gmpy2
import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images
from morebits.bounds import radius
from morebits.codecs import digits
from morebits.codecs.bits import check_bits
from morebits.codecs.budget import allowed_error
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.types import Embedding, Extraction, ImageFormat

_OTHER = "use the trellis codec, which takes any picture"
#: With so many samples for each value of the box, none of them lies at its border once in 2^40.
_SAMPLES_A_VALUE = 14


class Box:
    """Base-q digits around a solid cover: every sample `level`, mid-gray unless you say.

    Every message keeps the PSNR (with `peak`, `2^k - 1` by default) at or above `psnr`. The
    decoder has to know `level`. A message has no length of its own: `extract` returns as many
    bits as the box holds, with zeros after a shorter message.

    The untouched cover is the number 0, and a message is its number plus one, so that an
    unmarked cover reads as nothing. Beyond that the box has no room to check anything: its
    p-value is the share of the box that are messages, above a half, and only a container can
    tell noise from a message.

    >>> cover = np.full((256, 256, 3), 128, np.uint8)
    >>> box = Box(psnr=42)
    >>> box.capacity(cover)
    456509
    >>> message = np.tile(np.array([1, 0, 1], np.uint8), 100_000)
    >>> marked = box.embed(cover, message)
    >>> marked.psnr > 42, bool((box.extract(marked.image).bits[:300_000] == message).all())
    (True, True)
    """

    name: Literal["box"] = "box"

    def __init__(self, psnr: float = 42.0, *, level: int | None = None, peak: float | None = None):
        if level is not None and (isinstance(level, bool) or not isinstance(level, int)):
            raise InputError("level", level, "give the whole number that every sample has")
        if level is not None and not 0 <= level < 1 << 16:
            raise InputError("level", level, "give a sample value, 0 to 255 (16 bits: 65535)")
        self.psnr, self.level, self.peak = radius.check_psnr(psnr), level, peak

    @classmethod
    def around(cls, image: object) -> Box | None:
        """The box around mid-gray that this picture fills evenly; None for most pictures.

        This is how to read a full message without knowing the PSNR: its digits are as good as
        random, so all values of the box occur about equally often, and no other ones.

        >>> Box.around(np.arange(126, 131, dtype=np.uint8).reshape(1, 5)).psnr
        42.11020369539948
        """
        picture = images.read(image)
        mid = picture.format.mid
        counts = images.histogram(picture.array)
        used = np.flatnonzero(counts)
        half = max(int(used[-1]) - mid, mid - int(used[0]))
        if not 0 < half < mid:
            return None
        inside = counts[mid - half : mid + half + 1]
        even = picture.array.size / inside.size
        chi_square = float(np.sum((inside - even) ** 2)) / even
        # Ten deviations above its mean: no even picture is there, and no photo is below.
        if chi_square > inside.size + 10 * math.sqrt(2 * inside.size):
            return None
        return cls(radius.psnr_of_mse(half**2, peak=picture.format.rho))

    def capacity(self, cover: object) -> int:
        """`floor(n log2 q)` bits, exact; ImageError for a cover that is not solid."""
        picture = images.read(cover)
        self._solid(picture)
        return digits.whole_bits(2 * self.half_side(picture.format) + 1, picture.array.size)

    def embed(self, cover: object, bits: NDArray[np.uint8]) -> Embedding:
        """The solid cover with the message in its box."""
        picture, message = images.read(cover), check_bits(bits)
        level = self._solid(picture)
        half, count = self.half_side(picture.format), picture.array.size
        q = 2 * half + 1
        room = digits.whole_bits(q, count)
        if half == 0:
            raise InputError("psnr", self.psnr, f"the box is a single point; lower it, or {_OTHER}")
        if message.size > room:
            fix = f"lower the PSNR of {self.psnr:g} dB, or shorten the message"
            raise DoesNotFit("the message", message.size, room, "bits", fix)
        number = digits.number_of_bits(message) + 1
        offset = digits.digits_of_number(number, q, count)
        offset += level - q * (offset > half)  # the upper half of the digits goes down
        marked = offset.astype(picture.array.dtype).reshape(picture.array.shape)
        peak = radius.resolve_peak(picture.format, self.peak)
        found = distortion.psnr(picture.array, marked, peak=peak)
        return Embedding(marked, found, message.size, self.name)

    def extract(self, image: object) -> Extraction:
        """All bits of the box; nothing when a sample is outside, or the cover is untouched."""
        picture = images.read(image)
        half, count = self.half_side(picture.format), picture.array.size
        level = self._level(picture.format)
        offset = picture.array.reshape(-1).astype(np.int64) - level
        if half == 0 or offset.min() < -half or offset.max() > half:
            return Extraction("nothing", self.name)
        q = 2 * half + 1
        offset += q * (offset < 0)
        number = digits.number_of_digits(offset, q) - 1
        whole = digits.power(q, count)
        room = whole.bit_length() - 1
        if number < 0 or number.bit_length() > room:
            return Extraction("nothing", self.name)
        spare = max(room - 60, 0)  # 60 bits are more than a float shows
        share = float(gmpy2.mpz(1) << (room - spare)) / float(whole >> spare)
        return Extraction("found", self.name, digits.bits_of_number(number, room), p_value=share)

    def half_side(self, format: ImageFormat) -> int:
        """`h = floor(peak 10^(-tau/20))`: how far a sample may move.

        >>> Box(psnr=42).half_side(ImageFormat(width=8, height=8))
        2
        """
        return math.isqrt(allowed_error(format, self.psnr, peak=self.peak, samples=1))

    def shows(self, format: ImageFormat) -> bool:
        """Whether `around` surely finds the box of a full message: some sample is at its border.

        >>> Box(psnr=42).shows(ImageFormat(width=8, height=8))
        True
        >>> Box(psnr=42).shows(ImageFormat(width=8, height=8, depth=16))
        False
        """
        q = 2 * self.half_side(format) + 1
        return format.samples >= _SAMPLES_A_VALUE * q

    def _level(self, format: ImageFormat) -> int:
        return format.mid if self.level is None else self.level

    def _solid(self, picture: images.Picture) -> int:
        """The level of the cover, after a check that the box fits around it."""
        level = self._level(picture.format)
        low, high = int(picture.array.min()), int(picture.array.max())
        if low != high:
            raise ImageError(picture.name, f"has samples from {low} to {high}, not one", _OTHER)
        if low != level:
            problem = f"has samples of {low}, and this codec is for {level}"
            raise ImageError(picture.name, problem, f"make it with level={low}")
        half = self.half_side(picture.format)
        if level < half or level + half > picture.format.rho:
            problem = f"samples of {level} cannot move by {half} both ways at {self.psnr:g} dB"
            raise ImageError(picture.name, problem, f"raise the PSNR, or {_OTHER}")
        return level
