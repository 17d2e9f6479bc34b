"""`parse`: the words of the grammar as edits."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_

from morebits.errors import UnknownName
from morebits.grammar import Word, check_count, number, split
from morebits.linear import edits
from morebits.linear.edit import Edit
from morebits.linear.jpeg import lin_jpeg

#: name -> (maker, example, numbers, whether the last value may be an interpolation)
_WORDS: dict[str, tuple[Callable[..., Edit], str, int, bool]] = {
    "blur": (edits.gaussian_blur, "blur:1.5", 1, False),
    "brightness": (edits.brightness, "brightness:1.2", 1, False),
    "contrast": (edits.contrast, "contrast:0.8", 1, False),
    "crop": (edits.crop_rescale, "crop:0.5", 1, True),
    "grayscale": (edits.grayscale, "grayscale", 0, False),
    "hflip": (edits.hflip, "hflip", 0, False),
    "linjpeg": (lin_jpeg, "linjpeg:10", 1, False),
    "rescale": (edits.rescale, "rescale:0.5", 1, False),
    "resize": (edits.resize, "resize:0.5", 1, False),
    "rotate": (edits.rotation, "rotate:30", 1, True),
    "translate": (edits.translation, "translate:3,-2", 2, False),
    "vflip": (edits.vflip, "vflip", 0, False),
}

#: The names that `parse` knows.
KNOWN = tuple(_WORDS)


def parse(text: str) -> Edit:
    """The edit of a text such as `crop:0.5|linjpeg:10`.

    >>> parse("translate:3,-2 | hflip").text
    'translate:3,-2|hflip'
    """
    return reduce(or_, (_edit(word) for word in split(text)))


def _edit(word: Word) -> Edit:
    if word.name not in _WORDS:
        raise UnknownName("edit", word.name, KNOWN)
    make, example, numbers, modes = _WORDS[word.name]
    plain, mode = word, ()
    if modes and len(word.values) == numbers + 1:
        plain, mode = Word(word.name, word.values[:-1]), word.values[-1:]
    check_count(plain, numbers, kind="edit", example=example)
    return make(*(number(each, word, kind="edit", example=example) for each in plain.values), *mode)
