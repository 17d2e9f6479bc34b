"""Samples for the tests of summaries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def sample():
    """Makes a record of a run; keywords replace fields."""

    def make(**fields):
        record = {
            "schema": 1,
            "run": "r",
            "codec": "box",
            "options": {},
            "image": "a.png",
            "attack": "none",
            "seed": 0,
            "bits": 64,
            "width": 32,
            "height": 32,
            "psnr": 42.0,
            "ssim": 0.99,
            "ms_ssim": None,
            "perceptual": {"ssimulacra2": 87.5},
            "fraction": 0.1,
            "status": "found",
            "bit_accuracy": 1.0,
            "exact": True,
            "capacity": 64.0,
            "p_value": 1e-9,
            "seconds": {"embed": 0.1, "attack": 0.0, "extract": 0.2, "metric": 0.01},
            "error": None,
        }
        assert not set(fields) - set(record)
        return record | fields

    return make
