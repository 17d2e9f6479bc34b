"""Codecs as people write them: `trellis`, or `trellis:psnr=42,states=256`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from morebits.bench.records import label
from morebits.codecs import registry
from morebits.errors import InputError, MorebitsError
from morebits.types import Codec

#: A name, then options from the first colon on that has `word=` behind it.
_SPEC = re.compile(r"(?P<name>.*?)(?::(?P<options>\w+=.*))?", re.DOTALL)


@dataclass(frozen=True)
class CodecSpec:
    """A codec's name and options, and what makes it; this is what travels to the workers."""

    name: str
    options: Mapping[str, Any]
    maker: Callable[..., Codec] = field(repr=False, compare=False)

    @property
    def label(self) -> str:
        """As one writes it, with the options in order."""
        return label(self.name, self.options)

    def make(self) -> Codec:
        """The codec itself."""
        return self.maker(**self.options)


def parse(text: str) -> CodecSpec:
    """The codec behind a name with options, after one was made: a slip shows before any work.

    Options are `name=value` with commas between; values are whole numbers, decimals, `true`,
    `false`, `none` and else text. Names may have colons: where the whole text is a known name
    it is that codec; otherwise options begin at the first colon that has `word=` behind it. So
    `invisible-watermark:dwtDctSvd` is all name, and `videoseal:weights=C:/w.jit` is not.

    >>> spec = parse("trellis:states=256,psnr=42")
    >>> spec.name, spec.options, spec.label
    ('trellis', {'states': 256, 'psnr': 42}, 'trellis:psnr=42,states=256')
    """
    if not isinstance(text, str):
        raise InputError("codec", text, 'give a name, such as "trellis:psnr=42"; mb.register yours')
    name, options = text, {}
    if text not in registry.names() and (found := _SPEC.fullmatch(text)):
        name, options = found["name"], _options(found["options"] or "", text)
    try:
        made = registry.codec(name, **options)
    except MorebitsError:
        raise
    except Exception as error:  # noqa: BLE001  the constructor may be anybody's
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError("codec", text, f"cannot be made ({reason}), check its options") from None
    for need in ("capacity", "embed", "extract"):
        if not callable(getattr(made, need, None)):
            raise InputError("codec", text, f"{type(made).__name__} has no {need}(), give it one")
    return CodecSpec(name, options, registry.maker(name))


def parse_all(texts: str | Iterable[str]) -> tuple[CodecSpec, ...]:
    """One codec or several, each once.

    >>> [each.label for each in parse_all(["box", "trellis", "box"])]
    ['box', 'trellis']
    """
    words = [texts] if isinstance(texts, str) else list(texts)
    if not words:
        raise InputError("codecs", words, "give at least one, such as trellis")
    return tuple({each.label: each for each in map(parse, words)}.values())


def _options(text: str, spec: str) -> dict[str, Any]:
    """`name=value,name=value`; a comma that has no `word=` behind it belongs to the value."""
    found: dict[str, Any] = {}
    for part in re.split(r",(?=\w+=)", text) if text else ():
        name, _, value = part.partition("=")
        if name in found:
            raise InputError("codec", spec, f"has {name} twice, give it once")
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    """A number, a truth, None, or the text.

    >>> [_value(word) for word in ("42", "42.0", "0.5", "true", "none", "a.onnx")]
    [42, 42, 0.5, True, None, 'a.onnx']
    """
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        number = float(text)
    except ValueError:
        return text
    if not math.isfinite(number):  # "inf" and "nan" are words here: results are JSON
        return text
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    return int(number) if number.is_integer() else number
