"""Randomness without a state: every draw is a function of the seed, a purpose and an index.

So a run that goes on after a stop draws what it would have drawn, and a picture gets the same
message on whichever device it lands.
"""

from __future__ import annotations

import hashlib
from enum import IntEnum

import numpy as np
import torch


class Purpose(IntEnum):
    """What is drawn; the numbers are part of what a seed means."""

    WEIGHTS = 0
    PICTURES = 1
    MESSAGES = 2
    AUGMENTATIONS = 3
    ORDER = 4
    VALIDATION = 5
    VALIDATION_MESSAGES = 6


def generator(seed: int, purpose: Purpose, *index: int) -> np.random.Generator:
    """A generator of its own for each purpose and index.

    >>> first, again = (generator(1, Purpose.MESSAGES, 7).integers(100) for _ in range(2))
    >>> first == again
    np.True_
    """
    words = " ".join(map(str, (seed, int(purpose), *index)))
    digest = hashlib.blake2b(words.encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def messages(
    seed: int, purpose: Purpose, step: int, rows: slice, shape: tuple[int, int]
) -> torch.Tensor:
    """These rows of the (batch, bits) zeros and ones of a step, as floats.

    >>> messages(0, Purpose.MESSAGES, 3, slice(1, 2), (2, 4)).shape
    torch.Size([1, 4])
    """
    drawn = generator(seed, purpose, step).integers(0, 2, shape, np.uint8)
    return torch.from_numpy(drawn[rows].astype(np.float32))
