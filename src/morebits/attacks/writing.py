"""An attacked picture as a file: the very bytes of its last step where that is a compression."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from morebits import files, images
from morebits.attacks import compression
from morebits.attacks.attack import Attack, eight_bits
from morebits.attacks.compression import Lossy
from morebits.errors import FileNotWritten, LossyFile
from morebits.images import Picture, Samples
from morebits.images.picture import frozen

#: A JPEG keeps EXIF data in one segment, with a head of its own.
_LONGEST_EXIF = 65533 - 6


@dataclass(frozen=True, eq=False)
class Attacked:
    """A file that was written: what reading it gives, and what it does not hold."""

    path: Path
    image: Samples = field(repr=False)
    notes: tuple[str, ...] = ()


def write(
    path: str | os.PathLike[str],
    image: object,
    attack: Attack,
    *,
    seed: int = 0,
    force: bool = False,
) -> Attacked:
    """Attack a picture and write the result, so that reading the file gives exactly the result.

    Lossless files hold any result. A JPEG, WebP or AVIF file is the one that the attack itself
    makes in its last step, so it must end with that word. ICC profile, EXIF and resolution are
    kept where the file can hold them; alpha is left out; a picture that lies on its side (EXIF
    orientation) is turned upright first. Notes say so.
    """
    target, source = Path(path), images.read(image)
    lossy = _lossy(target, attack)
    notes = ("alpha is left out",) if source.alpha is not None else ()
    picture = images.upright(replace(source, alpha=None))
    notes += picture.notes[len(source.notes) :]
    if picture.depth == 16 and attack.steps:
        picture = replace(picture, array=frozen(eight_bits(picture.array)), depth=8)
        notes += ("16 bits a sample rounded to 8",)
    if lossy is None:
        return _lossless(target, picture, attack, seed, force, notes)
    _check_target(target, picture, force)
    edited = eight_bits(Attack(attack.steps[:-1])(picture, seed=seed))
    extra, left_out = _metadata(picture, lossy)
    data = compression.encode(edited, lossy.word, int(attack.steps[-1].values[0]), **extra)
    files.write_bytes(target, data, force=force)
    return Attacked(target, compression.decode(data, edited.shape[2]), notes + left_out)


def _lossy(path: Path, attack: Attack) -> Lossy | None:
    """The lossy format to write; None for a lossless file."""
    chosen = compression.BY_SUFFIX.get(path.suffix.lower())
    last = attack.steps[-1].name if attack.steps else ""
    if chosen is None or last == chosen.word:
        return chosen
    if chosen.word == "webp":  # it has a lossless kind too
        return None
    end = "" if attack.text == "none" else f"{attack.text}|"
    problem = f"{chosen.name} would change the result once more"
    fix = f'end the attack with it, "{end}{chosen.word}:90", or write {path.stem}.png'
    raise LossyFile(path, problem, fix)


def _lossless(
    path: Path, picture: Picture, attack: Attack, seed: int, force: bool, notes: tuple[str, ...]
) -> Attacked:
    images.check_write(path, picture, force=force)  # before any work is done
    result = attack(picture, seed=seed)
    like = replace(picture, array=result)
    return Attacked(path, result, notes + images.write(path, result, like, force=force))


def _check_target(path: Path, picture: Picture, force: bool) -> None:
    try:
        same = picture.path is not None and path.samefile(picture.path)
    except (OSError, ValueError):  # one of them does not exist
        same = False
    if same:
        raise FileNotWritten(path, "is the picture itself", "choose another name")
    files.check_target(path, force=force)


def _metadata(picture: Picture, lossy: Lossy) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Pillow's arguments for what the picture brought along, and notes on what gets lost."""
    extra: dict[str, Any] = {}
    lost = list(picture.left_out)
    if picture.icc is not None:
        extra["icc_profile"] = picture.icc
    if picture.exif is not None and lossy.word == "jpeg" and len(picture.exif) > _LONGEST_EXIF:
        lost.append("EXIF (too long for a JPEG)")
    elif picture.exif is not None:
        extra["exif"] = b"Exif\0\0" + picture.exif
    if picture.dpi is not None and lossy.word == "jpeg":
        extra["dpi"] = picture.dpi
    return extra, (f"not kept from the picture: {', '.join(lost)}",) if lost else ()
