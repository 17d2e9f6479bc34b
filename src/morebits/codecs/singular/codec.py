"""`Singular`: a message in the singular basis of a linear edit, read after the edit."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import gmpy2
import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images, linear
from morebits.bounds import radius
from morebits.codecs import digits as radix
from morebits.codecs import keys
from morebits.codecs.bits import check_bits
from morebits.codecs.budget import allowed_error
from morebits.codecs.singular.blocks import Block, Index, blocks_of
from morebits.codecs.singular.embed import Embedder
from morebits.codecs.singular.plan import Plan, plan_for
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.linear.edit import finite
from morebits.linear.layout import shape_text, to_planar
from morebits.types import Embedding, Extraction, ImageFormat

#: Digits are this many standard deviations of the noise apart.
STEP = 3.7
#: No coordinate that counts as right is closer to the border of its cell, in steps.
MARGIN = 1e-6
#: Bits that say which mask lies over the message; the encoder tries one after the other.
_MASK_BITS = 4
#: An edited sample this close to a tie may be rounded either way by another computer.
_TIE = 1e-9


class Singular:
    """A gray cover, a message in the coordinates of an edit's right singular vectors.

    `edit` is an edit, its text (`crop:0.5`), or an operator; `format` the size of the
    pictures, which an operator brings along (8 bits unless you say). `embed` takes the gray
    cover (`2^(k-1)` everywhere) and keeps the PSNR at or above `psnr`; `extract` takes the
    *edited* picture, as `Operator.quantised` rounds and clips it. A message has no length of
    its own: `extract` returns `capacity` bits, with zeros after a shorter message.

    `embed` applies the edit and reads the message before it returns, with a `MARGIN` for other
    computers: their last digits may differ, and they may round ties the other way. The
    pictures of a message may differ between computers, what is read from them does not.

    `step` is the distance of two digits in standard deviations of the noise. The paper's ten
    edits take the default from 20 to 52 dB; where `embed` finds no picture, use a larger one.
    Both ends need the same edit, PSNR, format and step. An untouched cover reads as nothing;
    other than that only a container can tell noise from a message, and `p_value` says so: it
    is the part of all numbers that are messages, a half or more.

    >>> from morebits import ImageFormat, linear
    >>> fmt = ImageFormat(1, 8, 8)
    >>> codec = Singular("crop:0.5", psnr=42, format=fmt)
    >>> cover = np.full((8, 8, 1), 128, np.uint8)
    >>> message = np.arange(codec.capacity(cover)) % 3 == 0
    >>> marked = codec.embed(cover, message)
    >>> edited = linear.crop_rescale(0.5).at(fmt).quantised(marked.image, fmt.rho)
    >>> marked.psnr >= 42, bool((codec.extract(edited.astype(np.uint8)).bits == message).all())
    (True, True)
    """

    name: Literal["singular"] = "singular"

    def __init__(
        self,
        edit: linear.Edit | linear.Operator | str,
        psnr: float = 42,
        *,
        format: ImageFormat | None = None,
        peak: float | None = None,
        step: float = STEP,
    ):
        self.psnr, self.peak = radius.check_psnr(psnr), peak
        self.step = finite("step", step, 1, 100, "give standard deviations, 1 to 100")
        self.operator, self.format = _operator(edit, format)

    def capacity(self, cover: object) -> int:
        """Bits that every message may have; ImageError for a cover that is not gray."""
        self._check_gray(images.read(cover))
        return self._room

    def embed(self, cover: object, bits: NDArray[np.uint8]) -> Embedding:
        """The marked picture; its message was read back after the edit before this returns."""
        picture, message = images.read(cover), check_bits(bits)
        self._check_gray(picture)
        if message.size > self._room:
            fix = f"lower the PSNR of {self.psnr:g} dB, or shorten the message"
            raise DoesNotFit("the message", message.size, self._room, "bits", fix)
        padded = np.zeros(self._room, np.uint8)
        padded[: message.size] = message
        for mask in range(1 << _MASK_BITS):
            marked = self._marked(padded, mask) if self._room else picture.array
            if marked is not None:
                peak = radius.resolve_peak(self.format, self.peak)
                found = distortion.psnr(picture.array, marked, peak=peak)
                return Embedding(marked, found, message.size, self.name)
        fix = f"but no picture was found for it; use a larger step, {self.step + 0.5:g}"
        raise DoesNotFit("the message", message.size, self._room, "bits", fix)

    def extract(self, image: object) -> Extraction:
        """The message of an edited picture; nothing where its digits are no message's."""
        picture = images.read(image)
        planar = self._edited_planar(picture)
        nothing = Extraction("nothing", self.name)
        if not self._room:
            return nothing
        fixed = self._corrected(*self._read(planar))
        number = None if fixed is None else self._plan.number(fixed)
        if not number or (number - 1).bit_length() > self._room + _MASK_BITS:
            return nothing
        whole = radix.bits_of_number(number - 1, self._room + _MASK_BITS)
        mask = int(radix.number_of_bits(whole[self._room :]))
        bits = whole[: self._room] ^ _mask(mask, self._room)
        return Extraction("found", self.name, bits, p_value=self._share)

    @cached_property
    def _blocks(self) -> list[Block]:
        return blocks_of(self.operator)

    @cached_property
    def _energy(self) -> int:
        return allowed_error(self.format, self.psnr, peak=self.peak, samples=self.format.samples)

    @cached_property
    def _plan(self) -> Plan:
        return plan_for(self._blocks, self._energy, self.format.rho - self.format.mid, self.step)

    @cached_property
    def _room(self) -> int:
        return max((self._plan.size - 1).bit_length() - 1 - _MASK_BITS, 0)

    @cached_property
    def _share(self) -> float:
        """The part of all numbers that are messages; 60 bits are more than a float shows."""
        spare = max(self._room - 60, 0)
        messages = gmpy2.mpz(1) << (self._room + _MASK_BITS - spare)
        return float(messages) / float(self._plan.size >> spare)

    @cached_property
    def _edited_cover(self) -> NDArray[np.float64]:
        """The edited gray cover, planar, before rounding."""
        shape = (self.format.height, self.format.width, self.format.channels)
        edited = self.operator.apply(np.full(shape, self.format.mid))
        flat = to_planar(edited, self.operator.out_shape).ravel()
        return np.where(np.abs(flat - np.rint(flat)) < _TIE, np.rint(flat), flat)

    @cached_property
    def _embedder(self) -> Embedder:
        mid, rho = self.format.mid, self.format.rho
        return Embedder(self._blocks, self._plan, self._edited_cover, rho, (-mid, rho - mid))

    @cached_property
    def _loose(self) -> NDArray[np.bool_]:
        """Outputs whose ties may be rounded either way."""
        found = np.zeros(self.operator.outputs, bool)
        for block in self._blocks:
            found[block.outputs] = block.loose
        return found

    def _number(self, padded: NDArray[np.uint8], mask: int) -> gmpy2.mpz:
        """The number of a message under a mask; the untouched cover is the number 0."""
        which = radix.bits_of_number(gmpy2.mpz(mask), _MASK_BITS)
        masked = np.concatenate([padded ^ _mask(mask, padded.size), which])
        return radix.number_of_bits(masked) + 1

    def _marked(self, padded: NDArray[np.uint8], mask: int) -> NDArray[np.uint8 | np.uint16] | None:
        """The picture of a message under a mask, checked; None when it was not found."""
        digits = self._plan.digits(self._number(padded, mask))
        change = self._embedder.change(digits, self._energy, self.format.samples, mask)
        if change is None:
            return None
        planar = (self.format.mid + change).reshape(self.operator.in_shape)
        dtype = np.uint8 if self.format.depth <= 8 else np.uint16
        marked = np.ascontiguousarray(np.moveaxis(planar, 0, -1).astype(dtype))
        return marked if self._survives(marked, digits) else None

    def _survives(self, marked: NDArray[np.uint8 | np.uint16], digits: Index) -> bool:
        """Whether the real edit leaves enough digits right, with a margin and ties aside."""
        exact = to_planar(self.operator.apply(marked), self.operator.out_shape).ravel()
        shown = np.clip(np.floor(exact + 0.5), 0, self.format.rho)
        read, away = self._read(shown)
        ties = self._loose & (np.abs(exact + 0.5 - np.rint(exact + 0.5)) < _TIE)
        doubt = self._doubt(ties) if ties.any() else 0.0
        off = (read != digits) | (np.abs(away) + doubt > 0.5 - MARGIN)
        fixed = self._corrected(read, away)
        few = int(off.sum()) <= self._plan.errors
        return few and fixed is not None and np.array_equal(fixed, digits)

    def _corrected(self, digits: Index, away: NDArray[np.float64]) -> Index | None:
        return self._plan.corrected(digits, digits + np.where(away > 0, 1, -1))

    def _doubt(self, ties: NDArray[np.bool_]) -> NDArray[np.float64]:
        """How far the coordinates move, in steps, if these outputs are rounded the other way."""
        moved = [
            np.abs(block.left()).T @ ties[block.outputs].T.astype(np.float64)
            for block in self._blocks
        ]
        return self._deal(moved)

    def _read(self, planar: NDArray[np.float64]) -> tuple[Index, NDArray[np.float64]]:
        """Digits (frames x slots) of an edited picture, and the rest in steps."""
        change = planar.ravel() - self._edited_cover
        found = self._deal([block.read(change[block.outputs].T) for block in self._blocks])
        digits = np.rint(found)
        return digits.astype(np.int64), found - digits

    def _deal(self, coordinates: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Coordinates of each block (coordinates x copies) in frames, in steps."""
        where, found = self._plan.where, np.zeros(self._plan.where.shape[:2])
        for b, block in enumerate(self._blocks):
            mine = where[..., 0] == b
            _, i, copy = where[mine].T
            step = np.broadcast_to(self._plan.steps, mine.shape)[mine]
            found[mine] = coordinates[b][i, copy] / (step * block.gains[i])
        return found

    def _check_gray(self, picture: images.Picture) -> None:
        if picture.format != self.format:
            problem = f"is {picture.format.text}, and this codec is for {self.format.text}"
            raise ImageError(picture.name, problem, "make the codec for this format")
        if not (picture.array == self.format.mid).all():
            problem = f"is not solid gray ({self.format.mid} in every sample)"
            fix = f"give np.full(shape, {self.format.mid}), or use the trellis codec for photos"
            raise ImageError(picture.name, problem, fix)

    def _edited_planar(self, picture: images.Picture) -> NDArray[np.float64]:
        channels, height, width = self.operator.out_shape
        if picture.array.shape != (height, width, channels):
            edited = shape_text(self.operator.out_shape)
            problem = f"is {picture.format.text}, and the edit gives {edited}"
            raise ImageError(picture.name, problem, "give the picture as the edit leaves it")
        return to_planar(picture.array, self.operator.out_shape)


def _operator(
    edit: linear.Edit | linear.Operator | str, format: ImageFormat | None
) -> tuple[linear.Operator, ImageFormat]:
    if isinstance(edit, linear.Operator):
        channels, height, width = edit.in_shape
        own = ImageFormat(channels, width, height, 8 if format is None else format.depth)
        if format not in (None, own):
            raise InputError("format", format.text, f"this operator takes {own.text}")
        return edit, own
    if isinstance(edit, str):
        edit = linear.parse(edit)
    if not isinstance(edit, linear.Edit):
        expected = "give text such as crop:0.5, an edit such as linear.hflip(), or an operator"
        raise InputError("edit", edit, expected)
    if format is None:
        raise InputError("format", None, "give the ImageFormat of the pictures")
    return edit.at(format), format


def _mask(which: int, length: int) -> NDArray[np.uint8]:
    """Bits that make any message look random, another row for each mask."""
    key = keys.derive(None, which.to_bytes(keys.SALT_BYTES, "little"), b"singular", 32)
    stream = np.frombuffer(keys.keystream(key, -(-length // 8)), np.uint8)
    return np.unpackbits(stream, count=length, bitorder="little")
