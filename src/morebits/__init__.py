"""How many bits can an image hide? And: hide them.

    >>> import morebits as mb
    >>> fmt = mb.ImageFormat(width=256, height=256)
    >>> round(mb.capacity(fmt, psnr=42).bits)
    602673

Names are loaded when they are first used, so `import morebits` itself costs almost nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from morebits import attacks, bounds, linear
    from morebits.bench.benchmark import benchmark
    from morebits.codecs.pilot import locate
    from morebits.codecs.registry import codec, register
    from morebits.errors import MorebitsError
    from morebits.hiding import Marked, hide, reveal, room
    from morebits.measure import Curve, capacity, curve
    from morebits.provenance.signing import Signed, sign
    from morebits.provenance.verifying import Verification, verify
    from morebits.train.config import TrainConfig
    from morebits.train.fitting import fit
    from morebits.types import Capacity, Codec, Embedding, Extraction, ImageFormat

__version__ = "0.1.0"

__all__ = [
    "Capacity",
    "Codec",
    "Curve",
    "Embedding",
    "Extraction",
    "ImageFormat",
    "Marked",
    "MorebitsError",
    "Signed",
    "TrainConfig",
    "Verification",
    "__version__",
    "attacks",
    "benchmark",
    "bounds",
    "capacity",
    "codec",
    "curve",
    "fit",
    "hide",
    "linear",
    "locate",
    "register",
    "reveal",
    "room",
    "sign",
    "verify",
]

#: Where each public name lives; a subpackage is its own home.
_HOMES = {
    "Capacity": "morebits.types",
    "Codec": "morebits.types",
    "Curve": "morebits.measure",
    "Embedding": "morebits.types",
    "Extraction": "morebits.types",
    "ImageFormat": "morebits.types",
    "Marked": "morebits.hiding",
    "MorebitsError": "morebits.errors",
    "Signed": "morebits.provenance.signing",
    "TrainConfig": "morebits.train.config",
    "Verification": "morebits.provenance.verifying",
    "attacks": "morebits.attacks",
    "benchmark": "morebits.bench.benchmark",
    "bounds": "morebits.bounds",
    "capacity": "morebits.measure",
    "codec": "morebits.codecs.registry",
    "curve": "morebits.measure",
    "fit": "morebits.train.fitting",
    "hide": "morebits.hiding",
    "linear": "morebits.linear",
    "locate": "morebits.codecs.pilot",
    "register": "morebits.codecs.registry",
    "reveal": "morebits.hiding",
    "room": "morebits.hiding",
    "sign": "morebits.provenance.signing",
    "verify": "morebits.provenance.verifying",
}


if not TYPE_CHECKING:  # a type checker sees the imports above, and misspelt names too

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'morebits' has no attribute {name!r}")
        module = importlib.import_module(home)
        value = module if home == f"morebits.{name}" else getattr(module, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
