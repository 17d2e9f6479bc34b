"""Pilot, heads and messages in pixels: marked pictures with changes, forged heads, and noise."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import morebits as mb
from morebits.codecs.trellis import codec as trellis
from morebits.codecs.trellis.head import Head
from morebits.codecs.trellis.layout import Layout

_PAYLOAD = b"made by me"
#: Seconds for which a robust mark is looked for.
_SECONDS = 0.05
_KINDS = 5


@cache
def _marked(codec: str, gray: bool) -> NDArray[Any]:
    y, x = np.mgrid[0:72, 0:96]
    noise = np.random.default_rng(1).normal(0, 8, (72, 96, 3))
    waves = (120 + 60 * np.sin(x / 25) * np.cos(y / 31))[..., None]
    cover = np.clip(np.rint(waves + noise), 0, 255).astype(np.uint8)
    if gray:
        cover = cover[..., :1]
    return mb.hide(cover, _PAYLOAD, codec=codec, psnr=36).image


def check(data: bytes) -> None:
    """Two bytes say which picture, the others change it; no answer but the payload or none."""
    head = data[:20].ljust(20, b"\0")
    kind, gray, deep = head[0] % _KINDS, bool(head[0] & 64), bool(head[0] & 128)
    picture = _picture(kind, gray, data[2:], head)
    if deep:
        picture = picture.astype(np.uint16) * 257
    rows, columns = 1 + head[1] % 16, 1 + head[1] // 16
    picture = picture[: picture.shape[0] * rows // 16, : picture.shape[1] * columns // 16]
    if not picture.size:
        return
    found = mb.reveal(picture, seconds=_SECONDS)
    if found and kind != 4 and found.payload != _PAYLOAD:
        raise AssertionError(f"{found.payload!r} was never hidden")


def _picture(kind: int, gray: bool, rest: bytes, head: bytes) -> NDArray[Any]:
    if kind == 0:
        side = max(1, int(np.sqrt(len(rest) / 3)))
        pixels = np.frombuffer(rest.ljust(3, b"\0"), np.uint8)[: 3 * side * side]
        return pixels.reshape(side, side, 3)
    if kind == 1:
        return np.tile(np.resize(np.frombuffer(rest + b"\0", np.uint8), 24 * 32 * 3), 9).reshape(
            72, 96, 3
        )
    marked = _marked("robust" if kind == 2 else "trellis", gray).copy()
    flat = marked.reshape(-1)
    if kind == 4:
        _forge(flat, head, rest[18:])
    else:
        changes = np.frombuffer(rest, np.uint8)
        flat[: changes.size] ^= changes[: flat.size]
    return marked


def _forge(flat: NDArray[Any], head: bytes, body: bytes) -> None:
    """A head without a key that says anything, over a body that is anything."""
    changes = np.frombuffer(body, np.uint8)
    flat[200 : 200 + changes.size] ^= changes[: flat.size - 200]
    number = int.from_bytes(head[2:8], "big")
    forged = Head(
        head[8:20], number & 31, number >> 5 & 15, number >> 9 & 15, number >> 13 & (1 << 33) - 1
    )
    trellis._mark_heads(flat, Layout(flat.size), forged.pack(None), 255)
