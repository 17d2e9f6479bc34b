"""On which machine and with which versions something was measured."""

from __future__ import annotations

import os
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from morebits.bench.perceptual import PERCEPTUAL, problem

#: Beside our own requirements: what the peers compute with.
_PEERS = (
    "blind-watermark",
    "dask",
    "distributed",
    "invisible-watermark",
    "onnxruntime",
    "opencv-python",
    "opencv-python-headless",
    "PyWavelets",
    "torch",
)


def machine() -> dict[str, Any]:
    """Processor, system and Python; nothing that tells who the owner is.

    `metrics` has the perceptual metrics that cannot run here, and why.

    >>> sorted(machine())
    ['cores', 'metrics', 'processor', 'python', 'system']
    """
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "metrics": _metrics(),
    }


def packages() -> dict[str, str]:
    """Versions of what we compute with, as far as it is installed.

    >>> "numpy" in packages()
    True
    """
    try:
        ours = [
            re.split(r"[^A-Za-z0-9._-]", each, maxsplit=1)[0]
            for each in metadata.requires("morebits") or ()
            if "extra ==" not in each
        ]
    except metadata.PackageNotFoundError:  # run from its sources
        ours = ["numpy", "scipy", "pillow", "numba"]
    return {name: version for name in (*ours, *_PEERS) if (version := _version(name))}


def _metrics() -> dict[str, str]:
    reasons = {name: problem(name) for name in PERCEPTUAL}
    home = str(Path.home())  # packages that do not load may name their files
    return {name: why.replace(home, "~") for name, why in reasons.items() if why is not None}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    """The model's name where the system tells it."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
