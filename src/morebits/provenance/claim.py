"""What a signer says of a picture, as few bytes as possible.

The claim is a CBOR map with small numbers as keys: the names below cost nothing in the pixels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from morebits.errors import InputError, ManifestError, NewerFormat
from morebits.provenance import cbor

VERSION = 1
#: Most bytes of a text, in UTF-8, and most actions: what is longer has no place in pixels.
MAX_TEXT, MAX_ACTIONS = 200, 32
#: What the names of C2PA's own actions begin with; of the others all is stored.
_C2PA = "c2pa."
#: Keys of the map.
_VERSION, _TIME, _SIZE, _DESCRIPTION, _TITLE, _CREATOR, _ACTIONS, _SIGNER = range(8)
_NEEDED = {_VERSION, _TIME, _SIZE, _DESCRIPTION}
_MAX_SIDE = 2**31 - 1


@dataclass(frozen=True)
class Claim:
    """One claim. `time` is the signer's clock, in whole seconds UTC; sizes are pixels.

    `description` is what `description.describe` says of the picture, `actions` are the edits that
    the signer declares (C2PA's names), and `signer` is the name in the certificate, kept where
    the certificate is not. All are the signer's words.

    >>> made = Claim(datetime(2026, 1, 2, tzinfo=UTC), 640, 480, b"..", actions=("c2pa.cropped",))
    >>> len(made.encode()), Claim.decode(made.encode()) == made
    (32, True)
    """

    time: datetime
    width: int
    height: int
    description: bytes = field(repr=False)
    title: str | None = None
    creator: str | None = None
    actions: tuple[str, ...] = ()
    signer: str | None = None

    def __post_init__(self) -> None:
        for name in ("title", "creator", "signer"):
            text = getattr(self, name)
            if text is not None:
                _check_text(name, text)
        if len(self.actions) > MAX_ACTIONS:
            raise InputError("actions", len(self.actions), f"give at most {MAX_ACTIONS}")
        for action in self.actions:
            _check_action(action)

    def encode(self) -> bytes:
        """The bytes that are signed."""
        plain: dict[int, Any] = {
            _VERSION: VERSION,
            _TIME: math.floor(self.time.timestamp()),
            _SIZE: [self.width, self.height],
            _DESCRIPTION: self.description,
        }
        texts = {_TITLE: self.title, _CREATOR: self.creator, _SIGNER: self.signer}
        plain |= {key: text for key, text in texts.items() if text is not None}
        if self.actions:
            plain[_ACTIONS] = [_short(each) for each in self.actions]
        return cbor.encode(plain)

    @classmethod
    def decode(cls, data: bytes) -> Claim:
        """The claim of exactly these bytes; ManifestError, or NewerFormat for a later version."""
        plain = cbor.decode(data)
        if not isinstance(plain, dict) or not all(type(key) is int for key in plain):
            raise ManifestError("the claim is no map")
        version = _take(plain, _VERSION, int)
        if version > VERSION:
            raise NewerFormat("the manifest in the pixels", str(version), str(VERSION))
        if version != VERSION or not _NEEDED <= set(plain) <= set(range(8)):
            raise ManifestError("the claim has other fields")
        width, height = _size(plain)
        try:
            return cls(
                _time(plain), width, height, _take(plain, _DESCRIPTION, bytes),
                title=_take(plain, _TITLE, str, None), creator=_take(plain, _CREATOR, str, None),
                actions=_actions(plain), signer=_take(plain, _SIGNER, str, None),
            )  # fmt: skip
        except InputError as error:  # what nobody could have signed with us
            raise ManifestError(str(error)) from None

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, ready for JSON; without the description."""
        return {
            "time": self.time.isoformat(),
            "size": [self.width, self.height],
            "title": self.title,
            "creator": self.creator,
            "actions": list(self.actions),
        }


_MISSING: Any = object()


def _take(plain: Mapping[int, Any], key: int, kind: type, default: Any = _MISSING) -> Any:
    """A field of exactly this type: True is no number here."""
    value = plain.get(key, _MISSING)
    if value is _MISSING and default is not _MISSING:
        return default
    if type(value) is not kind:
        raise ManifestError(f"field {key} of the claim is no {kind.__name__}")
    return value


def _size(plain: Mapping[int, Any]) -> tuple[int, int]:
    sides = _take(plain, _SIZE, list)
    if len(sides) != 2 or not all(type(each) is int and 1 <= each <= _MAX_SIDE for each in sides):
        raise ManifestError("the size is none")
    return sides[0], sides[1]


def _time(plain: Mapping[int, Any]) -> datetime:
    seconds = _take(plain, _TIME, int)
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise ManifestError("the time is none") from None


def _actions(plain: Mapping[int, Any]) -> tuple[str, ...]:
    stored = _take(plain, _ACTIONS, list, [])
    if (_ACTIONS in plain and not stored) or not all(type(each) is str for each in stored):
        raise ManifestError("the actions are none")
    actions = tuple(_C2PA + each[1:] if each.startswith(".") else each for each in stored)
    if [_short(each) for each in actions] != stored:
        raise ManifestError("an action is not written as it should be")
    return actions


def _short(action: str) -> str:
    """C2PA's own prefix as a single dot."""
    return "." + action.removeprefix(_C2PA) if action.startswith(_C2PA) else action


def _check_action(action: str) -> None:
    _check_text("action", action)
    if action.startswith(".") or "." not in action or not action.isprintable():
        expected = "give a name as in C2PA, such as c2pa.cropped or c2pa.color_adjustments"
        raise InputError("action", action, expected)


def _check_text(name: str, text: str) -> None:
    if not isinstance(text, str) or not text:
        raise InputError(name, text, "give a text, or leave it out")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InputError(name, text, "give a text of valid Unicode") from None
    if size > MAX_TEXT:
        raise InputError(name, text, f"has {size:,} bytes, give at most {MAX_TEXT}")
