"""A results folder of made-up records, and a strict reader of HTML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from morebits.bench import records

COMBINED = "crop:0.71|jpeg:60"
#: A name that breaks tables and pages where nobody takes care.
RUDE = "<b>&|_.png"


def sample(codec: str, image: str, attack: str, **fields: Any) -> dict[str, Any]:
    blank = dict.fromkeys(records.Sample.__annotations__)
    marked = {"bits": 100, "psnr": 42.0, "ssim": 0.99, "fraction": 0.5, "status": "found"}
    shared = {} if attack == records.UNMARKED else marked
    common = {
        "schema": 1, "run": "r", "codec": codec, "options": {}, "image": image, "attack": attack,
        "seed": 0, "width": 10, "height": 10, "p_value": 1.0,
        "seconds": {"embed": 0.5, "extract": 0.25}, "perceptual": {},
    }  # fmt: skip
    return {**blank, **common, **shared, **fields}


def samples() -> list[dict[str, Any]]:
    """Codec a, good on one picture, and codec b, which never fails and claims nothing."""
    rows = []
    for image, psnr, right in (("one.png", 41.0, (1, 0.9, 0.6)), (RUDE, 43.0, (1, 0.7, None))):
        scores = {"ssimulacra2": 2 * psnr} if image == "one.png" else {}
        for attack, value in zip(("none", "jpeg:50", COMBINED), right, strict=True):
            more = {"bit_accuracy": value, "exact": value == 1, "psnr": psnr, "capacity": 10.0}
            more |= {"perceptual": {**scores, "lpips": 0.01}}
            if value is None:
                more |= {"error": "the attack left nothing", "status": None, "exact": None}
            rows.append(sample("a", image, attack, **more))
            right_bits = {"bit_accuracy": 1.0, "exact": True, "options": {"x": 1}, "bits": 10}
            rows.append(sample("b", image, attack, **right_bits, fraction=1e-6))
        rows.append(sample("a", image, records.UNMARKED, status="nothing"))
        rows.append(sample("b", image, records.UNMARKED, status="found", options={"x": 1}))
    return rows


def run(**fields: Any) -> dict[str, Any]:
    return {
        "schema": 1, "morebits": "0.1.0", "run": "r", "seed": 7, "bits": None,
        "started": "2026-01-01T00:00:00+00:00", "finished": None,
        "codecs": [{"codec": "b", "options": {"x": 1}}, {"codec": "a", "options": {}}],
        "attacks": ["jpeg:50", "none", COMBINED],
        "images": {"sources": ["nowhere/at all"], "files": {"one.png": "00", RUDE: "11"}},
        "sessions": [{"seconds": 60.0}],
        "machine": {"processor": "P", "cores": 2, "system": "S", "python": "3.11",
                    "metrics": {"cvvdp": "cvvdp is not installed: pip install cvvdp"}},
        "packages": {"numpy": "2.0"},
        **fields,
    }  # fmt: skip


def fill(folder: Path, rows: Iterable[Any], about: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / records.RUN).write_text(json.dumps(about))
    (folder / records.SAMPLES).write_bytes(b"".join(map(records.line, rows)))
    return folder


class Page(HTMLParser):
    """Reads a page and refuses what a strict reader would: tags that do not match."""

    VOID = frozenset({"meta", "img", "wbr", "br", "link", "input"})

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if self.open and {"td", "th"} & set(self.open[-2:]):
            self.rows[-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def row(self, start: str) -> list[str]:
        return next(row for row in self.rows if row and row[0].split("\n")[0].startswith(start))

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def twice(self) -> list[str]:
        ids = Counter(each["id"] for _, each in self.tags if each.get("id"))
        return [str(name) for name, count in ids.items() if count > 1]
