"""How much fits, and how quietly: found by trying the real edits with the real reader.

A short message is hidden and the edits are done to it. What the reader's soft values then carry,
in bits, tells how long a message may be: a fixed share of it, fitted once to photos. For the
highest PSNR the message itself is hidden at several, and has to come back from every edit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import attacks
from morebits.attacks import FAMILIES, Attack
from morebits.attacks.attack import eight_bits
from morebits.attacks.table import KINDS
from morebits.codecs import compact, keys
from morebits.codecs.robust import decoding, sizes
from morebits.codecs.robust.attempts import Found
from morebits.codecs.robust.layout import KNOWN, TELLING
from morebits.codecs.robust.reading import Decoded, Read
from morebits.errors import DoesNotFit

#: What has to be survived: a suite, a text in the grammar, an attack, or several of them.
Survive = str | Attack | Iterable[str | Attack]
#: Hides a payload at a PSNR.
Mark = Callable[[bytes, float], NDArray[Any]]

#: The PSNRs that `quietest` chooses from, in dB.
LOWEST, _STEP, _LEVELS = 45.0, 0.5, 22
#: Steps by which the mark is stronger than the weakest one that survived: crops lie elsewhere
#: the next time, and other programs round in other ways.
_MARGIN = 2
#: Edits that the search for this PSNR looks at; all others are tried at the end.
_HARDEST = 4
#: Where edits are random: which ones are tried.
_SEEDS = (1_000_001, 1_000_002)
#: Payload bytes of the first trial. A reader of a short message is often done before it has found
#: out all about an edit, so longer ones follow, in at most so many rounds: each tries so many times
#: what seems to fit, first in leaps, and what comes back fits with so much to spare.
_FIRST, _ROUNDS, _GROWTH, _SPARE = 1, 10, (2.0, 1.4), 1.2
#: What is tried next when a payload does not survive, as a share of it.
_LESS = 0.8
#: Bits of a message for each bit that the soft values carry; short messages get less.
_SHARE, _SHORT = 0.86, 1.0
#: Seconds for one trial, and for each megapixel of it: a reader who takes longer finds nothing.
_PATIENCE = 3.0
#: Seconds for a trial in the search, and how many times what it took at the lowest PSNR.
_QUICK, _SLOWER = 0.6, 3.0


@dataclass(frozen=True)
class Trial:
    """What became of a message after an edit: whether it came back, with how many bits to spare.

    `information` are the bits that the reader's soft values carry, `seconds` what reading took.
    """

    edit: Attack
    survived: bool
    information: float
    seconds: float


@dataclass(frozen=True)
class Plan:
    """Payload bits that fit, and the edit that leaves no more."""

    bits: int
    hardest: Attack


@dataclass(frozen=True, eq=False)
class _Marked:
    """A marked picture with its payload."""

    payload: bytes
    image: NDArray[Any]


def edits(survive: Survive) -> tuple[Attack, ...]:
    """What a mark has to survive, each edit once; the untouched file is always among them.

    A text with `|` is one edit after the other; `()` or "none" is the file itself.

    >>> [each.text for each in edits(["jpeg:50|crop:0.8", "hflip"])]
    ['none', 'jpeg:50|crop:0.8', 'hflip']
    >>> len(edits("paper-compact")), len(edits(()))
    (28, 1)
    """
    if not isinstance(survive, (str, Attack)) and isinstance(survive, Iterable):
        survive = tuple(survive)
    wanted = () if survive == () else attacks.suite(survive)
    return tuple(dict.fromkeys((Attack(), *wanted)))


def message_bits(information: float) -> int:
    """Bits of the longest message that so much information gives back, in most cases.

    >>> message_bits(10_000), message_bits(100)
    (8500, 76)
    """
    return max(0, int(_SHARE * information - _SHORT * math.sqrt(max(information, 0))))


def payload_bytes(bits: float) -> int | None:
    """Bytes of the longest payload of a message with so many bits; None: not even an empty one.

    >>> payload_bytes(1080), payload_bytes(50)
    (128, None)
    """
    fitting = [each for each in range(sizes.CLASSES) if sizes.message_bits(each) <= bits]
    return sizes.payload_bytes(fitting[-1]) if fitting else None


def carried(found: Found) -> float:
    """Bits that the soft values of a message carry about it: what they are sure of wrongly counts.

    The reader's own estimate would believe them; here the bits are known.
    """
    if found.decoded is None or found.best is None:
        return 0.0
    layers = found.best.read, *found.best.tints
    return max(0.0, sum(_carried(each, found.decoded) for each in layers))


def _carried(read: Read, decoded: Decoded) -> float:
    """Bits that the soft values of one layer carry."""
    bits = read.tiles.window.bits(decoded.index, decoded.bits)[read.tiles.usable]
    right = read.soft * (2 * bits.astype(np.float32) - 1)
    right = right[read.tiles.roles >= KNOWN + TELLING]
    return right.size - float(np.logaddexp(0, -right).sum()) / math.log(2)


class Planner:
    """Trials with one picture, one key and one list of edits.

    `mark` hides a payload at a PSNR, `seconds` limit the reader, and `progress` is called with
    the fraction done.
    """

    def __init__(
        self, mark: Mark, key: keys.Key, edits: tuple[Attack, ...], *,
        seconds: float, progress: Callable[[float], None] | None = None,
    ):  # fmt: skip
        self._mark, self._key, self._edits = mark, key, edits
        self._seconds = seconds
        self._steps = _Steps(progress)

    def capacity(self, psnr: float) -> Plan:
        """What fits at a PSNR: predicted from the edit that leaves the least information."""
        marked = self._marked(_trial_payload(_FIRST), psnr)
        fits: dict[Attack, float] = {}
        seconds: dict[Attack, float] = {}
        for edit in self._edits:
            trial = self._try(marked, edit)
            if not trial.survived:
                return Plan(0, edit)
            # What came back fits, even where its soft values were sure of the wrong bits.
            floor = 8 * _FIRST + compact.OVERHEAD_BITS
            fits[edit] = max(message_bits(trial.information), floor)
            seconds[edit] = trial.seconds
        growth = list(_GROWTH)
        for _ in range(_ROUNDS):
            before = min(fits.values())
            self._grow(psnr, growth[0] * before, fits, seconds)
            if min(fits.values()) <= before:
                growth.pop(0)
            if not growth:
                break
        hardest = min(fits, key=lambda each: fits[each])
        return Plan(8 * (payload_bytes(fits[hardest]) or 0), hardest)

    def _grow(
        self, psnr: float, bits: float, fits: dict[Attack, float], seconds: dict[Attack, float]
    ) -> None:
        """Try a message of so many bits after all edits that less seems to fit, the hardest first.

        It ends at the first one that is not survived: then no more fits anyway.
        """
        marked = self._marked(_trial_payload(payload_bytes(bits) or 0), psnr)
        smaller = (each for each in fits if fits[each] < bits)
        for edit in sorted(smaller, key=lambda each: fits[each]):
            trial = self._try(marked, edit, _QUICK + _SLOWER * seconds[edit])
            if not trial.survived:
                return
            fits[edit] = max(fits[edit], message_bits(trial.information), bits / _SPARE)

    def checked(self, payload: bytes, psnr: float) -> NDArray[Any]:
        """The marked picture at this PSNR; DoesNotFit unless it survives every edit."""
        self._steps.expect(len(self._edits))
        marked = self._marked(payload, psnr)
        for edit in self._edits:
            if not self._try(marked, edit).survived:
                raise self._does_not_fit(payload, psnr, edit)
        self._steps.done()
        return marked.image

    def quietest(self, payload: bytes) -> NDArray[Any]:
        """The marked picture with the highest PSNR at which it survives every edit."""
        first = strongest(self._edits)
        self._steps.expect(len(first) + _HARDEST * _LEVELS.bit_length() + len(self._edits))
        marked = self._marked(payload, LOWEST)
        trials = sorted(
            (self._try(marked, edit) for edit in first), key=lambda each: each.information
        )
        if not trials[0].survived:
            raise self._does_not_fit(payload, LOWEST, trials[0].edit)
        level = self._highest(payload, trials[:_HARDEST])
        order = [each.edit for each in trials]
        order += [each for each in self._edits if each not in order]
        for step in range(max(0, level - _MARGIN), -1, -1):
            marked = self._marked(payload, LOWEST + _STEP * step)
            lost = next((each for each in order if not self._try(marked, each).survived), None)
            if lost is None:
                self._steps.done()
                return marked.image
            order.insert(0, order.pop(order.index(lost)))
        raise self._does_not_fit(payload, LOWEST, order[0])

    def _highest(self, payload: bytes, hardest: list[Trial]) -> int:
        """Steps above the lowest PSNR that these edits allow."""
        low, high = 0, _LEVELS + 1
        while high - low > 1:
            middle = (low + high) // 2
            marked = self._marked(payload, LOWEST + _STEP * middle)
            # Failing takes all the time there is: what was quick before gets little of it.
            if all(
                self._try(marked, each.edit, _QUICK + _SLOWER * each.seconds).survived
                for each in hardest
            ):
                low = middle
            else:
                high = middle
        return low

    def _marked(self, payload: bytes, psnr: float) -> _Marked:
        return _Marked(payload, self._mark(payload, psnr))

    def _try(self, marked: _Marked, edit: Attack, limit: float = math.inf) -> Trial:
        """An edit, in the worst of the ways that it may turn out; `limit` in seconds."""
        self._steps.step()
        information, seconds = math.inf, 0.0
        for image in outcomes(marked.image, edit):
            patience = _PATIENCE * max(1.0, image.shape[0] * image.shape[1] / 1e6)
            found = decoding.decode(image, self._key, seconds=min(limit, patience, self._seconds))
            seconds = max(seconds, found.seconds)
            if found.decoded is None or found.decoded.opened.payload != marked.payload:
                return Trial(edit, survived=False, information=0.0, seconds=seconds)
            information = min(information, carried(found))
        return Trial(edit, survived=True, information=information, seconds=seconds)

    def _does_not_fit(self, payload: bytes, psnr: float, lost: Attack) -> DoesNotFit:
        """What to say when an edit is not survived."""
        needed = 8 * len(payload)
        fits = self.capacity(psnr).bits
        # A prediction is not exact; what is said here must then work.
        while fits and (fits >= needed or not self._fits(fits, psnr, lost)):
            fits = 8 * int(_LESS * min(fits, needed) / 8)
        after = f" and after {lost.text}" if lost.steps else ""
        what = f"the message, at {psnr:g} dB{after},"
        fix = "shorten the message, ask for milder edits (survive), or for a lower PSNR (psnr)"
        return DoesNotFit(what, needed, fits, "bits", fix)

    def _fits(self, bits: int, psnr: float, edit: Attack) -> bool:
        return self._try(self._marked(_trial_payload(bits // 8), psnr), edit).survived


class _Steps:
    """Tells how far the trials are; their number is not known for sure beforehand."""

    def __init__(self, progress: Callable[[float], None] | None):
        self._progress, self._expected, self._made = progress, 1, 0

    def expect(self, steps: int) -> None:
        self._expected, self._made = max(1, steps), 0

    def step(self) -> None:
        self._made += 1
        if self._progress is not None:
            self._progress(min(self._made / self._expected, 0.99))

    def done(self) -> None:
        if self._progress is not None:
            self._progress(1.0)


def outcomes(image: NDArray[Any], edit: Attack) -> Iterator[NDArray[np.uint8]]:
    """The picture after an edit, in 8 bits; after a random one at each of the places tried."""
    random = any(KINDS[step.name].random for step in edit.steps)
    for seed in _SEEDS if random else _SEEDS[:1]:
        yield eight_bits(edit(image, seed=seed))


def strongest(edits: tuple[Attack, ...]) -> tuple[Attack, ...]:
    """Of every family the edits farthest from changing nothing, on either side; all others."""
    chosen: dict[Any, Attack] = {}
    for edit in edits:
        strength, neutral = edit.strength, FAMILIES.get(edit.family, ("", None))[1]
        if strength is None or neutral is None:
            chosen[edit] = edit
            continue
        place = (edit.family, strength > neutral)
        farthest = chosen.get(place)
        if farthest is None or abs(strength - neutral) > abs((farthest.strength or 0) - neutral):
            chosen[place] = edit
    return tuple(chosen.values())


def _trial_payload(size: int) -> bytes:
    """Bytes that do not compress, the same ones everywhere."""
    return keys.keystream(keys.derive(None, bytes(keys.SALT_BYTES), b"robust-trial", 32), size)
