"""CBOR with one spelling for every value: what is read must be what we would have written.

So no byte of a manifest can be changed without changing what it says (RFC 8949, section 4.2).
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from morebits.errors import ManifestError, MissingExtra

#: Deeper containers than this are not ours.
_DEPTH = 4


def encode(value: Any) -> bytes:
    """The only encoding of a value.

    >>> encode({2: "b", 1: [b"a", -7]}).hex()
    'a20182416126026162'
    """
    return _library().dumps(value, canonical=True)


def decode(data: bytes) -> Any:
    """The value of its only encoding; ManifestError for any other bytes.

    >>> decode(bytes.fromhex("a10102"))
    {1: 2}
    >>> decode(bytes.fromhex("a1011802"))
    Traceback (most recent call last):
        ...
    morebits.errors.ManifestError: the manifest is not what morebits writes (its CBOR ...
    """
    cbor2 = _library()
    try:
        value = cbor2.loads(
            data, max_depth=_DEPTH, allow_indefinite=False, allow_duplicate_keys=False
        )
        again = cbor2.dumps(value, canonical=True)
    except (cbor2.CBORError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ManifestError(f"its CBOR is broken: {error}") from None
    if again != data:
        raise ManifestError("its CBOR is not canonical")
    return value


def _library() -> ModuleType:
    try:
        import cbor2
    except ImportError:
        raise MissingExtra("cbor2", "c2pa") from None
    return cbor2
