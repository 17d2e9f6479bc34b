"""What the page can ask for: each task checks its fields, starts a job and keeps the result."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from morebits import attacks
from morebits.app import work
from morebits.app.asking import Asked
from morebits.app.settings import Settings
from morebits.app.store import Kept, Store
from morebits.app.work import pictures
from morebits.app.work.pictures import File
from morebits.app.workers import Job, Workers
from morebits.errors import InputError
from morebits.hiding import DEFAULT_SECONDS
from morebits.images import formats

#: What marked pictures are written to: suffix, and whether a quality makes sense.
FILES = (".png", ".jpg", ".webp", ".avif", ".tif")
#: Most letters of a text to hide; files may be longer.
_LONGEST_TEXT = 1_000_000
#: Seconds that a search for a mark may take, at most.
_MOST_SECONDS = 600.0
_PSNR = {"low": 0.0, "high": 200.0}


class Tasks:
    """The jobs of one page, and where their results go."""

    def __init__(self, store: Store, workers: Workers, settings: Settings):
        self.store, self.workers, self.settings = store, workers, settings
        self.by_name: dict[str, Callable[[Asked], Job]] = {
            "capacity": self.capacity,
            "under": self.under,
            "room": self.room,
            "hide": self.hide,
            "save": self.save,
            "attack": self.attack,
            "trials": self.trials,
            "reveal": self.reveal,
        }

    def receive(self, kept: Kept) -> Job:
        """Decode an upload; what is no picture is not kept."""
        arguments = {"file": self._file(kept), "folder": kept.folder}
        return self.workers.start(
            pictures.receive, arguments, partial(self._known, kept), self._remover(kept)
        )

    def capacity(self, asked: Asked) -> Job:
        """The curves of a picture."""
        file = self._file(self._picture(asked))
        return self.workers.start(work.measuring.capacity, {"file": file}, _same)

    def under(self, asked: Asked) -> Job:
        """What an edit leaves of the curves."""
        known = self._picture(asked).facts
        size = [known[name] for name in ("channels", "width", "height", "depth")]
        arguments = {
            "size": size, "edit": asked.text("edit"), "certified": asked.flag("certified"),
        }  # fmt: skip
        return self.workers.start(work.measuring.under, arguments, _same)

    def room(self, asked: Asked) -> Job:
        """How many bytes a codec takes."""
        arguments = {"file": self._file(self._picture(asked)), **_how(asked)}
        del arguments["mask"]
        return self.workers.start(work.measuring.room, arguments, _same)

    def hide(self, asked: Asked) -> Job:
        """Hide a text or an uploaded file."""
        cover = self._picture(asked)
        payload = self._payload(asked)
        key, options = asked.optional_text("key"), _how(asked)
        marked = self.store.new("marked", f"{Path(cover.name).stem}-marked", (cover.id,))
        arguments = {
            "file": self._file(cover), "folder": marked.folder,
            "payload": payload, "key": key, **options,
        }  # fmt: skip

        def finish(found: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
            facts, secret = found
            marked.secret.update(secret)
            marked.facts["cover"] = cover.id
            return self._known(marked, facts)

        return self.workers.start(work.hiding.hide, arguments, finish, self._remover(marked))

    def save(self, asked: Asked) -> Job:
        """Write a marked or an edited picture to a file that can be downloaded."""
        kept = self._picture(asked)
        if kept.kind == "edited":
            source, edits = self.store.get(kept.facts["source"]), kept.facts["edits"]
            target = kept.folder / f"edited{work.attacking.suffix(edits)}"
            arguments = {
                "file": self._file(source), "edits": edits, "seed": kept.facts["seed"],
                "target": target,
            }  # fmt: skip
            return self.workers.start(
                work.attacking.save, arguments, partial(self._written, kept, kept.name)
            )
        if kept.kind != "marked":
            raise InputError("picture", kept.name, "hide something in it first")
        suffix = asked.one_of("suffix", *FILES)
        quality = asked.optional_number("quality", low=1, high=100)
        arguments = {
            "file": self._file(self.store.get(kept.facts["cover"])),
            "samples": kept.folder / pictures.SAMPLES,
            "secret": dict(kept.secret),
            "target": kept.folder / f"marked{suffix}",
            "quality": None if quality is None else int(quality),
        }
        return self.workers.start(
            work.hiding.save, arguments, partial(self._written, kept, kept.name)
        )

    def attack(self, asked: Asked) -> Job:
        """Edit a picture."""
        source = self._picture(asked)
        edits, seed = attacks.parse(asked.text("edits")).text, _seed(asked)
        edited = self.store.new("edited", f"{Path(source.name).stem}-edited", (source.id,))
        edited.facts.update(source=source.id, seed=seed)
        arguments = {
            "file": self._file(source), "folder": edited.folder, "edits": edits, "seed": seed,
        }  # fmt: skip
        return self.workers.start(
            work.attacking.attack, arguments, partial(self._known, edited), self._remover(edited)
        )

    def trials(self, asked: Asked) -> Job:
        """All edits of a suite, on a marked picture."""
        marked = self.store.get(asked.text("picture"), "marked")
        suite = asked.one_of("suite", *attacks.SUITES)
        arguments = {
            "file": self._file(marked), "suite": suite, "seconds": _seconds(asked),
            "payload": marked.secret["payload"], "key": marked.secret["key"],
            "seed": _seed(asked),
        }  # fmt: skip
        return self.workers.start(work.attacking.trials, arguments, _same)

    def reveal(self, asked: Asked) -> Job:
        """Look into any picture."""
        kept = self._picture(asked)
        arguments = {
            "file": self._file(kept), "key": asked.optional_text("key"),
            "seconds": _seconds(asked), "traces": asked.flag("traces"),
        }  # fmt: skip

        def finish(found: tuple[dict[str, Any], bytes | None]) -> dict[str, Any]:
            facts, payload = found
            if payload is None:
                return facts
            revealed = self.store.new("payload", f"{Path(kept.name).stem}-payload")
            revealed.secret["payload"] = payload
            return {**facts, "payload": revealed.id}

        return self.workers.start(work.revealing.reveal, arguments, finish)

    def _remover(self, kept: Kept) -> Callable[[], None]:
        return partial(self.store.remove, kept.id)

    def _picture(self, asked: Asked) -> Kept:
        return self.store.get(asked.text("picture"), "picture", "marked", "edited")

    def _payload(self, asked: Asked) -> bytes:
        id = asked.optional_text("payload")
        if id is not None:
            return self.store.get(id, "payload").secret["payload"]
        return asked.text("text", longest=_LONGEST_TEXT).encode()

    def _file(self, kept: Kept) -> File:
        name = "upload" if kept.kind == "picture" else pictures.SAMPLES
        return File(kept.folder / name, kept.name, self.settings.max_pixels)

    def _known(self, kept: Kept, facts: dict[str, Any]) -> dict[str, Any]:
        kept.facts.update(facts)
        return {"picture": kept.id, "name": kept.name, **kept.facts}

    def _written(self, kept: Kept, name: str, written: dict[str, Any]) -> dict[str, Any]:
        """A file of its own, so that it stays what it is whatever is written next."""
        path: Path = written.pop("path")
        file = self.store.new("file", f"{name}{path.suffix}")
        shutil.move(path, file.folder / f"{secrets.token_hex(4)}{path.suffix}")
        file.facts["suffix"] = path.suffix
        return {"file": file.id, "name": file.name, "of": kept.id, **written}


def _how(asked: Asked) -> dict[str, Any]:
    """The codec with the options that it has."""
    codec = asked.one_of("codec", "robust", "trellis")
    psnr, survive, mask = (
        asked.optional_number("psnr", **_PSNR), asked.edits("survive"), asked.flag("mask")
    )  # fmt: skip
    if codec == "robust" and mask:
        raise InputError("mask", mask, "leave it out, robust has a mask of its own")
    if codec == "trellis" and survive is not None:
        raise InputError("survive", survive, "leave it out, no edit leaves what trellis hides")
    return {"codec": codec, "psnr": psnr, "survive": survive, "mask": mask}


def _seconds(asked: Asked) -> float:
    found = asked.optional_number("seconds", low=0.1, high=_MOST_SECONDS)
    return DEFAULT_SECONDS if found is None else found


def _seed(asked: Asked) -> int:
    return asked.whole("seed", low=0, high=10**9, default=0)


def _same(result: Any) -> Any:
    return result


def lossless(suffix: str) -> bool:
    """Whether a file of this kind can keep a fragile mark.

    >>> lossless(".png"), lossless(".jpg")
    (True, False)
    """
    return suffix in formats.LOSSLESS
