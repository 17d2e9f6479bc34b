"""What others wrote: pinned, hashed, licensed; and what the source itself must not use."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "morebits"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return {normal(line.partition("==")[0]): line.partition("==")[2]
            for line in lines if "==" in line}  # fmt: skip


def hashed(name: str) -> dict[str, tuple[str, str]]:
    """Version and hash by name; every line of the file is one or a comment."""
    found: dict[str, tuple[str, str]] = {}
    for line in (ROOT / "hashes" / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        parts = re.fullmatch(r"(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})", line)
        assert parts, line
        found[normal(parts[1])] = parts[2], parts[3]
    return found


class TestHashes:
    #: Torch has other hashes elsewhere; atheris is for `make fuzz` alone.
    WITHOUT = frozenset({"torch", "atheris"})

    @pytest.mark.parametrize("name", ["demo", "test"])
    def test_versions_are_those_of_the_constraints(self, name):
        versions = {each: version for each, (version, _) in hashed(name).items()}
        assert versions.items() <= pinned().items()

    def test_everything_that_tests_install_has_one(self):
        missing = set(pinned()) - set(hashed("test")) - self.WITHOUT
        # Pins for other systems and Pythons, and for the extra peers.
        assert missing <= {"colorama", "importlib-metadata", "tzdata", "zipp", "toml"}, missing

    def test_the_demo_needs_a_part_of_it(self):
        assert hashed("demo").items() <= hashed("test").items()


class TestLicences:
    def page(self) -> dict[str, tuple[str, str]]:
        text = (ROOT / "docs" / "licences.md").read_text("utf-8")
        rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+) \|$", text, re.MULTILINE)
        return {normal(name): (version, licence) for name, version, licence in rows
                if name != "package"}  # fmt: skip

    def test_every_pinned_package_is_listed_with_its_version(self):
        assert {name: version for name, (version, _) in self.page().items()} == pinned()

    def test_all_are_known_and_none_forbids_our_use(self):
        """LGPL and MPL are fine for libraries that are used as they are; GPL and AGPL are not."""
        allowed = re.compile(
            r"(?i)MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla Public|LGPL"
        )
        for name, (_, licence) in self.page().items():
            assert allowed.search(licence), (name, licence)
            assert not re.search(r"(?<!L)GPL", licence), (name, licence)

    def test_they_are_what_the_packages_say(self):
        place = ROOT / ".ci" / "licences.py"
        spec = importlib.util.spec_from_file_location("licences", place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        page = (ROOT / "docs" / "licences.md").read_text("utf-8")
        assert page == module.HEAD + "\n".join(module.rows().values()) + "\n"


#: Modules that talk to a network or rebuild objects from bytes, by who may use them, and why.
FORBIDDEN = {
    "aiohttp", "cloudpickle", "dill", "ftplib", "http", "httpx", "imaplib", "marshal", "pickle",
    "poplib", "requests", "shelve", "smtplib", "socket", "socketserver", "ssl", "telnetlib",
    "urllib", "urllib3", "webbrowser", "xmlrpc",
}  # fmt: skip
ALLOWED = {
    # The page listens on this machine and opens the browser there.
    ("app/serving.py", "socket"),
    ("app/serving.py", "webbrowser"),
    ("app/server.py", "urllib"),  # urllib.parse.quote, for the name of a download
    # Finds a free port of this machine, at which the processes of one training meet.
    ("train/launching.py", "socket"),
    # Only asks whether a task can travel to another process (dumps), or names the error that
    # torch's restricted unpickler raises: nothing is loaded.
    ("bench/pools.py", "pickle"),
    ("neural/checkpoints.py", "pickle"),
}
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}


@cache
def trees() -> dict[str, ast.Module]:
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
            for path in sorted(SOURCE.rglob("*.py"))}  # fmt: skip


def calls(start: tuple[str, ...]) -> Iterator[tuple[str, ast.Call]]:
    """Every call of a name that starts like this, with its file."""
    for path, tree in trees().items():
        for each in ast.walk(tree):
            if isinstance(each, ast.Call) and ast.unparse(each.func).startswith(start):
                yield path, each


def imported(tree: ast.Module) -> set[str]:
    """First words of all modules that are imported, also where they are named by a text."""
    found: set[str] = set()
    for each in ast.walk(tree):
        if isinstance(each, ast.Import):
            found |= {name.name.split(".")[0] for name in each.names}
        elif isinstance(each, ast.ImportFrom) and each.module:
            found.add(each.module.split(".")[0])
        elif isinstance(each, ast.Call) and each.args:
            name = ast.unparse(each.func)
            first = each.args[0]
            loads = name.endswith(("import_module", "fixed.load"))
            if loads and isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value.split(".")[0])
    return found


class TestSource:
    def test_no_network_and_no_pickle_but_for_a_few_reasons(self):
        used = {(path, name) for path, tree in trees().items()
                for name in imported(tree) & FORBIDDEN}  # fmt: skip
        assert used == ALLOWED

    def test_pickle_is_never_loaded_from(self):
        found = set[str]()
        for tree in trees().values():
            parts = (each for each in ast.walk(tree) if isinstance(each, ast.Attribute))
            found |= {each.attr for each in parts if ast.unparse(each.value) == "pickle"}
        assert found == {"dumps", "UnpicklingError"}

    def test_torch_loads_tensors_only(self):
        found = list(calls(("torch.load",)))
        assert [path for path, _ in found] == ["neural/checkpoints.py"]
        said = {each.arg: ast.unparse(each.value) for each in found[0][1].keywords}
        assert said["weights_only"] == "True"

    def test_no_text_becomes_code(self):
        for path, tree in trees().items():
            names = (each.func for each in ast.walk(tree) if isinstance(each, ast.Call))
            called = {each.id for each in names if isinstance(each, ast.Name)}
            assert not called & CALLS, path

    def test_no_shell(self):
        started = {path for path, _ in calls(("subprocess.", "os.system", "os.popen", "os.exec"))}
        assert started == {"doctor/child.py"}  # a child of itself, to look at each extra apart
        assert "shell=True" not in (SOURCE / "doctor" / "child.py").read_text("utf-8")

    @pytest.mark.parametrize(
        ("code", "found"),
        [("import socket", "socket"), ("from urllib.request import urlopen", "urllib"),
         ("import importlib; importlib.import_module('pickle')", "pickle")],
    )  # fmt: skip
    def test_it_would_be_noticed(self, code, found):
        assert found in imported(ast.parse(code)) & FORBIDDEN
