"""Codecs for the tests of the runner, good and bad; workers import them from here.

Each takes `wait`, seconds that it sleeps when it embeds.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import images
from morebits.types import Embedding, Extraction

BITS = 40


class Least:
    """The message in the least bits of the first samples, quick and as fragile as can be."""

    name = "least"

    def __init__(self, *, wait: float = 0.0, note: str | None = None):
        self.wait, self.note = wait, note

    def capacity(self, cover: Any, /) -> int:
        return BITS

    def embed(self, cover: Any, bits: NDArray[np.uint8], /) -> Embedding:
        if self.note is not None:  # a witness of every call
            with Path(self.note).open("a") as file:
                file.write("embed\n")
        time.sleep(self.wait)
        marked = images.read(cover).array.copy()
        flat = marked.reshape(-1)
        flat[: bits.size] = flat[: bits.size] // 2 * 2 + bits
        return Embedding(marked, 50.0, bits.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        flat = images.read(image).array.reshape(-1)
        return Extraction("found", self.name, (flat[:BITS] % 2).astype(np.uint8))


class Raises(Least):
    """Every verb fails."""

    def embed(self, cover, bits, /):
        raise RuntimeError("no\nluck")

    def extract(self, image, /):
        raise RuntimeError("nothing to read")


class Leaves(Least):
    """Calls sys.exit, as scripts do that were made into libraries."""

    def embed(self, cover, bits, /):
        sys.exit("usage: leave")


class WrongSize(Least):
    """Returns a picture without its last row."""

    def embed(self, cover, bits, /):
        found = super().embed(cover, bits)
        return Embedding(found.image[:-1], 50.0, bits.size, self.name)


class WrongType(Least):
    """Returns floats."""

    def embed(self, cover, bits, /):
        found = super().embed(cover, bits)
        return Embedding(found.image / 255, 50.0, bits.size, self.name)


class NoEmbedding(Least):
    """Returns the array itself."""

    def embed(self, cover, bits, /) -> Any:
        return super().embed(cover, bits).image


class BadExtraction(Least):
    """Answers with what is in `answer`."""

    def __init__(self, *, answer: str):
        super().__init__()
        self.answer = answer

    def extract(self, image, /):
        bits = np.zeros(BITS, np.uint8)
        return {
            "none": None,
            "bits": Extraction("found", "bad", bits + 7),
            "status": Extraction("perhaps", "bad", bits),
            "p_value": Extraction("found", "bad", bits, p_value=float("nan")),
        }[self.answer]


class Vandal(Least):
    """Changes what it is given, and prints."""

    def embed(self, cover, bits, /):
        print("an advertisement")  # noqa: T201
        found = super().embed(cover, bits)
        cover[:] = 0
        bits[:] = 1 - bits
        return found

    def extract(self, image, /):
        found = super().extract(image)
        image[:] = 0
        return found


class Killer(Least):
    """Kills its own process on pictures whose first sample is 13."""

    def embed(self, cover, bits, /):
        if images.read(cover).array.flat[0] == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(cover, bits)
