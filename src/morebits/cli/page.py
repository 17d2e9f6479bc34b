"""`morebits app`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from morebits.cli import arguments, terminal
from morebits.errors import MissingExtra

EXAMPLES = """\
Examples:

- `morebits app`
- `morebits app --port 9000 --no-browser`
- `morebits app --max-megapixels 200 --keep-minutes 10`

It ends with Ctrl-C, and removes its temporary files. From another machine, safely:
`ssh -L 8642:127.0.0.1:8642 HOST`, and open http://127.0.0.1:8642/ there.
"""

Number = Annotated[float, Parameter(metavar="N", allow_leading_hyphen=True)]
Names = Annotated[tuple[str, ...], Parameter(negative=(), metavar="NAME", show_default=False)]


def app(
    *,
    host: Annotated[str, Parameter(metavar="ADDRESS")] = "127.0.0.1",
    port: Annotated[int | None, Parameter(metavar="N", allow_leading_hyphen=True)] = None,
    no_browser: arguments.Flag = False,
    max_megabytes: Number = 200.0,
    max_megapixels: arguments.Megapixels = None,
    keep_minutes: Number = 60.0,
    jobs: Annotated[int, Parameter(metavar="N", allow_leading_hyphen=True)] = 2,
    allow_host: Names = (),
) -> int:
    """Open a page in the browser: drop a photo, hide, look, attack, reveal.

    The page is served by this machine for this machine; nothing leaves it.

    Parameters
    ----------
    host
        Address to listen at. With another one than 127.0.0.1, everyone who reaches it can use
        the page, and what is sent is not encrypted.
    port
        Port to listen at; left out: 8642, or any free one.
    no_browser
        Only print the address.
    max_megabytes
        Refuse larger files.
    max_megapixels
        Refuse larger pictures (default 100); raise it for files that you trust.
    keep_minutes
        Remove pictures that were not used for so long.
    jobs
        Processes that do the work.
    allow_host
        A further name under which the page may be opened; may be repeated.
    """
    try:
        from morebits.app import serving
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "starlette", "app") from None
    from morebits.app.settings import Settings

    settings = Settings(
        host, port, max_megabytes, arguments.pixels(max_megapixels), keep_minutes, jobs, allow_host
    )
    if not settings.local:
        terminal.say(f"morebits: note: everyone who reaches {host} can use this page")

    def tell(address: str) -> None:
        print(address, flush=True)
        terminal.say("morebits: the page is open at this address; Ctrl-C ends it")

    serving.serve(settings, tell, browser=not no_browser)
    return 0
