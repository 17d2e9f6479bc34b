"""Codecs by name; a name loads its module only when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from morebits.errors import InputError, UnknownName
from morebits.types import Codec

#: Our own codecs: where each lives.
_HOMES = {
    "box": "morebits.codecs.box:Box",
    "shaped": "morebits.codecs.shaped:Shaped",
    "singular": "morebits.codecs.singular:Singular",
    "tiled": "morebits.codecs.tiled:Tiled",
    "trellis": "morebits.codecs.trellis:Trellis",
}

_registered: dict[str, Callable[..., Codec]] = {}


def codec(name: str, /, **options: Any) -> Codec:
    """The codec of this name, made with its own options.

    >>> codec("box", psnr=42).name
    'box'
    """
    make = maker(name)
    if name not in _HOMES:
        return make(**options)
    try:
        return make(**options)
    except TypeError as error:  # an option that this codec does not have
        raise InputError("options", sorted(options), f"{name} says: {error}") from None


def maker(name: str, /) -> Callable[..., Codec]:
    """What makes codecs of this name: its class, or what was registered.

    >>> maker("box").__name__
    'Box'
    """
    if name in _registered:
        return _registered[name]
    if name not in _HOMES:
        raise UnknownName("codec", name, names())
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def register(name: str, make: Callable[..., Codec], /) -> None:
    """Make your own codec known under a name: `make(**options)` must return a codec.

    >>> import numpy as np
    >>> from morebits.codecs.box import Box
    >>> register("my-box", Box)
    >>> codec("my-box", psnr=42).capacity(np.full((8, 8, 3), 128, np.uint8))
    445
    """
    if not (isinstance(name, str) and name and name.isprintable()):
        raise InputError("name", name, "give a printable name that is not empty")
    if name in _HOMES:
        raise InputError("name", name, "this name is one of ours, choose another")
    if not callable(make):
        raise InputError("make", make, "give a class or a function that returns a codec")
    _registered[name] = make


def names() -> list[str]:
    """Every name that `codec` takes.

    >>> "trellis" in names()
    True
    """
    return sorted({*_HOMES, *_registered})
