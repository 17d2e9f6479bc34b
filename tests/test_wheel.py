"""What `pip install` brings: the built files, and the core alone without any extra."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from PIL import Image

import morebits as mb


@pytest.fixture(scope="session")
def built(root: Path, once) -> tuple[Path, Path]:
    """Source archive and wheel; the build back end is the one of constraints.txt."""

    def build(out: Path) -> None:
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(root)]
        subprocess.run(command, check=True, capture_output=True)

    out = once("dist", build)
    (source,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return source, wheel


def core(package: str = "morebits", extra: str = "") -> set[str]:
    """The package and all that it needs without an extra, as installed here."""
    found: set[str] = {canonicalize_name(package)}
    for text in metadata.requires(package) or []:
        need = Requirement(text)
        if need.marker is None or need.marker.evaluate({"extra": extra}):
            for each in ("", *need.extras):
                if canonicalize_name(need.name) not in found:
                    found |= core(need.name, each)
    return found


@pytest.fixture(scope="module")
def bare(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel and what the core needs, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    zipfile.ZipFile(built[1]).extractall(folder)
    for name in core() - {"morebits"}:
        package = metadata.distribution(name)
        for top in {path.parts[0] for path in package.files or []} - {"..", "__pycache__"}:
            (folder / top).symlink_to(str(package.locate_file(top)))
    return folder


def alone(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`python WORDS` that sees the standard library and the folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-S", *words],
        cwd=folder, env=environment, check=False, capture_output=True, text=True,
    )  # fmt: skip


class TestFiles:
    def test_the_wheel(self, built):
        names = zipfile.ZipFile(built[1]).namelist()
        assert "morebits/py.typed" in names
        assert "morebits/neural/cards/videoseal-1.0.toml" in names
        assert "morebits/demo/page.html" in names
        assert all(name.startswith(("morebits/", "morebits-")) for name in names)

    def test_every_file_of_the_package_is_in_it(self, built, root):
        inside = set(zipfile.ZipFile(built[1]).namelist())
        source = root / "src"
        ours = {
            path.relative_to(source).as_posix()
            for path in (source / "morebits").rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert ours <= inside

    def test_the_source_archive_holds_what_a_build_needs(self, built):
        with tarfile.open(built[0]) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
        assert {"pyproject.toml", "README.md", "LICENSE", "src/morebits/__init__.py"} <= names
        assert not any(name.startswith((".venv/", "build/", "demo/")) for name in names)

    def test_one_version(self, built):
        with zipfile.ZipFile(built[1]) as wheel:
            name = f"morebits-{mb.__version__}.dist-info/METADATA"
            assert f"Version: {mb.__version__}\n" in wheel.read(name).decode()
        assert built[0].name == f"morebits-{mb.__version__}.tar.gz"

    def test_the_core_needs_no_torch_and_no_matplotlib(self):
        assert not {"torch", "matplotlib", "gradio", "kornia", "dask", "c2pa-python"} & core()


class TestCoreAlone:
    def test_it_sees_no_extra(self, bare):
        for name in ("torch", "matplotlib", "jinja2", "pytest"):
            assert "ModuleNotFoundError" in alone(bare, "-c", f"import {name}").stderr

    def test_version_and_capacity(self, bare):
        assert alone(bare, "-m", "morebits", "--version").stdout.strip() == mb.__version__
        words = ("capacity", "--size", "256x256", "--psnr", "42", "--json")
        found = json.loads(alone(bare, "-m", "morebits", *words).stdout)
        assert round(found["bits"], 2) == 602672.58

    def test_hide_and_reveal(self, bare, tmp_path):
        """With the codec that has nothing to compile; the others are tried by `full` below."""
        cover, marked = tmp_path / "cover.png", tmp_path / "marked.png"
        Image.new("RGB", (64, 64), (128, 128, 128)).save(cover)
        hide = ("hide", str(cover), "-o", str(marked), "--text", "hello", "--codec", "box")
        done = alone(bare, "-m", "morebits", *hide)
        assert done.returncode == 0, done.stderr
        assert alone(bare, "-m", "morebits", "reveal", str(marked)).stdout == "hello"

    @pytest.mark.parametrize(
        ("words", "extra"),
        [
            (["demo", "-o", "."], "report"),
            (["paper", "-o", "."], "report"),
            (["sign", "cover.png", "-o", "s.png", "--test-certificate", "try"], "c2pa"),
        ],
        ids=lambda value: value if isinstance(value, str) else value[0],
    )
    def test_what_needs_an_extra_says_which(self, bare, words, extra):
        Image.effect_noise((64, 64), 60).convert("RGB").save(bare / "cover.png")
        done = alone(bare, "-m", "morebits", *words)
        assert done.returncode == 2
        assert f"pip install 'morebits[{extra}]'" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.full
def test_pip_installs_the_wheel_into_an_empty_environment(built, root, tmp_path):
    """Minutes, most of them downloads: numpy, scipy, numba and the rest of the core."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "-c", str(root / "constraints.txt")]
    subprocess.run([*install, str(built[1])], check=True, capture_output=True)
    done = subprocess.run(
        [python.with_name("morebits"), "doctor", "--json"],
        cwd=tmp_path, check=False, capture_output=True, text=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["well"]
    assert {each["state"] for each in found["checks"] if each["kind"] == "trial"} == {"works"}
    assert {each["state"] for each in found["checks"] if each["kind"] == "extra"} == {"absent"}
