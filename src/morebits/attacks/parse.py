"""`parse`: the words of the grammar as attacks."""

from __future__ import annotations

from functools import reduce
from operator import or_

from morebits.attacks.attack import Attack, Step
from morebits.attacks.table import IDENTITY, KINDS, KNOWN, PIPELINES
from morebits.errors import InputError, UnknownName
from morebits.grammar import Word, check_count, split

_EXAMPLE = "crop:0.8|jpeg:50"


def parse(text: str) -> Attack:
    """The attack of a text such as `crop:0.8|jpeg:50`; `none` changes nothing.

    >>> parse("Crop: 0.80 | jpeg:50").text
    'crop:0.8|jpeg:50'
    >>> parse("social:1080").text
    'fit:1080|crop:0.96|jpeg:70'
    """
    words = split(text, kind="attack", example=_EXAMPLE)
    return reduce(or_, (_attack(word) for word in words))


def _attack(word: Word) -> Attack:
    if word.name == IDENTITY:
        check_count(word, 0, kind="attack", example=IDENTITY)
        return Attack()
    if word.name in PIPELINES:
        return _pipeline(word)
    if word.name not in KINDS:
        raise UnknownName("attack", word.name, KNOWN)
    return Attack((Step(word.name, KINDS[word.name].numbers(word)),))


def _pipeline(word: Word) -> Attack:
    """The words that a pipeline stands for; errors speak of the pipeline."""
    template, example, _ = PIPELINES[word.name]
    check_count(word, 1, kind="attack", example=example)
    try:
        return parse(template.format(word.values[0]))
    except InputError as error:
        expected = error.expected.partition(", for example")[0].partition(", write for")[0]
        raise InputError("attack", word.text, f"{expected}, for example {example}") from None
