"""A folder of results: records are added, never changed, and a run that was cut goes on."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from morebits import __version__, files
from morebits.bench import records
from morebits.bench.lock import Lock
from morebits.bench.machine import machine, packages
from morebits.bench.records import RUN, SAMPLES, Sample
from morebits.errors import FileNotWritten, ResultsError

_OTHER = "give another folder (--out)"


@dataclass(frozen=True)
class Config:
    """What a run is asked to do; `codecs` as (name, options), `images` as name to digest."""

    seed: int
    bits: int | None
    codecs: Sequence[tuple[str, Mapping[str, Any]]]
    attacks: Sequence[str]
    sources: Sequence[str]
    images: Mapping[str, str | None]


class Folder:
    """An open folder of results: locked, repaired, and ready to take records.

    `done` has the keys of the samples that were there already, `run` is the id in every record.
    Codecs, attacks and pictures may be added to a folder; the seed, the number of bits and the
    pictures' content may not change, and neither may the version of morebits.
    """

    def __init__(self, path: str | os.PathLike[str], config: Config):
        self.path = Path(path)
        _make(self.path)
        with _writing(self.path):
            self._lock = Lock(self.path)
        try:
            self._about = self._joined(config)
            with _writing(self.path / SAMPLES):
                _repair(self.path / SAMPLES)
            self.done = {records.key(each) for each in records.read(self.path)}
            self._write()
            with _writing(self.path / SAMPLES):
                self._file: IO[bytes] = (self.path / SAMPLES).open("ab")
        except BaseException:
            self._lock.release()
            raise

    @property
    def run(self) -> str:
        """The id of the run."""
        return self._about["run"]

    def add(self, samples: Iterable[Sample]) -> None:
        """Write records, all the way to the system: they outlive this process."""
        with _writing(self.path / SAMPLES):
            self._file.write(b"".join(map(records.line, samples)))
            self._file.flush()

    def close(self, session: Mapping[str, Any], *, complete: bool) -> None:
        """Write down how this session went, and let the next run in."""
        try:
            with _writing(self.path / SAMPLES):
                self._file.close()  # tries once more to write what did not fit
            last = self._about["sessions"][-1]
            last |= {"ended": _now(), **session}
            self._about["finished"] = last["ended"] if complete else None
            self._write()
        finally:
            self._lock.release()

    def _joined(self, config: Config) -> dict[str, Any]:
        """What run.json will say: what it says already, and what this session adds."""
        if (self.path / RUN).exists():
            about = records.read_run(self.path)
            _check(about, config, self.path)
        elif (self.path / SAMPLES).exists() and (self.path / SAMPLES).stat().st_size:
            raise ResultsError(self.path, f"has a {SAMPLES} but no {RUN}", _OTHER)
        else:
            about = _new(config)
        codecs = [{"codec": name, "options": dict(options)} for name, options in config.codecs]
        about["codecs"] += [each for each in codecs if each not in about["codecs"]]
        about["attacks"] += [each for each in config.attacks if each not in about["attacks"]]
        about["images"]["files"] |= config.images
        about |= {"machine": machine(), "packages": packages(), "finished": None}
        about["sessions"].append({"started": _now()})
        return about

    def _write(self) -> None:
        text = json.dumps(self._about, indent=1, allow_nan=False)
        files.write_bytes(self.path / RUN, text.encode(), force=True)


def _new(config: Config) -> dict[str, Any]:
    return {
        "schema": records.SCHEMA,
        "morebits": __version__,
        "run": secrets.token_hex(8),
        "seed": config.seed,
        "bits": config.bits,
        "started": _now(),
        "finished": None,
        "codecs": [],
        "attacks": [],
        "images": {"sources": list(config.sources), "files": {}},
        "sessions": [],
    }


def _check(about: Mapping[str, Any], config: Config, path: Path) -> None:
    """Refuse to mix what cannot be compared."""
    if about["morebits"] != __version__:
        problem = f"has results of morebits {about['morebits']}, and this is {__version__}"
        fix = f"{_OTHER}, or pip install morebits=={about['morebits']}"
        raise ResultsError(path, problem, fix)
    for name in ("seed", "bits"):
        before, now = about[name], getattr(config, name)
        if before != now:
            problem = f"has results with {_word(name, before)}, and this run has {_word(name, now)}"
            raise ResultsError(path, problem, f"{_OTHER}, or the same {name}")
    known: Mapping[str, str | None] = about["images"]["files"]
    for name, digest in config.images.items():
        if known.get(name, digest) != digest:
            problem = f"has results of another picture with the name {name}"
            raise ResultsError(path, problem, f"{_OTHER}, or rename the picture")


def _word(name: str, value: int | None) -> str:
    return f"{name} {value}" if value is not None else f"{name} left to each codec"


@contextmanager
def _writing(path: Path) -> Generator[None]:
    """Whatever the system has against it becomes an error with a next step."""
    try:
        yield
    except FileNotWritten:
        raise
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        fix = "make room, then run the same command again: it goes on where it stopped"
        raise FileNotWritten(path, problem, fix) from None


def _make(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
        files.check_target(path / RUN, force=True)
    except OSError as error:
        if isinstance(error, FileNotWritten):
            raise
        problem = f"cannot be a folder ({error.strerror})"
        raise FileNotWritten(path, problem, "give another folder (--out)") from None


def _repair(path: Path) -> None:
    """Cut off a last line without an end: what a killed process leaves of its last write."""
    path.touch()
    with path.open("r+b") as file:
        end = size = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - (1 << 16))
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < size:
            file.truncate(end)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
