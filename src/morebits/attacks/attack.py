"""`Attack`: real edits of a picture, one after the other."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from morebits.attacks import labels
from morebits.attacks.samples import Image8, rounded
from morebits.attacks.table import FAMILIES, IDENTITY, KINDS
from morebits.errors import InputError
from morebits.grammar import number_text
from morebits.images import Samples, read


@dataclass(frozen=True)
class Step:
    """One word of the grammar with its values."""

    name: str
    values: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """The word as the grammar writes it, in its shortest form."""
        numbers = ",".join(number_text(value) for value in self.values)
        return f"{self.name}:{numbers}" if numbers else self.name


@dataclass(frozen=True)
class Attack:
    """A sequence of edits, applied from left to right to pictures of any size; `parse` makes one.

    Calling it gives the attacked samples: (H, W, C), 8 bits, of whatever size the edits lead to.
    Pictures with 16 bits a sample are rounded to 8 first; only the identity leaves them alone.
    Whatever is random depends on `seed` and on the words alone, so the same call gives the same
    picture, and `crop:0.5|jpeg:60` cuts out the very part that `crop:0.5` does.

    >>> from morebits.attacks import parse
    >>> attack = parse("crop:0.5|jpeg:60")
    >>> attack(np.zeros((48, 64, 3), np.uint8), seed=1).shape
    (24, 32, 3)
    >>> attack.family, (attack | parse("hflip")).text
    ('combination', 'crop:0.5|jpeg:60|hflip')
    """

    steps: tuple[Step, ...] = ()

    @property
    def text(self) -> str:
        """The attack in the grammar, in its shortest form: what records are filed under."""
        return "|".join(step.text for step in self.steps) or IDENTITY

    @property
    def label(self) -> str:
        """The attack as tables print it, for example `Rotate 5°`; its text where it has no name.

        >>> from morebits.attacks import parse
        >>> parse("jpeg:50").label, parse("jpeg:51").label
        ('JPEG 50', 'jpeg:51')
        """
        return labels.BY_TEXT.get(self.text, self.text)

    @property
    def family(self) -> str:
        """What it is put together with: `identity`, `crop`, `jpeg`, ..., or `combination`."""
        families = [KINDS[step.name].family for step in self.steps] or ["identity"]
        return families[0] if len(families) == 1 else "combination"

    @property
    def strength(self) -> float | None:
        """The value on the axis of its family's curve (`FAMILIES`); None where there is none."""
        return float(self.steps[0].values[0]) if self.family in FAMILIES else None

    def __call__(self, image: object, *, seed: int = 0) -> Samples:
        """The attacked samples; `image` is whatever `images.read` takes."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise InputError("seed", seed, "give a whole number of at least 0")
        picture = read(image)
        if not self.steps:
            return picture.array
        result = eight_bits(picture.array)
        for place, step in enumerate(self.steps):
            before = self.steps[:place].count(step)
            result = _changed(result, step, int(seed), before)
        return np.ascontiguousarray(result)

    def __or__(self, then: Attack) -> Attack:
        """First this attack, then the other one."""
        if not isinstance(then, Attack):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return Attack(self.steps + then.steps)

    def __str__(self) -> str:
        return self.text


def eight_bits(samples: Samples) -> Image8:
    """Samples of 16 bits on the scale of 8, rounded.

    >>> eight_bits(np.array([[[0], [128], [129], [65535]]], np.uint16)).ravel().tolist()
    [0, 0, 1, 255]
    """
    if samples.dtype == np.uint8:
        return np.asarray(samples, np.uint8)
    return rounded(samples / 257)


def _changed(image: Image8, step: Step, seed: int, before: int) -> Image8:
    """The picture after one step; `before` tells a second `noise:5` from the first."""
    kind = KINDS[step.name]
    if not kind.random:
        return kind.change(image, *step.values)
    name = f"morebits attack|{seed}|{step.text}|{before}".encode()
    number = int.from_bytes(hashlib.blake2b(name, digest_size=16).digest(), "little")
    return kind.change(image, *step.values, np.random.Generator(np.random.PCG64(number)))
