"""Texts of edits: attacks, and linear operators of a small format."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from morebits import attacks, linear
from morebits.errors import MorebitsError
from morebits.types import ImageFormat

_PICTURE = np.random.default_rng(0).integers(0, 256, (12, 16, 3), np.uint8)
_FORMAT = ImageFormat(width=16, height=12)
#: Edits that are carried out and not only parsed, at most.
_STEPS = 6


def check(data: bytes) -> None:
    """Parse, write and parse again; carry out what is short."""
    text = data.decode("utf-8", "replace")
    with suppress(MorebitsError):
        attack = attacks.parse(text)
        if attacks.parse(attack.text) != attack:
            raise AssertionError(f"{text!r} is not {attack.text!r}")
        if text.count("|") < _STEPS:
            attack(_PICTURE)
    with suppress(MorebitsError):
        edit = linear.parse(text)
        if linear.parse(edit.text).text != edit.text:
            raise AssertionError(f"{text!r} is not {edit.text!r}")
        if text.count("|") < _STEPS:
            edit.at(_FORMAT)
