"""The order in which coded bits are sent: a permutation from ChaCha20, the same everywhere."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.keys import keystream

#: The order when no key is given: public, and the same for everybody.
PUBLIC = hashlib.blake2b(digest_size=32, person=b"morebits ldpc").digest()


def permutation(length: int, key32: bytes = PUBLIC) -> NDArray[np.int64]:
    """0 to length - 1 in the order of 64-bit little-endian words of the key's stream.

    >>> permutation(8).tolist()
    [7, 6, 5, 1, 4, 2, 0, 3]
    """
    words = np.frombuffer(keystream(key32, 8 * length), "<u8")
    return np.argsort(words, kind="stable")  # equal words, if ever, stay in their order
