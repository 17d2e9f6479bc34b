"""The same pixels from the same input, key and payload, however many threads and whichever kernels.

Where floating point decides about pixels (`robust`, `mosaic`) other kernels may round otherwise;
then what is read is the same, and the margin is shown.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import determinism_digests
import morebits as mb
from morebits.codecs.robust import decoding

GOLDEN = Path(__file__).parent / "codecs" / "golden"
MARKS = json.loads((GOLDEN / "robust-marks-1.json").read_text())
#: Codecs whose pixels are made of whole numbers, or of floats that are rounded with a margin.
EXACT = ("trellis", "box", "shaped", "tiled")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def run(folder, names, **settings):
    """Digests and payloads of a process with these settings."""
    script = Path(__file__).with_name("determinism_digests.py")
    done = subprocess.run(
        [sys.executable, script, folder, *names],
        env={**os.environ, **dict.fromkeys(THREADS, "1"), **settings},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("marked")


@pytest.fixture(scope="module")
def plain(folder):
    """One thread, compiled, this machine's kernels."""
    found = run(folder, determinism_digests.CODECS)
    assert {each["read"] for each in found.values()} == {"the same"}
    return found


def test_more_threads(plain, folder):
    assert run(folder, plain, **dict.fromkeys(THREADS, "4")) == plain


def test_without_numba(plain, folder):
    assert run(folder, plain, NUMBA_DISABLE_JIT="1") == plain


def test_other_kernels(plain, folder):
    """Of BLAS and numpy, which round otherwise: the same pixels, or the same message."""
    found = run(
        folder, plain, OPENBLAS_CORETYPE="Prescott", NUMBA_CPU_NAME="generic",
        NPY_DISABLE_CPU_FEATURES=" ".join(switchable()),
    )  # fmt: skip
    assert {name: found[name] for name in EXACT} == {name: plain[name] for name in EXACT}
    assert {each["read"] for each in found.values()} == {"the same"}


def switchable():
    """What numpy can do without on this machine."""
    from numpy._core import _multiarray_umath as core

    return [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]


@pytest.mark.parametrize("name", ["trellis", "box", "robust"])
def test_at_the_same_time_in_several_threads(name):
    side, options = determinism_digests.CODECS[name]
    cover = determinism_digests.cover(name, side)

    def mark(_):
        return mb.hide(cover, b"the same", key="k", codec=name, **options).image.tobytes()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(mark, range(8)))) == 1


class TestMargin:
    """Floats of the robust decoder, each off by a part of itself: the message is the same."""

    @pytest.fixture
    def shaken(self, monkeypatch):
        """Makes maps and rectified planes inexact; `calls` says that it did."""
        calls = []

        def shake(part):
            rng, straight = np.random.default_rng(8), decoding.rectify

            def rectify(plane, clipped, matrix, *args, **words):
                calls.append(part)
                found = straight(plane, clipped, off(matrix), *args, **words)
                return found and replace(found, plane=off(found.plane))

            def off(values):
                noise = 1 + part * rng.uniform(-1, 1, np.shape(values))
                return (values * noise).astype(np.asarray(values).dtype)

            monkeypatch.setattr(decoding, "rectify", rectify)
            return calls

        return shake

    @pytest.mark.parametrize("mark", MARKS, ids=lambda each: each["file"])
    @pytest.mark.parametrize("part", [1e-6, 1e-4])
    def test_the_same_message(self, shaken, mark, part):
        calls = shaken(part)
        found = mb.reveal(GOLDEN / mark["file"], key=mark["key"], codec="robust", seconds=60)
        assert calls
        assert found.payload is not None
        assert found.payload.hex() == mark["payload"]
