"""`morebits report`: from a folder of results to a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from morebits.cli import arguments, terminal

EXAMPLES = """\
Examples:

- `morebits report results`
- `morebits report results --out site --no-published`
"""


def report(
    folder: Path,
    /,
    *,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    published: Annotated[bool, Parameter(negative="--no-published")] = True,
    as_json: arguments.Json = False,
) -> None:
    """Write the report of a benchmark: a page that needs no network, Markdown and CSV.

    Parameters
    ----------
    folder
        The folder of results that `morebits bench --out` filled.
    out
        Folder to write to; left out: the folder of the results itself.
    published
        Put the figures that the paper prints beside ours.
    as_json
        Print a JSON list of the files.
    """
    from morebits.bench.report import report as write
    from morebits.cli import show

    with terminal.working(f"reporting {folder}"):
        files = write(folder, out=out, published=published)
    if as_json:
        show.print_json([str(each) for each in files])
    else:
        print(f"wrote {len(files)} files, start with {files[0]}")
