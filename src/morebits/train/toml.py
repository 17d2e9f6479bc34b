"""Configurations as TOML: read with every mistake named, and written so that they read back.

A file has the fields of `TrainConfig`, flat. A table `[sweep]` may follow: lists of values of
some fields, every combination of which is a run.
"""

from __future__ import annotations

import difflib
import itertools
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from morebits.errors import InputError
from morebits.train import recipes
from morebits.train.config import TrainConfig

FIELDS = tuple(each.name for each in fields(TrainConfig))


@dataclass(frozen=True)
class Plan:
    """A configuration, and the values that a sweep goes through by the name of their field."""

    config: TrainConfig
    sweep: Mapping[str, tuple[Any, ...]] = field(default_factory=dict[str, tuple[Any, ...]])

    def runs(self) -> Iterator[tuple[str, TrainConfig]]:
        """Every combination with its name, such as `lr=0.0005,lambda_image=1.0`."""
        for values in itertools.product(*self.sweep.values()):
            chosen = dict(zip(self.sweep, values, strict=True))
            name = ",".join(f"{key}={value}" for key, value in chosen.items())
            yield name, replace(self.config, **chosen)


def read(source: str | os.PathLike[str], changes: Sequence[str] = ()) -> Plan:
    """The plan in a TOML file, or in the recipe of that name, with `changes` such as "lr=0.1".

    >>> read("videoseal-256", ["batch=32"]).config.batch
    32
    """
    try:
        text = _text(source)
        values = tomllib.loads(text)
    except (OSError, ValueError) as error:  # ValueError: not TOML, not UTF-8, a NUL in the name
        reason = " ".join(str(getattr(error, "strerror", None) or error).split())
        known = ", ".join(recipes.names())
        expected = f"cannot be read ({reason}); give a TOML file or a recipe: {known}"
        raise InputError("config", os.fspath(source), expected) from None
    return parse(values | _changed(changes))


def parse(values: Mapping[str, Any]) -> Plan:
    """The plan in a table; InputError for a field that does not exist, with the nearest one.

    >>> parse({"lr": 0.1, "bach": 2})
    Traceback (most recent call last):
        ...
    morebits.errors.InputError: bach is 2: there is no such field, the nearest is batch
    """
    plain = {name: value for name, value in values.items() if name != "sweep"}
    sweep = values.get("sweep", {})
    if not isinstance(sweep, dict):
        raise InputError("sweep", sweep, "give a table: [sweep] and lists of values by field")
    for name, value in itertools.chain(plain.items(), sweep.items()):
        if name not in FIELDS:
            raise _unknown(name, value)
    for name, value in sweep.items():
        if not isinstance(value, list) or not value:
            raise InputError(f"sweep.{name}", value, "give a list of values")
    plan = Plan(TrainConfig(**plain), {name: tuple(value) for name, value in sweep.items()})
    list(plan.runs())  # each of them is checked now, and not after the first hundred hours
    return plan


def write(config: TrainConfig) -> str:
    """The configuration as TOML, every field.

    >>> read_back = parse(tomllib.loads(write(TrainConfig(bits=64, scaling=(1, .2),
    ...     scaling_epochs=(0, 1))))).config
    >>> read_back.bits, read_back.scaling
    (64, (1, 0.2))
    """
    return "".join(
        f"{name} = {shown(value)}\n" for name, value in asdict(config).items() if value is not None
    )


def _changed(changes: Sequence[str]) -> dict[str, Any]:
    """Fields as a person types them: TOML, where words need no quotes."""
    found: dict[str, Any] = {}
    for each in changes:
        name, _, word = each.partition("=")
        if not word:
            raise InputError("set", each, "give FIELD=VALUE, such as lr=0.0001")
        try:
            found |= tomllib.loads(f"{name.strip()} = {word}")
        except tomllib.TOMLDecodeError:
            found[name.strip()] = word
    return found


def _text(source: str | os.PathLike[str]) -> str:
    name = os.fspath(source)
    if name in recipes.names() and not Path(name).exists():
        return recipes.text(name)
    return Path(source).read_text("utf-8")


def _unknown(name: str, value: Any) -> InputError:
    near = difflib.get_close_matches(name, FIELDS, 1, 0)
    return InputError(name, value, f"there is no such field, the nearest is {near[0]}")


def shown(value: Any) -> str:
    """A value as TOML has it; texts, numbers, lists and truth values of JSON are nearly the same.

    >>> shown(("a", 0.5)), shown(True)
    ('["a", 0.5]', 'true')
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
