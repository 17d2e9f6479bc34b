"""Recipes that come with the package: the published models, and the paper's gray study."""

from __future__ import annotations

from importlib import resources

_FOLDER = resources.files("morebits.train") / "recipe_files"


def names() -> tuple[str, ...]:
    """The recipes, in order.

    >>> "chunkyseal" in names()
    True
    """
    files = (each.name for each in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def text(name: str) -> str:
    """The TOML of a recipe.

    >>> text("chunkyseal").startswith("#")
    True
    """
    return (_FOLDER / f"{name}.toml").read_text("utf-8")
