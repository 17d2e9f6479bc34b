"""What the soak does: every trip is a pure function of the seed and its number."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.images import Picture

#: Codec -> share of the trips.
_CODECS = {
    "trellis": 0.69, "box": 0.2, "shaped": 0.08, "tiled": 0.02, "robust": 0.008, "mosaic": 0.002,
}  # fmt: skip
#: Those that solid pictures are for; the box knows mid-gray only.
_SOLID = ("box", "shaped")
#: Those whose marks survive edits; their room is a prediction that takes seconds.
STURDY = ("robust", "mosaic")

_SHAPES = {"gray": 1, "rgb": 3}
_DEPTHS = {8: np.uint8, 16: np.uint16}
#: Formats by mode; lossless ones hold every mark.
_FORMATS = {
    ("gray", 8): ("png", "tif", "jp2", "bmp", "pgm", "pnm"),
    ("rgb", 8): ("png", "tif", "jp2", "bmp", "ppm", "webp"),
    ("gray", 16): ("png", "tif", "jp2", "pgm"),
    ("rgb", 16): ("png", "tif", "jp2", "ppm"),
}
_WITH_ALPHA = ("png", "tif", "jp2", "webp")
_LOSSY = ("jpg", "avif")

#: Payloads by size: the room is that of the picture, "double" is twice the room and 64 bytes.
_PAYLOADS = {
    "0": 0.21, "1": 0.21, "room - 1": 0.18, "room": 0.21, "room + 1": 0.12, "double": 0.03,
    "fill": 0.04,
}  # fmt: skip
_STURDY_PAYLOADS = {"0": 0.25, "1": 0.25, "16": 0.4, "room": 0.05, "room + 1": 0.05}

#: Keys by script; None is no key. Each text is one that some normalisation would change or break.
KEYS: dict[str, str | bytes | None] = {
    "none": None,
    "Latin": "correct horse battery staple",
    "accents": "Zażółć gęślą jaźń",
    "Cyrillic": "съешь ещё этих мягких французских булок",
    "CJK": "天地玄黃 宇宙洪荒",
    "Arabic": "نص حكيم له سر قاطع",
    "emoji": "🔑👩‍👩‍👧‍👦🏳️‍🌈",
    "combining": "e\u0301u\u0308o\u0328n\u0303\u0323",
    "bytes": bytes(range(256)),
}
_KEY_SHARES = (0.68, *[0.04] * 8)

#: The large ones: codec, mode, depth, width, height, suffix, payload.
_HUGE = (
    ("robust", "rgb", 8, 8660, 5774, "jpg", "16"),
    ("trellis", "rgb", 8, 8660, 5774, "ppm", "1"),
    ("box", "gray", 8, 7071, 7072, "png", "0"),
    ("trellis", "gray", 16, 7071, 7072, "tif", "room"),
    ("trellis", "rgb", 8, 4000, 3000, "webp", "room - 1"),
    ("robust", "gray", 8, 4000, 3000, "png", "1"),
    ("box", "rgb", 8, 4000, 3000, "bmp", "room"),
    ("trellis", "rgb", 16, 2000, 1500, "jp2", "room + 1"),
)


@dataclass(frozen=True)
class Case:
    """One trip: a cover, a payload and a key, and the file that carries them."""

    number: int
    codec: str
    mode: str
    depth: int
    alpha: bool
    width: int
    height: int
    texture: str
    suffix: str
    payload: str
    key: str
    psnr: float

    def plain(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)

    @property
    def size(self) -> str:
        """In words."""
        pixels = self.width * self.height
        for name, most in (("up to 64 px", 64), ("up to 4,096 px", 4096), ("up to 1 MP", 10**6)):
            if pixels <= most:
                return name
        return "up to 50 MP"


def case(seed: int, number: int, trips: int) -> Case:
    """The trip of this number; the large ones are spread evenly over all `trips`."""
    rng = _rng(seed, number)
    place, rest = divmod(number * len(_HUGE), trips)
    if rest < len(_HUGE):
        codec, mode, depth, width, height, suffix, payload = _HUGE[place]
        alpha = False
    else:
        codec, alpha = _pick(rng, _CODECS), bool(rng.random() < 0.25)
        width, height = _sides(rng, codec)
        mode, depth = str(rng.choice(list(_SHAPES))), int(rng.choice([8, 8, 16]))
        suffix = _suffix(rng, codec, mode, depth, alpha=alpha)
        payload = _pick(rng, _STURDY_PAYLOADS if codec in STURDY else _PAYLOADS)
        alpha = alpha and suffix in _WITH_ALPHA
        if payload == "fill" and codec not in ("trellis", "box"):
            payload = "room"
    texture = "solid" if codec in _SOLID else str(rng.choice(["noise", "slopes", "edges", "flat"]))
    if codec in STURDY and texture in ("flat", "edges"):
        texture = "slopes"
    key = str(rng.choice(list(KEYS), p=_KEY_SHARES))
    psnr = float(rng.choice([36.0, 40.0] if codec in STURDY else [30.0, 36.0, 42.0, 48.0]))
    return Case(
        number, codec, mode, depth, alpha, width, height, texture, suffix, payload, key, psnr
    )


def warm_up() -> list[Case]:
    """Trips that count for nothing: every codec with every key, which compiles and loads.

    And a trellis in segments of the largest size: it keeps the memory that it decides in, which
    grows to 134 MB and no further.
    """
    small = Case(0, "trellis", "rgb", 8, False, 160, 144, "slopes", "png", "1", "none", 40.0)
    every = [
        replace(small, codec=codec, key=key, texture="solid" if codec in _SOLID else "slopes")
        for codec in _CODECS
        for key in KEYS
    ]
    long = replace(small, mode="gray", depth=16, width=512, height=512, payload="room")
    return [*every, long]


def cover(seed: int, case: Case) -> Picture:
    """The picture of a trip."""
    rng = _rng(seed, case.number, 1)
    shape = case.height, case.width, _SHAPES[case.mode]
    top, kind = 2**case.depth - 1, _DEPTHS[case.depth]
    array = _samples(rng, case.texture, shape, top).astype(kind)
    alpha = rng.integers(0, top + 1, shape[:2]).astype(kind) if case.alpha else None
    array.flags.writeable = False
    return Picture(array, case.depth, f"trip {case.number}", alpha=alpha)


def noise(seed: int, case: Case, size: int) -> bytes:
    """Bytes that do not compress."""
    return _rng(seed, case.number, 2).bytes(size)


def _rng(*words: int) -> np.random.Generator:
    return np.random.default_rng(words)


def _pick(rng: np.random.Generator, shares: dict[str, float]) -> str:
    return str(rng.choice(list(shares), p=list(shares.values())))


def _sides(rng: np.random.Generator, codec: str) -> tuple[int, int]:
    """Mostly small, of any shape; logarithms are even."""
    if codec in STURDY:
        low, high = 40, 224
    elif codec == "tiled":
        low, high = 12, 48
    else:
        low, high = ((1, 12), (8, 48), (48, 128), (128, 800))[
            int(rng.choice(4, p=[0.12, 0.82, 0.056, 0.004]))
        ]
    side = np.exp(rng.uniform(np.log(low), np.log(high + 1), 2))
    return int(side[0]), int(side[1])


def _suffix(
    rng: np.random.Generator, codec: str, mode: str, depth: int, *, alpha: bool
) -> str:  # fmt: skip
    known = _FORMATS[mode, depth]
    if alpha:
        known = tuple(each for each in known if each in _WITH_ALPHA)
    elif codec in STURDY:
        known = (*known, *_LOSSY)
    return str(rng.choice(known))


def _samples(
    rng: np.random.Generator, texture: str, shape: tuple[int, ...], top: int
) -> NDArray[Any]:  # fmt: skip
    if texture == "solid":
        return np.full(shape, (top + 1) // 2, np.uint16)
    if texture == "flat":
        return np.full(shape, rng.integers(0, top + 1), np.uint16)
    if texture == "noise":
        return rng.integers(0, top + 1, shape, np.uint16)
    if texture == "edges":  # black and white only: no sample can go both ways
        return rng.integers(0, 2, shape, np.uint16) * np.uint16(top)
    y, x, c = np.ogrid[: shape[0], : shape[1], : shape[2]]
    slopes = np.float32(0.5) + 0.25 * np.sin(x / np.float32(17) + c, dtype=np.float32)
    slopes = slopes + np.float32(0.15) * np.cos(y / np.float32(23), dtype=np.float32)
    slopes += rng.normal(0, 0.03, shape).astype(np.float32)
    return np.clip(slopes * top, 0, top)
