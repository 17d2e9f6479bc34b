"""The paper's two extended tables as data, to put beside our own: never measured by us.

`sa1b.json` and `coco.json` lie beside this module, so that an installed package has them: seven
methods, 56 bit accuracies and seven other figures each, as printed, with their source. The
photos, their number and the code were the authors': `MARK` goes wherever a figure is shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from morebits.attacks import SUITES
from morebits.attacks.labels import PAPER

#: To be shown with every published figure.
MARK = "published, their photos"

_FILES = ("sa1b.json", "coco.json")


@dataclass(frozen=True)
class Published:
    """One method on one set of photos.

    `accuracy` maps the text of an attack to the mean bit accuracy, 0 to 1, in the table's
    order; `printed` maps every label of the table to the figure as printed (bits, dB, seconds
    or percent). `ssim`, `ms_ssim` and `lpips` are means, too, and `embed_seconds` and
    `extract_seconds` are of the authors' machine.
    """

    method: str
    photos: str
    bits: int
    psnr: float
    ssim: float
    ms_ssim: float
    lpips: float
    embed_seconds: float
    extract_seconds: float
    accuracy: Mapping[str, float]
    printed: Mapping[str, float]
    source: str
    mark: str = MARK

    @property
    def label(self) -> str:
        """The method as a heading: its name, the photos, and that it is published."""
        return f"{self.method} on {self.photos} ({self.mark})"

    @property
    def overall(self) -> float:
        """The paper's "Overall": the mean of the 28 settings of suite `paper-compact`, 0 to 1.

        >>> round(100 * published()[0].overall, 2)
        99.15
        """
        settings = SUITES["paper-compact"]
        return sum(self.accuracy[text] for text in settings) / len(settings)


@cache
def published() -> tuple[Published, ...]:
    """Every method of both tables, SA-1B first, in the order of the columns.

    >>> [each.label for each in published()][:2]
    ['Chunky Seal on SA-1B (published, their photos)', 'Video Seal 256 on SA-1B (published, ...)']
    """
    return tuple(each for name in _FILES for each in _methods(_table(name)))


def _table(name: str) -> dict[str, Any]:
    return json.loads((resources.files(__name__) / name).read_text(encoding="utf-8"))


def _methods(table: dict[str, Any]) -> list[Published]:
    source = "; ".join(table["source"].values())
    found: list[Published] = []
    for column, method in enumerate(table["methods"]):
        printed = {row["label"]: row["values"][column] for row in table["rows"]}
        accuracy = {
            PAPER[_words(row["label"])]: row["values"][column] / 100
            for row in table["rows"]
            if row["unit"] == "%"
        }
        found.append(
            Published(
                method=method,
                photos=table["photos"],
                bits=printed["Capacity"],
                psnr=printed["PSNR"],
                ssim=printed["SSIM"],
                ms_ssim=printed["MS-SSIM"],
                lpips=printed["LPIPS"],
                embed_seconds=printed["Embedding Time"],
                extract_seconds=printed["Extraction Time"],
                accuracy=MappingProxyType(accuracy),
                printed=MappingProxyType(printed),
                source=source,
            )
        )
    return found


def _words(label: str) -> str:
    """What a row of bit accuracies has in brackets; the row without an attack has none."""
    inside = label.removeprefix("Bit Acc.").strip()
    return inside.removeprefix("(").removesuffix(")") or "Identity"
