"""Every example of the README and of docs/ is run.

The convention, which is strict on purpose:

- ```python blocks share one namespace a file, from top to bottom. A block with `>>>` is a
  doctest and its output must be the same; any other block must run without an error.
- ```console blocks hold commands (`$ morebits ...`) and what they print, stderr included. The
  output must be the same, line by line; a line `...` stands for any lines. Without output only
  success counts. An example of an error starts with `morebits: ` (notes, `morebits: note: `, are
  none) and must exit with 2; a command that ends with `# exit code 1` must exit with 1.
- ```sh blocks are for people and are not run: they install, serve, or take hours. The make targets,
  commands with their options, scripts and extras that they name must exist.
- ```math blocks are formulas, which the site draws (tests/test_site.py).

Blocks run in a folder that holds `photo.jpg`, the bundled photo, `report.pdf`, 20,000 bytes that do
not compress, and `key.txt`.
"""

from __future__ import annotations

import doctest
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
KNOWN = {"python", "console", "sh", "json", "text", "math"}
by_name = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def blocks(page: Path) -> list[tuple[str, int, str]]:
    """(language, line, text) of each fenced block."""
    text = page.read_text()
    return [
        (match[1], text[: match.start()].count("\n") + 2, match[2])
        for match in re.finditer(r"^```(\S*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Each command of a console block with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line.rstrip())
    return found


def exit_code(command: str, shown: list[str]) -> int:
    """What a command must exit with: 2 for an error, 1 where it says so."""
    if command.endswith("# exit code 1"):
        return 1
    said = shown[0] if shown else ""
    return 2 if said.startswith("morebits: ") and not said.startswith("morebits: note: ") else 0


def same(shown: list[str], printed: list[str]) -> bool:
    """Line by line, `...` stands for any lines."""
    pattern = "".join(".*?" if line == "..." else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed), re.DOTALL) is not None


@pytest.fixture
def here(tmp_path: Path, photo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(photo, tmp_path / "photo.jpg")
    random = hashlib.shake_256(b"report").digest(19_991)
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7\n" + random)
    (tmp_path / "key.txt").write_text("swordfish\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@by_name
def test_the_languages_are_known(page):
    assert {language for language, _, _ in blocks(page)} <= KNOWN


@by_name
def test_python_blocks(page, here):
    names: dict[str, object] = {}
    for language, line, text in blocks(page):
        if language != "python":
            continue
        if ">>>" not in text:
            exec(compile("\n" * (line - 1) + text, str(page), "exec"), names)
            continue
        title = f"{page.name} line {line}"
        example = doctest.DocTestParser().get_doctest(text, names, title, str(page), line)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(example, out=report.append, clear_globs=False)
        assert not report, "".join(report)
        names.update(example.globs)


@by_name
def test_console_blocks(page, here):
    environment = os.environ | {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
    for language, line, text in blocks(page):
        if language != "console":
            continue
        for command, shown in commands(text):
            words = shlex.split(command, comments=True)
            assert words[0] == "morebits", f"{page.name}:{line}: only morebits is run here"
            run = subprocess.run(
                [sys.executable, "-m", "morebits", *words[1:]],
                cwd=here,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert run.returncode == exit_code(command, shown), run.stdout
            printed = [each.rstrip() for each in run.stdout.splitlines()]
            assert not shown or same(shown, printed), f"{page.name}:{line}\n{run.stdout}"


@by_name
def test_make_targets_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = {
        target
        for language, _, text in blocks(page)
        if language == "sh"
        for target in re.findall(r"\bmake ([a-z-]+)", text)
    }
    assert asked <= targets


def shell(page: Path) -> list[list[str]]:
    """The words of every line of the sh blocks, without comments."""
    texts = [text for language, _, text in blocks(page) if language == "sh"]
    return [words for line in "".join(texts).splitlines() if (words := shlex.split(line, True))]


def help_of(*command: str) -> str:
    words = [sys.executable, "-m", "morebits", *command, "--help"]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


@by_name
def test_commands_for_people_are_spelled_right(page):
    for words in shell(page):
        if "morebits" not in words:
            continue
        command, *rest = words[words.index("morebits") + 1 :]
        spelled = help_of(command)
        for option in (each for each in rest if each.startswith("--")):
            assert option.partition("=")[0] in spelled, option


@by_name
def test_scripts_and_extras_for_people_exist(page):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for word in (word for words in shell(page) for word in words):
        if word.endswith(".py"):
            assert (ROOT / word).exists(), word
        if extra := re.fullmatch(r"(?:morebits|\.)\[(\w+)\]", word):
            assert extra[1] in extras["optional-dependencies"], word


@by_name
def test_links_to_files_exist(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), target


def test_every_page_is_in_the_navigation():
    """Seconds before the site is built (tests/test_site.py), which would refuse it too."""
    listed = set(re.findall(r"[\w/-]+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    written = {path.relative_to(ROOT / "docs").as_posix() for path in PAGES[3:]}
    books = (ROOT / "docs").rglob("*.ipynb")
    made = {path.relative_to(ROOT / "docs").with_suffix(".md").as_posix() for path in books}
    assert listed == written | made


def test_the_comparison_itself():
    assert same(["a", "...", "c"], ["a", "b", "b", "c"])
    assert not same(["a"], ["a", "b"])
    assert not same(["1.5"], ["1x5"])
