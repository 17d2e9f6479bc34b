from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.errors import InputError, ManifestError, NewerFormat
from morebits.provenance import cbor
from morebits.provenance.claim import MAX_ACTIONS, Claim

texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50)
actions = st.lists(st.from_regex(r"[a-z0-9]{1,8}(\.[a-z_]{1,12}){1,2}", fullmatch=True), max_size=4)
claims = st.builds(
    Claim,
    st.integers(0, 2**35).map(lambda at: datetime.fromtimestamp(at, UTC)),
    st.integers(1, 2**31 - 1),
    st.integers(1, 2**31 - 1),
    st.binary(max_size=100),
    texts,
    texts,
    actions.map(tuple),
    texts,
)


@given(claims)
def test_there_and_back(claim):
    assert Claim.decode(claim.encode()) == claim


@given(claims, st.data())
def test_another_byte_is_another_claim_or_none(claim, data):
    """So whatever is signed says exactly what was meant."""
    encoded = bytearray(claim.encode())
    place = data.draw(st.integers(0, len(encoded) - 1))
    encoded[place] ^= data.draw(st.integers(1, 255))
    try:
        other = Claim.decode(bytes(encoded))
    except (ManifestError, NewerFormat):
        return
    assert other != claim


def test_short_names_for_the_actions_of_c2pa(claim):
    short = len(replace(claim, actions=("c2pa.cropped",)).encode())
    long = len(replace(claim, actions=("acme.cropped",)).encode())
    assert long - short == 4


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({0: 0}, "other fields"),
        ({0: True}, "field 0 of the claim is no int"),
        ({9: 1}, "other fields"),
        ({1: "now"}, "field 1 of the claim is no int"),
        ({1: 2**62}, "the time is none"),
        ({2: [0, 10]}, "the size is none"),
        ({2: [1.0, 10]}, "the size is none"),
        ({2: [10]}, "the size is none"),
        ({3: "text"}, "field 3 of the claim is no bytes"),
        ({4: ""}, "title is"),
        ({4: "x" * 201}, "at most 200"),
        ({6: []}, "the actions are none"),
        ({6: [1]}, "the actions are none"),
        ({6: ["c2pa.cropped"]}, "not written as it should be"),
        ({6: ["cropped"]}, "as in C2PA"),
    ],
)
def test_what_is_not_ours(claim, change, problem):
    plain = cbor.decode(claim.encode()) | change
    with pytest.raises(ManifestError) as error:
        Claim.decode(cbor.encode(plain))
    assert problem in error.value.problem


def test_other_things_than_a_map():
    for value in (1, [1], {"a": 1}, b"", {1.0: 2}):
        with pytest.raises(ManifestError, match="the claim is no map"):
            Claim.decode(cbor.encode(value))


@pytest.mark.parametrize("missing", range(4))
def test_fields_that_are_needed(claim, missing):
    plain = cbor.decode(claim.encode())
    del plain[missing]
    with pytest.raises(ManifestError):
        Claim.decode(cbor.encode(plain))


def test_later_versions(claim):
    plain = cbor.decode(claim.encode()) | {0: 2}
    with pytest.raises(NewerFormat, match="has version 2, this morebits reads up to 1"):
        Claim.decode(cbor.encode(plain))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": ""}, "give a text, or leave it out"),
        ({"title": "\ud800"}, "valid Unicode"),
        ({"creator": "x" * 201}, "has 201 bytes"),
        ({"creator": 7}, "give a text"),
        ({"actions": ("cropped",)}, "c2pa.cropped"),
        ({"actions": (".cropped",)}, "c2pa.cropped"),
        ({"actions": ("c2pa.\x1b[2J",)}, "c2pa.cropped"),
        ({"actions": ("c2pa.cropped",) * (MAX_ACTIONS + 1)}, "give at most 32"),
    ],
)
def test_what_cannot_be_said(claim, change, message):
    with pytest.raises(InputError, match=message):
        replace(claim, **change)
