"""What holds for the package and the repository as a whole."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import morebits as mb

SURFACE = Path(__file__).with_name("api_surface.json")
MODULES = [
    "morebits",
    "morebits.attacks",
    "morebits.bounds",
    "morebits.images",
    "morebits.linear",
    "morebits.neural",
]


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    run = [sys.executable, "-c", code]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()


def tracked(root: Path) -> list[Path]:
    """Every file of the repository."""
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    run = ["git", "ls-files", "-z"]
    names = subprocess.run(run, cwd=root, check=True, capture_output=True, text=True).stdout
    return [root / name for name in names.split("\0") if name and (root / name).is_file()]


class TestImport:
    HEAVY = (
        "numpy",
        "scipy",
        "matplotlib",
        "torch",
        "PIL",
        "flint",
        "rich",
        "cyclopts",
        "numba",
        "c2pa",
        "cbor2",
    )

    def test_loads_nothing_heavy(self):
        loaded = python("import sys, morebits; print(*sys.modules)").split()
        assert not set(self.HEAVY) & set(loaded)

    def test_capacity_of_a_size_loads_no_matplotlib_and_no_scipy_stats(self):
        code = (
            "import sys, morebits as mb;"
            "mb.capacity(mb.ImageFormat(width=16, height=16), psnr=42);"
            "print(*sys.modules)"
        )
        loaded = python(code).split()
        assert not {"matplotlib", "torch", "scipy.stats", "jinja2"} & set(loaded)


class TestSurface:
    def test_every_public_name_is_there_and_listed(self):
        """A name that goes away breaks users; a new one is a decision.

        After a decision: write `{module: sorted(module.__all__)}` to api_surface.json.
        """
        listed = json.loads(SURFACE.read_text())
        assert set(listed) == set(MODULES)
        for name in MODULES:
            module = importlib.import_module(name)
            assert sorted(module.__all__) == listed[name]
            assert all(hasattr(module, each) for each in listed[name])

    def test_dir_and_unknown_names(self):
        assert dir(mb) == sorted(mb.__all__)
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = mb.nothing

    def test_lazy_names_are_the_real_ones(self):
        from morebits import linear, measure, types

        assert mb.ImageFormat is types.ImageFormat
        assert mb.capacity is measure.capacity
        assert mb.linear is linear

    def test_version(self, root):
        assert re.fullmatch(r"\d+\.\d+\.\d+", mb.__version__)
        assert "[Unreleased]" in (root / "CHANGELOG.md").read_text()


class TestRepository:
    def test_no_file_is_over_a_megabyte(self, root):
        large = [path.name for path in tracked(root) if path.stat().st_size > 1_000_000]
        assert large == []

    @pytest.mark.parametrize(
        "pattern",
        [
            pytest.param(r"(?i)\bpypi" + r"\.org|pythonhosted" + r"\.org", id="registry"),
            pytest.param(r"--(extra-)?index" + r"-url|--find" + r"-links", id="registry-option"),
            pytest.param(r"(?<![\w.~])/(home|Users|root|work|opt)" + r"/\w", id="machine-path"),
        ],
    )
    def test_no_text_names(self, root, pattern):
        found = [
            f"{path.relative_to(root)}: {match[0]}"
            for path in tracked(root)
            if path.suffix not in {".png", ".npz"}
            and (match := re.search(pattern, path.read_text(errors="replace")))
        ]
        assert found == []

    def test_the_licence_is_mit_everywhere(self, root):
        project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
        assert project["license"] == "MIT"
        assert (root / "LICENSE").read_text().startswith("MIT License")

    def test_constraints_pin_every_dependency(self, root):
        project = tomllib.loads((root / "pyproject.toml").read_text())
        wanted = [
            *project["project"]["dependencies"],
            *(
                each
                for extra in project["project"]["optional-dependencies"].values()
                for each in extra
            ),
            *project["build-system"]["requires"],
        ]
        names = {re.split(r"[\[<>=!~ ]", each)[0].lower() for each in wanted} - {"morebits"}
        lines = (root / "constraints.txt").read_text().splitlines()
        pins = {line.split("==")[0].lower() for line in lines if "==" in line}
        assert names <= pins
        assert all("==" in line or line.startswith("#") for line in lines)

    def test_ci_calls_make_test(self, root):
        script = root / ".ci" / "run"
        assert "make test" in script.read_text()
        assert script.stat().st_mode & 0o111
