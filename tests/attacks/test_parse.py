"""Texts of attacks, and what is said of wrong ones."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.attacks import KNOWN, parse
from morebits.attacks.table import KINDS, PIPELINES
from morebits.errors import InputError, UnknownName


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_text_and_parse_are_inverse(kind):
    attack = parse(kind.example)
    assert attack.text == str(attack) == kind.example
    assert parse(attack.text) == attack


def test_texts_are_as_short_as_can_be():
    assert parse(" Crop: 0.50 | JPEG:60.0|rotate:+5 ").text == "crop:0.5|jpeg:60|rotate:5"
    assert parse("brightness:1e-1").text == "brightness:0.1"


@pytest.mark.parametrize(("name", "pipeline"), PIPELINES.items())
def test_pipelines_stand_for_other_words(name, pipeline):
    template, example, _ = pipeline
    value = example.partition(":")[2]
    assert parse(example) == parse(template.format(value))
    assert parse(f"{example}|hflip").text == template.format(value) + "|hflip"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownName) as caught:
        parse("crop:0.5|linjpeg:10")
    assert (caught.value.kind, caught.value.name) == ("attack", "linjpeg")
    assert caught.value.known == KNOWN


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"write attacks as name:value joined by \|, for example crop:0.8\|jpeg:50"),
        ("crop:0.5|", "write attacks as"),
        ("crop:", "write attacks as"),
        ("crop", "crop takes one value, for example crop:0.71"),
        ("crop:0.5,0.5", "crop takes one value"),
        ("none:1", "none takes no value"),
        ("hflip:1", "hflip takes no value"),
        ("translate:3", "translate takes two values, for example translate:3,-2"),
        ("translate:0.5,1", "give as pixels a whole number from -1000000 to 1000000"),
        ("crop:half", "'half' is not a number, write for example crop:0.71"),
        ("crop:0", "give as ratio a number above 0, at most 1, for example crop:0.71"),
        ("crop:1.01", "above 0, at most 1"),
        ("crop:nan", "above 0, at most 1"),
        ("resize:inf", "above 0, at most 4"),
        ("jpeg:0", "give as quality a whole number from 1 to 100, for example jpeg:50"),
        ("jpeg:50.5", "a whole number from 1 to 100"),
        ("blur:4", "give as kernel an odd number from 3 to 99"),
        ("blur:1.5", "an odd number"),
        ("hue:0.6", "from -0.5 to 0.5"),
        ("rotate:361", "give as degrees a number from -360 to 360"),
        ("perspective:1", "from 0 to 0.9"),
        ("social", "social takes one value, for example social:1080"),
        ("social:x", "'x' is not a number, for example social:1080"),
        ("social:0", "give as side a whole number from 1 to 65500, for example social:1080"),
    ],
)
def test_bad_text_says_what_to_write(text, words):
    with pytest.raises(InputError, match=words) as caught:
        parse(text)
    assert caught.value.name == "attack"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [5, None, ["jpeg:50"], b"jpeg:50"])
def test_not_text(text):
    with pytest.raises(InputError):
        parse(text)


@given(st.text(max_size=30))
def test_any_text_parses_or_raises_our_error(text):
    with contextlib.suppress(InputError, UnknownName):
        parse(text)


@given(st.sampled_from(sorted(KINDS)), st.floats() | st.integers())
def test_any_number_parses_or_names_the_range(name, value):
    text, allowed = f"{name}:{value}", KINDS[name].values
    if len(allowed) == 1 and allowed[0].allows(float(value)):
        assert parse(parse(text).text) == parse(text)
    else:
        with pytest.raises(InputError, match=KINDS[name].example):
            parse(text)


def test_the_documentation_has_every_word_with_its_ranges(root):
    page = (root / "docs" / "attacks.md").read_text()
    for kind in KINDS.values():
        ranges = dict.fromkeys(f"{value.name}: {value.range}" for value in kind.values)
        about = f"{kind.about}{', by the seed' if kind.random else ''}"
        assert f"| `{kind.example}` | {'; '.join(ranges) or 'none'} | {about} |\n" in page
    for template, example, about in PIPELINES.values():
        words = template.format(example.partition(":")[2]).replace("|", "\\|")
        assert f"| `{example}` | `{words}` | {about} |\n" in page
