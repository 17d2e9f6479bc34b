"""A real server on a free port, and a small photo."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from app_client import Client, running


@pytest.fixture(scope="module")
def page() -> Iterator[Client]:
    """One page for the tests of a module."""
    with running(jobs=1) as client:
        yield client


@pytest.fixture(scope="session")
def small(photo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A part of the bundled photo, 320x288, as PNG."""
    from PIL import Image

    path = tmp_path_factory.mktemp("app") / "small.png"
    with Image.open(photo) as whole:
        whole.crop((100, 40, 420, 328)).save(path)
    return path
