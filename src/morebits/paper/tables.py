"""A table as data: what the paper prints, what we find, the difference, and why they differ.

A table is written twice, as JSON and as Markdown, from the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from morebits.paper.printed import Relation

#: Beyond this relative difference a row has to say why.
TOLERANCE = 0.005
#: A rough figure of the text ("about", "roughly") holds up to this relative difference.
ROUGHLY = 0.1
#: The verdict of a row that has only the paper's figure.
PUBLISHED = "published"


@dataclass(frozen=True)
class Row:
    """One printed figure beside ours.

    `because` says why the two differ; it is shown only where they do. `decimals` says to how
    many the paper rounds. `more` holds further columns of ours that the paper does not have.
    Without `ours` the figure is the paper's alone: it was published, and nobody ran it here.
    """

    what: str
    paper: float
    ours: float | None
    unit: str
    place: str
    because: str
    relation: Relation = "equals"
    decimals: int | None = None
    more: Mapping[str, float | None] = field(default_factory=dict[str, "float | None"])

    @property
    def difference(self) -> float:
        """Ours minus the paper's; 0 without ours."""
        return 0.0 if self.ours is None else self.ours - self.paper

    @property
    def relative(self) -> float:
        """The difference as a fraction of the paper's figure."""
        return self.difference / abs(self.paper) if self.paper else math.inf

    @property
    def verdict(self) -> str:
        """`same`, `holds` (a limit or a rough figure that is met), or how ours differs.

        `published` without ours.
        """
        if self.ours is None:
            return PUBLISHED
        if abs(self.relative) <= TOLERANCE or self._shortened:
            return "same"
        if self.relation == "at least" and self.ours >= self.paper:
            return "holds"
        if self.relation == "at most" and self.ours <= self.paper * (1 + 1e-9):
            return "holds"
        if self.relation == "about" and abs(self.relative) <= ROUGHLY:
            return "holds"
        return "higher" if self.difference > 0 else "lower"

    @property
    def why(self) -> str:
        """Why ours differs, or nothing where it does not."""
        if self.ours is not None and abs(self.relative) <= TOLERANCE:
            return ""
        return self._shortened or self.because

    @property
    def _shortened(self) -> str:
        """How the paper shortened our figure, where it did just that."""
        if self.relation != "equals" or self.ours is None:
            return ""
        if self.paper == round(self.paper) and math.floor(self.ours) == self.paper:
            return "the paper cuts off the decimals"
        if self.decimals is not None and round(self.ours, self.decimals) == self.paper:
            return f"the paper rounds to {self.decimals} decimals"
        return ""

    def plain(self) -> dict[str, Any]:
        """Ready for JSON."""
        plain = asdict(self)
        for inner in ("because", "decimals"):
            plain.pop(inner)
        relative = self.relative if math.isfinite(self.relative) else None
        return plain | {
            "difference": None if self.ours is None else self.difference,
            "relative": None if self.ours is None else relative,
            "verdict": self.verdict,
            "why": self.why,
        }


@dataclass(frozen=True)
class Table:
    """A named table of rows, with notes that hold for all of them."""

    name: str
    title: str
    place: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "place": self.place,
            "rows": [row.plain() for row in self.rows],
            "notes": list(self.notes),
        }


def markdown(table: dict[str, Any]) -> str:
    """The Markdown of a table, from its JSON alone."""
    extra = list(dict.fromkeys(key for row in table["rows"] for key in row["more"]))
    head = ["what", "paper", "ours", "difference", "", *extra, "why it differs", "place"]
    align = ["---", "---:", "---:", "---:", "---", *["---:"] * len(extra), "---", "---"]
    lines = [f"# {table['title']}", "", f"In the paper: {table['place']}.", ""]
    lines += ["| " + " | ".join(head) + " |", "|" + "|".join(align) + "|"]
    lines += ["| " + " | ".join(_cells(row, extra)) + " |" for row in table["rows"]]
    lines += [""] + [f"- {note}" for note in table["notes"]]
    return "\n".join(lines).rstrip() + "\n"


def _cells(row: dict[str, Any], extra: list[str]) -> list[str]:
    sign = {"equals": "", "about": "about ", "at least": "at least ", "at most": "at most "}
    unit = f" {row['unit']}" if row["unit"] else ""
    return [
        row["what"],
        f"{sign[row['relation']]}{number(row['paper'])}{unit}",
        "–" if row["ours"] is None else f"{number(row['ours'])}{unit}",
        _difference(row),
        row["verdict"],
        *("" if row["more"].get(key) is None else number(row["more"][key]) for key in extra),
        row["why"],
        row["place"],
    ]


def _difference(row: dict[str, Any]) -> str:
    value, relative = row["difference"], row["relative"]
    if value is None:
        return "–"
    text = number(value) if value <= 0 else f"+{number(value)}"
    return text if relative is None else f"{text} ({relative:+.2%})"


def number(value: float) -> str:
    """Whole numbers above 1000, else four figures.

    >>> number(602352.9), number(64.4617), number(0.10703), number(2)
    ('602,353', '64.46', '0.107', '2')
    """
    if value == round(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"
