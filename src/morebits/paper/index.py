"""The page that leads to everything: what reproduces, what does not, and why."""

from __future__ import annotations

from typing import Any

from morebits.paper.tables import PUBLISHED


def page(tables: list[dict[str, Any]], figures: list[dict[str, Any]], seconds: float) -> str:
    """Markdown with links, from the JSON of the tables and the captions of the figures."""
    every = [row for table in tables for row in table["rows"]]
    rows = [row for row in every if row["verdict"] != PUBLISHED]
    same = sum(row["verdict"] == "same" for row in rows)
    holds = sum(row["verdict"] == "holds" for row in rows)
    rest = len(rows) - same - holds
    lines = [
        "# The paper, regenerated",
        "",
        f"Of {len(rows)} comparisons with printed figures, {same} come out the same, {holds} hold "
        f"as the rough figures or limits they are, and {rest} differ; "
        f"{len(every) - len(rows)} more are published figures that nobody ran here. "
        f"Computed in {seconds:.0f} s.",
        "",
        "## What differs, and why",
        "",
        *_differences(tables),
        "",
        "## Tables",
        "",
        *(_table_line(table) for table in tables),
        "",
        "## Figures",
        "",
    ]
    for each in figures:
        name = each["name"]
        lines += [
            f"### {each['title']}",
            "",
            f"![{each['title']}](figures/{name}.png)",
            "",
            f"{each['caption']} In the paper: {each['place']}. "
            f"[SVG](figures/{name}.svg), [numbers](figures/{name}.json)",
            "",
        ]
    return "\n".join(lines)


def _table_line(table: dict[str, Any]) -> str:
    name = table["name"]
    return f"- [{table['title']}](tables/{name}.md) ([JSON](tables/{name}.json))"


def _differences(tables: list[dict[str, Any]]) -> list[str]:
    """One entry for each reason, with the rows it explains."""
    found: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for row in table["rows"]:
            if row["verdict"] in ("higher", "lower"):
                relative = row["relative"]
                amount = row["verdict"] if relative is None else f"{relative:+.1%}"
                rows = found.setdefault(row["why"], {}).setdefault(table["name"], [])
                rows.append(f"{row['what']} ({amount})")
    if not found:
        return ["Nothing."]
    lines: list[str] = []
    for why, places in found.items():
        lines.append(f"- {why[:1].upper()}{why[1:]}:")
        lines += [
            f"  - [{name}](tables/{name}.md): {', '.join(rows)}" for name, rows in places.items()
        ]
    return lines
