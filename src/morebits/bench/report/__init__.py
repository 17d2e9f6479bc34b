"""From a folder of results to a page, a Markdown file and tables: `report`."""

from __future__ import annotations

import os
from pathlib import Path

from morebits import files
from morebits.bench.report import command, content, examples, figures, page, texts
from morebits.errors import FileNotWritten


def report(
    folder: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    published: bool = True,
) -> tuple[Path, ...]:
    """Write the report of a results folder, and return the files, the page first.

    `report.html` needs no other file and no network; `report.md` shows the figures of
    `figures/`; `summary.csv` and `attacks.csv` have the numbers. They go to `out`, by default
    the results folder itself, over those of an earlier report. `published` puts the paper's own
    figures beside ours. Needs the extra `report`.

    The same folder gives the same files. Example pictures are made again from the run, if the
    photos are still where they were; if not, the page says so.
    """
    found = content.gather(folder, beside_published=published)
    target = _made(Path(folder) if out is None else Path(out))
    drawn = figures.draw(found)
    again = command.command(found.run, folder)
    linked = {f"figures/{each.name}.svg": (each.title, each.words) for each in drawn}
    written = {
        "report.html": page.render(found, drawn, examples.examples(found), again),
        "report.md": texts.markdown(found, again, linked),
        "summary.csv": texts.summary_csv(found),
        "attacks.csv": texts.attacks_csv(found),
        **{f"figures/{each.name}.svg": each.svg for each in drawn},
    }
    _made(target / "figures")
    for name, text in written.items():
        files.write_bytes(target / name, text.encode(), force=True)
    return tuple(target / name for name in written)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be a folder ({error.strerror})"
        raise FileNotWritten(folder, problem, "give another folder (--out)") from None
    return folder
