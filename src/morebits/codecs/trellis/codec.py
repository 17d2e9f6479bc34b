"""The trellis codec: blind, any picture, any rate, close to what the cover can hold at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images
from morebits.bounds import radius
from morebits.codecs import keys
from morebits.codecs.bits import check_bits
from morebits.codecs.budget import allowed_error
from morebits.codecs.trellis import body, rate, segments
from morebits.codecs.trellis import head as heads
from morebits.codecs.trellis.lanes import LANES
from morebits.codecs.trellis.layout import HEAD_BITS, HEAD_LENGTH, HEAD_SAMPLES, Layout
from morebits.codecs.trellis.plan import Plan, most_bits, plan, register_length, told
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.images import Picture, Samples
from morebits.types import Embedding, Extraction

Mask = Callable[[Samples], NDArray[np.uint8]]

#: Fewest and most states of the trellis.
STATES = (4, 1 << 17)

_MOST_REST = heads.MOST_BITS - heads.LEAD_BITS
_HEAD_PLAN = Plan(plain=0, coded=HEAD_BITS, length=HEAD_LENGTH)
#: A squared error so many times the budget over the root of the samples, or of the changes,
#: above the budget will not come down with another whitening: some 20 deviations.
_HOPELESS = 6.0
#: Deviations of a mean of trials by which the capacity stays below it.
_DOUBT = 1.5


class Trellis:
    """Hide a message in any picture; whoever has the key reads it without the cover.

    `psnr` is promised for every message that `capacity` admits. More `states` (a power of two)
    get closer to the bound and take longer. `mask` gives the cost of changing each sample of a
    picture, 1 to 255 (see `morebits.codecs.masks`): at the same PSNR fewer bits fit then.
    `progress` is called with the fraction done.

    >>> cover = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    >>> codec = Trellis(psnr=42)
    >>> message = np.random.default_rng(2).integers(0, 2, codec.capacity(cover), np.uint8)
    >>> marked = codec.embed(cover, message)
    >>> bool(marked.psnr >= 42), bool((codec.extract(marked.image).bits == message).all())
    (True, True)
    """

    name = "trellis"

    def __init__(
        self, *, psnr: float = 42.0, key: keys.Key = None, states: int = 1024,
        mask: Mask | None = None, progress: Callable[[float], None] | None = None,
    ):  # fmt: skip
        self.psnr = radius.check_psnr(psnr)
        self.key = keys.check_key(key)
        self.states = _check_states(states)
        for name, given in (("mask", mask), ("progress", progress)):
            if given is not None and not callable(given):
                raise InputError(name, given, "give a function, or None")
        self.mask = mask
        self.progress = progress

    def __repr__(self) -> str:
        return f"Trellis(psnr={self.psnr:g}, states={self.states})"

    def capacity(self, cover: Any, /) -> int:
        """Bits that every message may have at this PSNR in this cover.

        Found by hiding pseudo-random bits in the cover, or in a part that is spread over all of
        a large one, at a few rates.
        """
        picture = images.read(cover)
        layout, top = _layout(picture), picture.format.rho
        flat, weights = picture.array.reshape(-1), self._weights(picture)
        budget = self._budget(picture) - _head_error(flat, layout, top)
        if budget < 0:
            return 0
        length = register_length(self.states, layout.steps)

        def error_at(bits: int) -> float:
            found = plan(layout, bits, depth=picture.depth, length=length)
            if found is None:
                return math.inf
            noise = _noise(found.bits(layout.steps) * LANES)
            errors = body.trial_errors(flat, layout, found, noise, top=top, weights=weights)
            return _cautious(errors, layout.segments)

        limit = min(most_bits(layout, depth=picture.depth, length=length), _MOST_REST)
        return heads.LEAD_BITS + rate.largest(error_at, budget, limit=limit, samples=layout.body)

    def embed(self, cover: Any, bits: Any, /) -> Embedding:
        picture, message = images.read(cover), check_bits(bits)
        layout = _layout(picture)
        length = register_length(self.states, layout.steps)
        rest = max(0, message.size - heads.LEAD_BITS)
        found = plan(layout, rest, depth=picture.depth, length=length)
        budget = self._budget(picture)
        hopeless = budget + _HOPELESS * max(1.0, budget) / math.sqrt(
            min(layout.samples, budget + 1)
        )
        error = math.inf
        for whitening in range(heads.WHITENINGS):
            if found is None or rest > _MOST_REST:
                break
            marked = self._marked(picture, layout, found, message, whitening)
            error = distortion.squared_error(picture.array, marked)
            if error <= budget:
                psnr = radius.psnr_of_mse(error / layout.samples, peak=picture.format.rho)
                return Embedding(marked, psnr, message.size, self.name)
            if error > hopeless:
                break
        raise self._does_not_fit(picture, message.size, error / layout.samples)

    def extract(self, image: Any, /) -> Extraction:
        """The message of the first copy of the head that is intact, or nothing.

        The head is checked, the body is not: after an edit bits may be wrong. `reveal` checks
        the payload.
        """
        picture = images.read(image)
        flat = picture.array.reshape(-1)
        layout = Layout(flat.size)
        for head in _heads(flat, layout, self.key):
            rest = max(0, head.bits - heads.LEAD_BITS)
            found = told(layout, rest, plain=head.plain, length=head.length)
            if found is None:
                continue
            lead = np.unpackbits(np.frombuffer(head.lead, np.uint8))[: head.bits]
            bits = body.read(flat, layout, found)[:rest]
            heads.whiten(bits, self.key, head.lead, head.whitening)
            chance = heads.P_VALUE * len(layout.heads)
            return Extraction("found", self.name, np.concatenate([lead, bits]), p_value=chance)
        return Extraction("nothing", self.name)

    def _marked(
        self, picture: Picture, layout: Layout, found: Plan, message: Any, whitening: int
    ) -> Samples:
        flat, top = picture.array.reshape(-1).copy(), picture.format.rho
        lead = np.packbits(message[: heads.LEAD_BITS]).tobytes().ljust(keys.SALT_BYTES, b"\0")
        head = heads.Head(lead, found.length, found.plain, whitening, message.size)
        _mark_heads(flat, layout, head.pack(self.key), top)
        rest = message[heads.LEAD_BITS :].copy()
        heads.whiten(rest, self.key, lead, whitening)
        weights = self._weights(picture)
        body.mark(flat, layout, found, rest, top=top, weights=weights, progress=self.progress)
        return flat.reshape(picture.array.shape)

    def _budget(self, picture: Picture) -> int:
        """The largest squared error, the same number on every machine."""
        samples = picture.array.size
        return allowed_error(picture.format, self.psnr, peak=None, samples=samples)

    def _weights(self, picture: Picture) -> NDArray[np.uint16] | None:
        if self.mask is None:
            return None
        weights = np.asarray(self.mask(picture.array))
        if weights.shape != picture.array.shape or weights.dtype != np.uint8 or not weights.all():
            expected = f"return uint8 costs from 1 to 255 of shape {picture.array.shape}"
            raise InputError("mask", f"{weights.dtype} of {weights.shape}", expected)
        return segments.balanced(weights.reshape(-1))

    def _does_not_fit(self, picture: Picture, needed: int, mse: float) -> DoesNotFit:
        fits = self.capacity(picture)
        what = f"the message, at {self.psnr:g} dB,"
        if fits == 0:
            what, needed = f"even the head of a mark, at {self.psnr:g} dB,", HEAD_BITS
        fix = "use a larger picture or a shorter message"
        if math.isfinite(mse):
            # Rounded down with a little room: what is said here must then work.
            reached = radius.psnr_of_mse(mse, peak=picture.format.rho) - 0.02
            fix = f"it would at {math.floor(100 * reached) / 100:.2f} dB, or {fix}"
        return DoesNotFit(what, needed, fits, "bits", fix)


def _check_states(states: int) -> int:
    if not isinstance(states, Integral) or isinstance(states, bool) or states & (states - 1):
        raise InputError("states", states, "give a power of two, such as 256")
    if not STATES[0] <= states <= STATES[1]:
        raise InputError("states", states, f"give {STATES[0]} to {STATES[1]:,}")
    return int(states)


def _layout(picture: Picture) -> Layout:
    layout = Layout(picture.array.size)
    if layout.body < LANES:
        least = HEAD_SAMPLES + LANES
        problem = f"has {layout.samples} samples, too few to hide anything"
        raise ImageError(picture.name, problem, f"use one with at least {least}, such as 8x8 RGB")
    return layout


def _head_error(flat: Samples, layout: Layout, top: int) -> float:
    """Squared error of all heads, a little more than that of most."""
    cover = flat[layout.head_places()[:, :1]].astype(np.int64).repeat(LANES, axis=1)
    rows = _noise(LANES * HEAD_BITS).reshape(LANES, HEAD_BITS)
    change = segments.mark(cover, rows, _HEAD_PLAN, top, None) - cover
    return _cautious(np.sum(change * change, axis=0), 1) * len(layout.heads)


def _cautious(errors: NDArray[np.int64], segments: int) -> float:
    """Squared error that a message of so many segments rarely exceeds, from 16 trials.

    Their mean, plus one deviation of a message (of 16 whitenings, one will do), plus one and a
    half of the mean's own uncertainty.
    """
    mean, deviation = float(np.mean(errors)), float(np.std(errors, ddof=1))
    own = _DOUBT * deviation * segments / math.sqrt(LANES)
    return mean * segments + deviation * math.sqrt(segments) + own


def _noise(bits: int) -> NDArray[np.uint8]:
    """Pseudo-random bits, the same ones everywhere."""
    stream = keys.keystream(keys.derive(None, bytes(keys.SALT_BYTES), b"trial", 32), -(-bits // 8))
    return np.unpackbits(np.frombuffer(stream, np.uint8), count=bits)


def _mark_heads(flat: Samples, layout: Layout, bits: NDArray[np.uint8], top: int) -> None:
    places = layout.head_places()
    rows = np.tile(bits, (LANES, 1))
    marked = segments.mark(flat[places].astype(np.int64), rows, _HEAD_PLAN, top, None)
    flat[places] = marked.astype(flat.dtype)


def _heads(flat: Samples, layout: Layout, key: keys.Key) -> Iterator[heads.Head]:
    """Every copy of the head that passes its check."""
    if layout.body < LANES:
        return
    rows = np.empty((len(layout.heads), HEAD_BITS), np.uint8)
    segments.read(flat[layout.head_places()], _HEAD_PLAN, rows)
    for row in rows:
        found = heads.unpack(row, key)
        if found is not None:
            yield found
