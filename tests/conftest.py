"""Shared by all tests: steady hypothesis runs, and the bundled photo."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def photo() -> Path:
    """A real photo, 512x600 RGB, that comes with matplotlib."""
    import matplotlib.cbook

    return Path(str(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)))
