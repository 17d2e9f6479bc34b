"""Weights in files: ours as safetensors with the card in the header, or official checkpoints."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from morebits import files
from morebits.codecs import fixed
from morebits.errors import InputError, WeightsError
from morebits.neural import checkpoints
from morebits.neural.cards import Card, from_json, load_card
from morebits.neural.report import Report
from morebits.neural.watermarker import Watermarker, build, usable

#: The names of our fields in the header of a safetensors file.
_CARD, _DIGEST = "morebits.card", "morebits.card.sha256"


@dataclass(frozen=True)
class Loaded:
    """A watermarker with the weights of a file, and what became of each tensor."""

    watermarker: Watermarker
    report: Report


def save(watermarker: Watermarker, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write the weights, and the card with its hash, as safetensors; `force` replaces a file.

    The card in the file has the strength that the watermarker has now.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> save(build("videoseal-tiny"), Path(folder.name, "tiny.safetensors"))
    >>> load(Path(folder.name, "tiny.safetensors")).card.name
    'videoseal-tiny'
    >>> folder.cleanup()
    """
    files.check_target(path, force=force)
    tensors = {name: each.contiguous() for name, each in watermarker.state_dict().items()}
    card = replace(watermarker.card, scaling_w=watermarker.scaling_w)
    header = {_CARD: card.to_json(), _DIGEST: card.digest}
    files.write_with(path, lambda part: _write(part, tensors, header), force=force)


def _write(path: Path, tensors: dict[str, Tensor], header: dict[str, str]) -> None:
    """Straight from where they are: weights may fill most of the memory."""
    safetensors = fixed.load("safetensors.torch", "safetensors", "neural")
    try:
        safetensors.save_file(tensors, path, header)
    except fixed.load("safetensors", "safetensors", "neural").SafetensorError as error:
        text = " ".join(str(error).split())
        number = re.search(r"\(os error (\d+)\)", text)  # the library hides it in its words
        raise (OSError(int(number[1]), text) if number else OSError(text)) from None


def load(
    path: str | os.PathLike[str],
    card: str | os.PathLike[str] | Card | None = None,
    *,
    bits: int | None = None,
    device: str | torch.device = "cpu",
) -> Watermarker:
    """The watermarker of a file, in evaluation mode; WeightsError when they do not fit.

    A file of ours needs no card; a checkpoint of the authors does. `bits` asks for another length
    of message than the card's; for a file of ours it is the file's unless told otherwise.
    """
    return inspect(path, card, bits=bits, device=device).watermarker


def inspect(
    path: str | os.PathLike[str],
    card: str | os.PathLike[str] | Card | None = None,
    *,
    bits: int | None = None,
    device: str | torch.device = "cpu",
) -> Loaded:
    """As `load`, with the report of what matched, and what was ignored."""
    asked = None if card is None else load_card(card)
    if not Path(path).is_file():
        raise InputError("weights", str(path), "there is no such file, give the path of one")
    if asked is not None:
        _check_hash(path, asked)
    if _is_safetensors(path):
        tensors, written = _read_safetensors(path)
        wanted = _agreed(path, asked, bits, written)
        ignored: tuple[str, ...] = ()
    else:
        if asked is None:
            raise InputError("card", None, f"{path} does not say which, name it: videoseal-1.0")
        wanted = asked if bits is None else asked.with_bits(bits)
        tensors, ignored = checkpoints.read(path)
    return _fitted(path, wanted, tensors, ignored, device)


def _fitted(
    path: str | os.PathLike[str],
    card: Card,
    tensors: Mapping[str, Tensor],
    ignored: tuple[str, ...],
    device: str | torch.device,
) -> Loaded:
    """The tensors in the place of those of a network that has shapes alone."""
    watermarker = build(card, "meta")
    report = match(watermarker, tensors, ignored)
    report.check(path, card.name)
    mine, place = watermarker.state_dict(), usable(device)
    chosen = {name: tensors[name].to(place, mine[name].dtype) for name in report.matched}
    watermarker.load_state_dict(chosen, assign=True)
    for each in watermarker.parameters():  # assigned tensors come without
        each.requires_grad_(True)
    return Loaded(watermarker.eval(), report)


def match(
    watermarker: Watermarker, tensors: Mapping[str, Tensor], ignored: tuple[str, ...] = ()
) -> Report:
    """Which tensors of a file belong where, by name and shape."""
    mine = watermarker.state_dict()
    common = [name for name in mine if name in tensors]
    wrong = [name for name in common if tensors[name].shape != mine[name].shape]
    return Report(
        tuple(name for name in common if name not in set(wrong)),
        tuple(name for name in mine if name not in tensors),
        (*ignored, *(name for name in tensors if name not in mine)),
        tuple(
            f"{name} is {tuple(tensors[name].shape)} and not {tuple(mine[name].shape)}"
            for name in wrong
        ),
    )


def _is_safetensors(path: str | os.PathLike[str]) -> bool:
    """Our files begin with the length of a header in JSON, checkpoints with PK or a pickle."""
    with Path(path).open("rb") as file:
        return file.read(9)[8:] == b"{"


def _read_safetensors(path: str | os.PathLike[str]) -> tuple[dict[str, Tensor], Card | None]:
    safetensors = fixed.load("safetensors", "safetensors", "neural")
    try:
        with safetensors.safe_open(path, framework="pt", device="cpu") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except safetensors.SafetensorError as error:
        raise WeightsError(path, f"is damaged ({error})", "get the file again") from None
    if _CARD not in header:
        return tensors, None
    card = from_json(header[_CARD], str(path))
    if card.digest != header.get(_DIGEST):
        raise WeightsError(path, "its card does not have its hash", "get the file again")
    return tensors, card


def _agreed(
    path: str | os.PathLike[str], asked: Card | None, bits: int | None, written: Card | None
) -> Card:
    """The card of a file of ours, which must do what the one asked for does."""
    if written is None:
        if asked is None:
            raise InputError("card", None, f"{path} has none in its header, name it")
        return asked if bits is None else asked.with_bits(bits)
    wanted = written if asked is None else asked.with_bits(written.bits)
    wanted = wanted if bits is None else wanted.with_bits(bits)
    if wanted.digest != written.digest:
        names = ", ".join(wanted.differences(written))
        problem = f"was written for {written.name}, which differs in {names}"
        raise WeightsError(path, problem, 'leave the card out: mb.codec("neural", weights=...)')
    return wanted


def _check_hash(path: str | os.PathLike[str], card: Card) -> None:
    if card.sha256 is None:
        return
    with Path(path).open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != card.sha256:
        problem = f"has the SHA-256 {found}, the card {card.name} says {card.sha256}"
        raise WeightsError(path, problem, f"get the file again from {card.source or 'its origin'}")
