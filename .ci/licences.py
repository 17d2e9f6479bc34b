"""Write `docs/licences.md`: the licences of all that constraints.txt pins, as the packages say.

    make licences

Only what is installed can be asked, so everything has to be: `make test` does that. What is pinned
and not installed here (a tool of its own environment) keeps the line that it has.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, files, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"
HEAD = """\
# Licences of what morebits uses

morebits is under the MIT licence. This is what an installation, the tests and the build bring
along, and under which licence, as each package says of itself; written by `make licences` from
`constraints.txt`. The two fonts of the page are in the package, with their licences beside them
(`src/morebits/app/static/fonts`).

| package | version | licence |
|---|---|---|
"""
_CLASSIFIER = re.compile(r"License :: (?:OSI Approved :: )?(.+)")


def rows() -> dict[str, str]:
    """The line of every pinned package, by its name."""
    page = PAGE.read_text("utf-8") if PAGE.exists() else ""
    before = {name: line for line, name in re.findall(r"^(\| (\S+) \|.*)$", page, re.MULTILINE)}
    found: dict[str, str] = {}
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        name, _, version = line.partition("==")
        if line.startswith("#") or not version:
            continue
        try:
            found[name] = f"| {name} | {version} | {licence(name)} |"
        except PackageNotFoundError:
            found[name] = before.get(name, f"| {name} | {version} | not known |")
    return found


def licence(name: str) -> str:
    """What a package says: an SPDX expression, its classifiers, or the first words of its text."""
    told = metadata(name)
    if expression := told.get("License-Expression"):
        return expression
    classifiers = [_CLASSIFIER.fullmatch(each) for each in told.get_all("Classifier") or ()]
    named = [each[1] for each in classifiers if each]
    text = (told.get("License") or "").strip().splitlines()
    if named:
        return ", ".join(named)
    if text:
        return text[0][:60]
    texts = [each for each in files(name) or () if each.name.startswith("LICEN")]
    heads = [line.strip() for line in (texts[0].read_text() if texts else "").splitlines()]
    return next((line for line in heads if line), "not said")


def main() -> None:
    """The page."""
    PAGE.write_text(HEAD + "\n".join(rows().values()) + "\n", "utf-8")


if __name__ == "__main__":
    main()
