"""`morebits models`: which codecs there are."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from morebits.cli import arguments


@dataclass(frozen=True)
class Model:
    """A codec in a line: whether it reads without the cover, what for, and what it needs."""

    name: str
    blind: bool
    purpose: str
    extra: str | None = None


MODELS = (
    Model("robust", True, "any photo; the payload survives edits; what hide uses"),
    Model("trellis", True, "any photo, close to the exact bound; any edit destroys it"),
    Model("box", True, "the paper's codec, for a picture of one gray"),
    Model("shaped", False, "any cover that the reader has too; the exact bound, nearly reached"),
    Model("singular", False, "gray cover; the message survives a linear edit"),
    Model("tiled", False, "any of the others on each tile of a large picture"),
)


def models(*, as_json: arguments.Json = False) -> None:
    """List the codecs: which read a picture without its cover, and what each is for.

    Parameters
    ----------
    as_json
        Print a list of JSON objects.
    """
    from morebits.cli import show

    if as_json:
        show.print_json([asdict(each) for each in MODELS])
    else:
        show.models(MODELS)
