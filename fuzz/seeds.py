"""Write the first inputs of every target into `fuzz/corpus`: `python fuzz/seeds.py`.

Small valid files of every kind that is read; what fuzzing adds to them is kept beside.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image
from safetensors.numpy import save

from morebits import images, linear
from morebits.attacks.table import KINDS
from morebits.codecs import compact, compression, container
from morebits.images import formats
from morebits.neural import cards

CORPUS = Path(__file__).resolve().parent / "corpus"
_SMALL = np.random.default_rng(3).integers(0, 256, (5, 7, 3), np.uint8)


def main() -> None:
    """All of them."""
    for target, files in (
        ("container", _messages()),
        ("grammars", _texts()),
        ("cards", _cards()),
        ("pictures", _pictures()),
        ("marks", _marks()),
    ):
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)


def _messages() -> dict[str, bytes]:
    return {
        "container": container.pack(b"made by me", key=None, context=b""),
        "compact": compact.pack(b"made by me", key=None, size=20),
        "stored": b"\x10\0made by me",
        "lzma": b"\x11\0" + (compression.compress(b"again and " * 100) or b""),
        "newer": b"\x25\0later",
    }


def _texts() -> dict[str, bytes]:
    examples = [each.example for each in KINDS.values()]
    return {
        "attacks": "|".join(examples[:6]).encode(),
        **{f"attack-{each.partition(':')[0]}": each.encode() for each in examples},
        "social": b"social:1080|screenshot:0.8",
        "linear": b"crop:0.5|linjpeg:10",
        **{f"linear-{name}": name.encode() for name in linear.KNOWN},
    }


def _cards() -> dict[str, bytes]:
    card = cards.load_card("hidden")
    small = {"name": np.zeros(2, np.float32)}
    header = {"morebits.card": card.to_json(), "morebits.card.sha256": card.digest}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"model": {}}, 2))
        archive.writestr("archive/version", "3\n")
    toml = Path(cards.__file__).with_name("videoseal-tiny.toml")
    return {
        "card.toml": toml.read_bytes(),
        "card.json": card.to_json().encode(),
        "list.json": json.dumps([1]).encode(),
        "ours.safetensors": save(small, header),
        "other.safetensors": save(small),
        "checkpoint.pth": zipped.getvalue(),
        "old.pth": pickle.dumps({"model": {"a": 1}}, 2),
    }


def _pictures() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for mode in ("RGB", "RGBA", "L", "LA", "P", "1", "I;16"):
        image = Image.fromarray(_SMALL).convert("L" if mode == "I;16" else mode)
        image = image.convert("I;16") if mode == "I;16" else image
        for kind in ("PNG", "TIFF", "BMP", "GIF", "WEBP", "JPEG", "JPEG2000", "PPM", "AVIF", "TGA"):
            file = io.BytesIO()
            try:
                image.save(file, kind)
            except (OSError, ValueError, KeyError):  # a mode that this kind does not have
                continue
            found[f"{mode.replace(';', '')}.{kind.lower()}"] = file.getvalue()
    exif, profile = Image.Exif(), b"profile"
    exif[0x0112], exif[0x010E] = 6, "a description"
    for kind in ("PNG", "TIFF", "JPEG", "WEBP"):
        file = io.BytesIO()
        Image.fromarray(_SMALL).save(file, kind, exif=exif, icc_profile=profile, dpi=(72, 72))
        found[f"tagged.{kind.lower()}"] = file.getvalue()
    deep = images.read(_SMALL.astype(np.uint16) * 257)
    for chosen in formats.FORMATS:
        if 16 in chosen.depths and 3 in chosen.channels:
            found[f"deep{chosen.suffixes[0]}"] = chosen.encode(deep)
    return found


def _marks() -> dict[str, bytes]:
    small = _SMALL.tobytes()
    return {f"kind-{kind}-{more:x}": bytes([kind + more, 255]) + small
            for kind in range(5) for more in (0, 60, 120)}  # fmt: skip


if __name__ == "__main__":
    main()
