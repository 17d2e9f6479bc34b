"""Codecs by name; a name loads its module only when it is asked for.

A name is one of ours, one that was registered in this program, or one that an installed package
offers as an entry point in the group `morebits.codecs`. `name:variant` gives the text behind the
colon to what is known as `name`, as its first argument.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from morebits.errors import InputError, UnknownName
from morebits.types import Codec

#: The networks that have a card (`morebits.neural.cards`).
_CARDS = (
    "chunkyseal",
    "hidden",
    "linear",
    "videoseal-0.0",
    "videoseal-1.0",
    "videoseal-128",
    "videoseal-32",
    "videoseal-tiny",
    "videoseal-tiny-128",
    "videoseal-tiny-64",
)

#: Our own codecs: where each lives, and its first argument, if it shares its home with others.
_HOMES = {
    "box": "morebits.codecs.box:Box",
    "mbrs": "morebits.neural.makers:pair:mbrs",
    "mosaic": "morebits.neural.mosaic:Mosaic",
    "neural": "morebits.neural.makers:make",
    "onnx": "morebits.neural.makers:onnx",
    "robust": "morebits.codecs.robust:Robust",
    "shaped": "morebits.codecs.shaped:Shaped",
    "singular": "morebits.codecs.singular:Singular",
    "tiled": "morebits.codecs.tiled:Tiled",
    "trellis": "morebits.codecs.trellis:Trellis",
    "trustmark-q": "morebits.neural.makers:pair:trustmark-q",
    "videoseal": "morebits.neural.makers:videoseal",
    "wam": "morebits.neural.makers:pair:wam",
    **{name: f"morebits.neural.makers:make:{name}" for name in _CARDS},
}

#: The group of entry points in which packages offer codecs; ours are the benchmark's peers.
GROUP = "morebits.codecs"

_registered: dict[str, Callable[..., Codec]] = {}


def codec(name: str, /, **options: Any) -> Codec:
    """The codec of this name, made with its own options.

    >>> codec("box", psnr=42).name
    'box'
    """
    make = maker(name)
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:  # an option that this codec does not have, or one that it needs
        takes = ", ".join(str(each) for each in inspect.signature(make).parameters.values())
        raise InputError("options", sorted(options), f"{name} takes {takes} ({error})") from None
    except ValueError:  # written in C, without a signature
        pass
    return make(**options)


def maker(name: str, /) -> Callable[..., Codec]:
    """What makes codecs of this name: its class, what was registered, or a package's offer.

    >>> maker("box").__name__
    'Box'
    """
    if not isinstance(name, str):
        raise InputError("codec", name, "give a name, such as trellis")
    base, colon, variant = name.partition(":")
    if name in _registered:
        return _registered[name]
    if name in _HOMES:
        module, attribute, *first = _HOMES[name].split(":")
        make = getattr(importlib.import_module(module), attribute)
        return partial(make, *first) if first else make
    if colon and variant and base in _registered:
        return partial(_registered[base], variant)
    offer = _offer(base)
    if offer is None or (colon and not variant):
        raise UnknownName("codec", name, names())
    return partial(offer, variant) if variant else offer


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
    """Every name that `codec` takes; some take variants too, as in `name:variant`.

    >>> "trellis" in names()
    True
    """
    return sorted({*_HOMES, *_registered, *offered()})


def offered() -> dict[str, str]:
    """The names that installed packages offer, and the package of each.

    >>> offered()["blind-watermark"]
    'morebits'
    """
    return {each.name: _package(each) for each in entry_points(group=GROUP)}


def _offer(name: str) -> Callable[..., Codec] | None:
    """What a package offers under this name."""
    found = {each.value: each for each in entry_points(group=GROUP, name=name)}
    if not found:
        return None
    if len(found) > 1:
        packages = " and ".join(sorted(_package(each) for each in found.values()))
        raise InputError("name", name, f"offered by {packages}: uninstall one of them")
    (point,) = found.values()
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        expected = f"{_package(point)} offers it as {point.value}, but: {error}"
        raise InputError("name", name, expected) from error


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "a package without a name"
