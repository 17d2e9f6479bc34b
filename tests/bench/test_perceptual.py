from __future__ import annotations

import sys

import numpy as np
import pytest
from bench_pictures import cover, mark

from morebits.bench import perceptual
from morebits.errors import InputError, MissingExtra, UnknownName

# What the real packages have of what we call; scores are such that a wrong order shows.
LPIPS = """
class LPIPS:
    def __init__(self, net, verbose):
        assert (net, verbose) == ("alex", False)
    def __call__(self, left, right):
        return (abs(left - right)).mean()
def im2tensor(image):
    return image / 127.5 - 1
"""
CVVDP = """
class cvvdp:
    def __init__(self, display_name, quiet):
        assert (display_name, quiet) == ("standard_4k", True)
    def predict(self, test, reference, dim_order):
        assert dim_order == "HWC" and test.shape[2] == 3
        return 10 - (test.astype(float) - reference).mean(), None
"""
WEIGHTS = "alexnet-owt-7be5be79.pth"


@pytest.fixture(autouse=True)
def fresh():
    """Nothing that one test loaded is there for the next."""
    perceptual._loaded.cache_clear()
    yield
    perceptual._loaded.cache_clear()
    for name in ("lpips", "pycvvdp"):
        sys.modules.pop(name, None)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a package of this text in front of all others."""

    def put(name: str, text: str):
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        sys.modules.pop(name, None)

    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    return put


@pytest.fixture
def hidden(monkeypatch):
    """Every package is absent."""
    for name, metric in perceptual.PERCEPTUAL.items():
        absent = metric._replace(module=f"absent_{name}")
        monkeypatch.setitem(perceptual.PERCEPTUAL, name, absent)


class TestSSIMULACRA2:
    def test_as_the_package_says(self):
        pytest.importorskip("ssimulacra2")
        # compute_ssimulacra2 of ssimulacra2 0.3.0 on both pictures as PNG files.
        picture = cover(256, 264, 3)
        found = perceptual.score("ssimulacra2", picture, mark(picture))
        assert found == pytest.approx(72.14055838666482, abs=1e-6)
        assert perceptual.available("ssimulacra2")

    def test_gray_is_three_equal_channels(self):
        pytest.importorskip("ssimulacra2")
        gray = cover(256, 256, 1)
        found = perceptual.score("ssimulacra2", gray, mark(gray))
        both = (np.repeat(each, 3, axis=2) for each in (gray, mark(gray)))
        assert found == perceptual.score("ssimulacra2", *both)
        assert found == perceptual.score("ssimulacra2", gray[..., 0], mark(gray)[..., 0])

    def test_not_defined_for_small_or_deep_pictures(self):
        pytest.importorskip("ssimulacra2")
        small, deep = cover(255, 300, 3), cover(256, 256, 3).astype(np.uint16)
        assert perceptual.score("ssimulacra2", small, small) is None
        assert perceptual.score("ssimulacra2", deep, deep) is None

    def test_not_taken_where_it_would_fill_the_memory(self):
        pytest.importorskip("ssimulacra2")
        large = np.zeros((2001, 2000, 3), np.uint8)
        assert perceptual.score("ssimulacra2", large, large) is None


class TestLPIPS:
    def test_never_downloads(self, install):
        install("lpips", LPIPS)
        assert perceptual.problem("lpips") == (
            f"lpips does not load: its weights {WEIGHTS} are not in TORCH_HOME"
        )

    def test_with_weights(self, install, tmp_path):
        install("lpips", LPIPS)
        folder = tmp_path / "torch" / "hub" / "checkpoints"
        folder.mkdir(parents=True)
        (folder / WEIGHTS).touch()
        picture = np.full((32, 32, 3), 100, np.uint8)
        assert perceptual.available("lpips")
        assert perceptual.score("lpips", picture, picture + np.uint8(51)) == pytest.approx(0.4)
        assert perceptual.score("lpips", picture[:31], picture[:31]) is None

    def test_torch_keeps_weights_in_the_cache(self, monkeypatch, tmp_path):
        monkeypatch.delenv("TORCH_HOME", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert perceptual._torch_home() == tmp_path / "torch"


class TestCVVDP:
    def test_reference_and_test_in_order(self, install):
        install("pycvvdp", CVVDP)
        gray = np.full((16, 16), 100, np.uint8)
        assert perceptual.score("cvvdp", gray, gray + np.uint8(3)) == 7

    def test_a_package_that_does_not_load(self, install):
        install("pycvvdp", "raise RuntimeError('operator\\n vision::nms does not exist')")
        reason = "cvvdp does not load: operator vision::nms does not exist"
        assert perceptual.problem("cvvdp") == reason
        picture = cover(16, 16, 3)
        with pytest.raises(InputError, match="nms does not exist, or leave this metric out"):
            perceptual.score("cvvdp", picture, picture)


@pytest.mark.usefixtures("hidden")
class TestAbsent:
    def test_says_so(self):
        for name in perceptual.PERCEPTUAL:
            assert not perceptual.available(name)
            assert "is not installed: pip install" in str(perceptual.problem(name))

    def test_score_names_the_fix(self):
        picture = cover(16, 16, 3)
        with pytest.raises(MissingExtra, match=r"pip install 'morebits\[metrics\]'"):
            perceptual.score("ssimulacra2", picture, picture)
        with pytest.raises(InputError, match="pip install cvvdp, or leave"):
            perceptual.score("cvvdp", picture, picture)


def test_unknown_and_unequal():
    picture = cover(16, 16, 3)
    with pytest.raises(UnknownName, match="use one of ssimulacra2, cvvdp, lpips"):
        perceptual.problem("vmaf")
    with pytest.raises(InputError, match="shape of the cover"):
        perceptual.score("lpips", picture, picture[:8])


def test_no_torch_comes_with_the_metrics():
    import subprocess

    code = (
        "import sys; import morebits.bench.metrics, morebits.bench.perceptual,"
        " morebits.bench.summary, morebits.bench.published;"
        "print({'torch', 'scipy.stats', 'matplotlib', 'lpips'} & set(sys.modules))"
    )
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout == "set()\n"
