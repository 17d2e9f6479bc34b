"""One base error; each subclass carries fields and says what to do next.

Every message is a single line that ends with a next step, so that the command
line can print it as it is and a script can read the fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class MorebitsError(Exception):
    """Base of every error this package raises on purpose; it travels between processes whole."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are rebuilt from their text alone, and ours are made from their fields.
        return _again, (type(self), self.args, self.__dict__)


class InputError(MorebitsError, ValueError):
    """An argument has the wrong value: `name`, `value`, `expected`."""

    def __init__(self, name: str, value: object, expected: str):
        self.name, self.value, self.expected = name, value, expected
        super().__init__(f"{name} is {_short(value)}: {expected}")


class UnknownName(MorebitsError, ValueError):
    """A name that is not in a list of known ones: `kind`, `name`, `known`."""

    def __init__(self, kind: str, name: str, known: Sequence[str]):
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(f"unknown {kind} {_short(name)}: use one of {', '.join(self.known)}")


class ImageError(MorebitsError, ValueError):
    """A picture that cannot be used: `source`, `problem`, `fix`."""

    def __init__(self, source: object, problem: str, fix: str):
        self.source, self.problem, self.fix = source, problem, fix
        super().__init__(f"{_printable(source)}: {problem}; {fix}")


class LossyFile(ImageError):
    """A file that would lose a fragile mark: `source`, `problem`, `fix`."""


class FileNotWritten(MorebitsError, OSError):
    """A file that was not written, and nothing was changed: `path`, `problem`, `fix`."""

    def __init__(self, path: object, problem: str, fix: str):
        self.path, self.problem, self.fix = path, problem, fix
        super().__init__(f"{_printable(path)}: {problem}; {fix}")


class BoundNotValid(MorebitsError, ValueError):
    """A forced bound outside its range: `bound`, `reason`, `fix`."""

    def __init__(self, bound: str, reason: str, fix: str):
        self.bound, self.reason, self.fix = bound, reason, fix
        super().__init__(f"bound {bound} is not valid here: {reason}; {fix}")


class TooLarge(MorebitsError, ValueError):
    """Refused before it starts: `what` needs `needed` `unit`, the limit is `limit`."""

    def __init__(self, what: str, needed: float, limit: float, unit: str, fix: str):
        self.what, self.needed, self.limit, self.unit, self.fix = what, needed, limit, unit, fix
        super().__init__(f"{what} needs {needed:,.0f} {unit}, the limit is {limit:,.0f}; {fix}")


class DoesNotFit(MorebitsError, ValueError):
    """A message longer than the capacity: `needed` and `capacity` in `unit`, `fix`."""

    def __init__(self, what: str, needed: int, capacity: int, unit: str, fix: str):
        self.what, self.needed, self.capacity, self.unit, self.fix = (
            what, needed, capacity, unit, fix,
        )  # fmt: skip
        super().__init__(f"{what} needs {needed:,} {unit}, {capacity:,} fit; {fix}")


class NewerFormat(MorebitsError, ValueError):
    """Written by a later morebits: `what` has `version`, this one reads up to `known`."""

    def __init__(self, what: str, version: str, known: str):
        self.what, self.version, self.known = what, version, known
        super().__init__(
            f"{what} has version {version}, this morebits reads up to {known}: "
            "pip install --upgrade morebits"
        )


class CertificateError(MorebitsError, ValueError):
    """A certificate or a private key that cannot be used: `source`, `problem`, `fix`."""

    def __init__(self, source: object, problem: str, fix: str):
        self.source, self.problem, self.fix = source, problem, fix
        super().__init__(f"{_printable(source)}: {problem}; {fix}")


class ManifestError(MorebitsError, ValueError):
    """Bytes that are no manifest of ours: `problem`."""

    def __init__(self, problem: str):
        self.problem = problem
        super().__init__(
            f"the manifest is not what morebits writes ({problem}): do not trust the picture"
        )


class ResultsError(MorebitsError, ValueError):
    """A folder of results that cannot be used: `folder`, `problem`, `fix`; nothing was changed."""

    def __init__(self, folder: object, problem: str, fix: str):
        self.folder, self.problem, self.fix = folder, problem, fix
        super().__init__(f"{folder}: {problem}; {fix}")


class OtherConfig(ResultsError):
    """A run resumed with another configuration: `folder`, `differences` (before, now) by field."""

    def __init__(self, folder: object, differences: Mapping[str, tuple[object, object]]):
        self.differences = dict(differences)
        told = (
            f"{name} was {_short(a)} and is {_short(b)}" for name, (a, b) in differences.items()
        )
        problem = f"this run has another configuration: {', '.join(told)}"
        super().__init__(folder, problem, "give the same one, or another folder")


class TrainingStopped(MorebitsError, RuntimeError):
    """Training cannot go on: at `step`, `problem`, `fix`; checkpoints are kept."""

    def __init__(self, step: int, problem: str, fix: str):
        self.step, self.problem, self.fix = step, problem, fix
        super().__init__(f"training stopped at step {step:,}: {problem}; {fix}")


class WorkersLost(MorebitsError, RuntimeError):
    """Nobody is left to do the work: `problem`, `fix`; what was finished is kept."""

    def __init__(self, problem: str, fix: str):
        self.problem, self.fix = problem, fix
        super().__init__(f"the workers are gone: {problem}; {fix}")


class WeightsError(MorebitsError, ValueError):
    """A file with weights that cannot be used: `source`, `problem`, `fix`."""

    def __init__(self, source: object, problem: str, fix: str):
        self.source, self.problem, self.fix = source, problem, fix
        super().__init__(f"{_printable(source)}: {problem}; {fix}")


class MissingExtra(MorebitsError, ImportError):
    """An optional package is absent: `package`, and the `extra` of ours that has it, if any."""

    def __init__(self, package: str, extra: str | None = None):
        self.package, self.extra = package, extra
        wanted = package if extra is None else f"'morebits[{extra}]'"
        super().__init__(f"{package} is not installed: pip install {wanted}")


class BrokenPackage(MorebitsError, ImportError):
    """An optional package is there but cannot be imported: `package`, `problem`."""

    def __init__(self, package: str, problem: str):
        self.package, self.problem = package, problem
        super().__init__(
            f"{package} is installed but cannot be imported ({problem}): "
            f"pip install --force-reinstall {package}, or see its own instructions"
        )


def _again(kind: type[MorebitsError], args: tuple[Any, ...], fields: dict[str, Any]) -> Any:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(fields)
    return error


def _printable(path: object) -> str:
    name = str(path)
    return name if name.isprintable() else repr(name)


def _short(value: object) -> str:
    text = repr(value).replace("\n", " ")
    return text if len(text) <= 60 else text[:57] + "..."
