from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.errors import ManifestError, MissingExtra
from morebits.provenance import cbor


@given(st.dictionaries(st.integers(0, 30), st.binary(max_size=40) | st.text(max_size=20)))
def test_there_and_back(value):
    assert cbor.decode(cbor.encode(value)) == value


@given(st.binary(max_size=60))
def test_any_bytes_have_one_spelling_or_none(data):
    try:
        value = cbor.decode(data)
    except ManifestError:
        return
    assert cbor.encode(value) == data


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("a1011802", id="a number in two bytes where one does"),
        pytest.param("a201020103", id="a key twice"),
        pytest.param("a202010102", id="keys in another order"),
        pytest.param("bf0102ff", id="no length"),
        pytest.param("0102", id="something behind it"),
        pytest.param("8181818181818100", id="too deep"),
        pytest.param("5bffffffffffffffff61", id="more than there is"),
        pytest.param("d81c81d81d00", id="a list in itself"),
        pytest.param("61ff", id="no UTF-8"),
    ],
)
def test_refused(text):
    with pytest.raises(ManifestError, match="do not trust the picture"):
        cbor.decode(bytes.fromhex(text))


def test_the_map_of_the_rfc():
    """RFC 8949, appendix A: {1: 2, 3: 4} is a201020304."""
    assert cbor.encode({3: 4, 1: 2}).hex() == "a201020304"


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "cbor2", None)
    with pytest.raises(MissingExtra, match=r"morebits\[c2pa\]"):
        cbor.encode(1)
