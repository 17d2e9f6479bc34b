"""Debian's chromium for the browser tests: found, or installed on the spot."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class NoBrowser(Exception):
    """There is none, and it cannot be installed: why, and what to do."""


def find_or_install() -> str:
    """The path of a browser; `apt-get` installs one for root where there is none."""
    if (found := _found()) is not None:
        return found
    if shutil.which("apt-get") is None or os.getuid() != 0:
        raise NoBrowser("no chromium here: install it, for example with apt-get install chromium")
    import fcntl

    with (Path(tempfile.gettempdir()) / "morebits-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # test processes run side by side
        if (found := _found()) is None:
            _install()
    if (found := _found()) is None:
        raise NoBrowser("apt-get installed chromium, but it is nowhere to be found")
    return found


def _found() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def _install() -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        command = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", *words]
        run = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=900, check=False
        )
        if run.returncode:
            raise NoBrowser(f"{' '.join(command)} failed: {run.stderr.strip()[-500:]}")
