"""`morebits doctor`: is this installation well?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from morebits.cli import arguments, terminal

if TYPE_CHECKING:
    from morebits.doctor import Report

EXAMPLES = """\
Examples:

- `morebits doctor`
- `morebits doctor --json`
"""


def doctor(*, as_json: arguments.Json = False) -> int:
    """Say what is installed and which extras can be loaded, and try each codec for real.

    Every check has a process of its own, with its time and the memory it took. Extras that are
    not installed are no fault. The exit code is 1 if something is there and does not work.

    Parameters
    ----------
    as_json
        Print one JSON object.
    """
    from morebits import doctor as room
    from morebits.cli import show

    found = room.examine(lambda name: terminal.say(f"morebits: trying {name}"))
    if as_json:
        show.print_json(found.to_dict())
    else:
        _table(found)
    return 0 if found else 1


def _table(found: Report) -> None:
    from morebits.cli import show
    from morebits.human import in_bytes

    total = "" if found.memory is None else f", {in_bytes(8 * found.memory)} of memory"
    show.pairs([
        ("morebits", f"{found.version}, {found.folder}"),
        ("Python", found.python),
        ("machine", f"{found.system}, {found.cores} cores{total}"),
    ])  # fmt: skip
    show.health(found.checks)
    broken = [check.name for check in found.checks if check.state == "broken"]
    if broken:
        print(f"Not well: {', '.join(broken)}.")
    else:
        print(f"Everything that is installed works; {found.seconds:.1f} s.")
