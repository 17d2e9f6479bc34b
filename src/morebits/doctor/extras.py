"""What each extra needs, from the metadata of the installed package, and whether it works."""

from __future__ import annotations

import re
from functools import cache
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from morebits.doctor import Check, child

#: What each extra is for. Those of people who work on morebits itself are left out.
PURPOSES = {
    "report": "figures, reports, the demonstration",
    "c2pa": "sign and verify",
    "neural": "networks as codecs",
    "train": "training of networks",
    "onnx": "exported networks, without torch",
    "export": "export to ONNX",
    "metrics": "SSIMULACRA2 in benchmarks",
    "peers": "other people's watermarkers",
    "cluster": "work on a Dask cluster",
    "app": "the web page",
}
#: Imports its arguments and tells `module: ` for each, with the error if there is one. The name
#: goes out first: it is the last word of a process that a package ends.
_IMPORT = """
import importlib
for name in sys.argv[1:]:
    tell(name, end=": ")
    try:
        importlib.import_module(name)
    except Exception as error:
        tell(f"{type(error).__name__}: {error}".splitlines()[0])
    else:
        tell("")
"""


def listed(package: str = "morebits") -> dict[str, tuple[Requirement, ...]]:
    """Each extra with what it needs; empty when the package was not installed by pip."""
    try:
        known = metadata.metadata(package).get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        return {}
    return {name: tuple(_needs(package, name)) for name in PURPOSES if name in known}


def check(name: str, needs: tuple[Requirement, ...]) -> Check:
    """Absent when a package is missing; broken when one is there but unfit or not importable."""
    versions = {need.name: _version(need.name) for need in needs}
    missing = [need.name for need in needs if versions[need.name] is None]
    if missing:
        words = f"for {PURPOSES[name]}: pip install 'morebits[{name}]' ({', '.join(missing)})"
        return Check(name, "extra", "absent", words)
    unfit = [
        f"{need.name} {versions[need.name]}, {need.specifier} is needed"
        for need in needs
        if not need.specifier.contains(versions[need.name] or "", prereleases=True)
    ]
    if unfit:
        return Check(name, "extra", "broken", f"{'; '.join(unfit)}: {_again(name)}")
    modules = {_module(need.name): need.name for need in needs}
    done = child.run(_IMPORT, list(modules))
    wrong = [line for line in done.lines if not line.endswith(": ")]
    if done.problem or wrong:
        words = "; ".join(wrong) or done.problem
        return Check(name, "extra", "broken", f"{words}: {_again(name)}", done.seconds, done.memory)
    words = ", ".join(f"{each} {version}" for each, version in versions.items())
    return Check(name, "extra", "works", words, done.seconds, done.memory)


def _again(name: str) -> str:
    return f"pip install --force-reinstall 'morebits[{name}]'"


def _needs(package: str, extra: str) -> list[Requirement]:
    """What `package[extra]` adds to the plain package, extras of extras included."""
    found: dict[str, Requirement] = {}
    for text in metadata.requires(package) or []:
        need = Requirement(text)
        if need.marker is None or need.marker.evaluate({"extra": ""}):
            continue
        if not need.marker.evaluate({"extra": extra}):
            continue
        if canonicalize_name(need.name) != canonicalize_name(package):
            found[need.name] = need
        if _version(need.name) is not None:
            for inner in sorted(need.extras):
                found |= {each.name: each for each in _needs(need.name, inner)}
    return list(found.values())


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _module(package: str) -> str:
    """The module that a package is imported by: the one of its own name, else its first.

    >>> _module("pillow"), _module("python-flint")
    ('PIL', 'flint')
    """
    wanted = canonicalize_name(package)
    names = _modules().get(wanted, [re.sub(r"[-.]", "_", package)])
    return next((each for each in names if canonicalize_name(each) == wanted), names[0])


@cache
def _modules() -> dict[str, list[str]]:
    """Top-level modules of every installed package."""
    found: dict[str, list[str]] = {}
    for module, packages in sorted(metadata.packages_distributions().items()):
        for package in packages:
            if module.isidentifier() and not module.startswith("_"):
                found.setdefault(canonicalize_name(package), []).append(module)
    return found
