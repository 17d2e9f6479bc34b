"""Shared by all tests: steady hypothesis runs, Ctrl-C, the bundled photo, and a real browser."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

sys.path.append(str(Path(__file__).parent))  # for system_browser

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# A shell starts what runs in its background with Ctrl-C ignored, and every process that a test
# starts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).resolve().parents[1]


#: `once(name, fill)`: a folder that `fill(folder)` has filled.
Once: TypeAlias = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Once:
    """What takes long to make is made by one test process, for all of them."""
    import fcntl

    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                folder.mkdir(exist_ok=True)
                fill(folder)
                done.touch()
        return folder

    return make


@pytest.fixture(scope="session")
def photo() -> Path:
    """A real photo, 512x600 RGB, that comes with matplotlib."""
    import matplotlib.cbook

    return Path(str(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)))


@pytest.fixture(scope="session")
def chromium() -> str:
    """The system's browser, installed if need be; never skipped where CI is set."""
    from system_browser import NoBrowser, find_or_install

    try:
        return find_or_install()
    except NoBrowser as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A headless browser that talks to nobody but our pages."""
    from playwright.sync_api import sync_playwright

    from system_browser import FLAGS

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield opened
        opened.close()
