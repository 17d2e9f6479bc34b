"""The little language of edits."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits import linear
from morebits.errors import InputError, UnknownName
from morebits.grammar import Word, split

TEXTS = (
    "crop:0.5", "crop:0.5,nearest", "rotate:-30", "linjpeg:10", "hflip", "vflip", "resize:0.5",
    "rescale:0.25", "blur:1.5", "brightness:1.2", "contrast:0.8", "grayscale", "translate:3,-2",
    "crop:0.5|linjpeg:10",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_parse_are_inverse(text):
    assert linear.parse(text).text == text
    assert linear.parse(linear.parse(text).text) == linear.parse(text)


def test_constructors_have_the_grammars_text():
    edit = linear.crop_rescale(0.5) | linear.lin_jpeg(10) | linear.translation(3, -2)
    assert edit.text == "crop:0.5|linjpeg:10|translate:3,-2"
    assert edit == linear.parse(edit.text)
    assert str(linear.rotation(30.0)) == "rotate:30"


def test_spaces_and_capitals_do_not_matter():
    assert linear.parse(" Crop: 0.5 | HFLIP ") == linear.parse("crop:0.5|hflip")


def test_words():
    assert split("jpeg:80|noise:3,0.1") == (Word("jpeg", ("80",)), Word("noise", ("3", "0.1")))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownName) as caught:
        linear.parse("crop:0.5|jpeg:50")
    assert caught.value.kind == "edit"
    assert caught.value.name == "jpeg"
    assert {"crop", "rotate", "linjpeg", "hflip", "translate"} <= set(caught.value.known)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "name:value"),
        ("crop:0.5|", "name:value"),
        ("crop:", "name:value"),
        ("translate:3,", "name:value"),
        ("crop", "one value"),
        ("crop:0.5,0.5,1", "one value"),
        ("crop:half", "not a number"),
        ("crop:2", "above 0, at most 1"),
        ("crop:nan", "above 0, at most 1"),
        ("crop:0.5,cubic", "bilinear or nearest"),
        ("linjpeg:16", "0 to 15"),
        ("linjpeg:1.5", "0 to 15"),
        ("hflip:1", "no value"),
        ("translate:3", "two values"),
        ("rotate:1e9", "degrees"),
        ("blur:0", "above 0"),
        ("resize:inf", "above 0"),
        ("brightness:-1", "0 to 100"),
    ],
)
def test_bad_text_says_what_to_write(text, words):
    with pytest.raises(InputError, match=words):
        linear.parse(text)


def test_not_text():
    with pytest.raises(InputError):
        linear.parse(5)


@given(st.text(max_size=30))
def test_any_text_parses_or_raises_our_error(text):
    with contextlib.suppress(InputError, UnknownName):
        linear.parse(text)
