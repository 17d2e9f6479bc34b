"""TIFF directories against Pillow's reading of them, and against nonsense."""

from __future__ import annotations

import contextlib
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from morebits import images
from morebits.errors import InputError, MorebitsError
from morebits.images import tags
from morebits.images.tags import Tags, Value

values = st.one_of(
    st.binary(min_size=1, max_size=9).map(lambda data: Value(7, len(data), data)),
    st.binary(min_size=4, max_size=4).map(lambda data: Value(4, 1, data)),
    st.binary(min_size=16, max_size=16).map(lambda data: Value(5, 2, data)),
)


def parsed(data: bytes) -> Tags:
    found = tags.parse(data)
    assert found is not None
    return found


plain = st.dictionaries(st.integers(1, 30000), values, max_size=5)


@given(st.sampled_from("<>"), plain, st.none() | plain, st.none() | plain, st.integers(4, 20))
def test_what_is_serialised_is_parsed(order, entries, exif, gps, half):
    nested = {34665: exif, 34853: gps}
    directory = {**entries, **{tag: each for tag, each in nested.items() if each is not None}}
    data = tags.serialise(Tags(order, directory), start=2 * half)
    assert tags.parse(data) == Tags(order, directory, more=False)


def test_pillow_reads_the_same():
    order = ">"
    entries = {271: Value(2, 6, b"maker\0"), 34665: {36867: Value(2, 20, b"2024:01:02 03:04:05\0")}}
    exif = Image.Exif()
    exif.load(b"Exif\0\0" + tags.serialise(Tags(order, entries)))
    assert exif[271] == "maker"
    assert exif.get_ifd(34665) == {36867: "2024:01:02 03:04:05"}


def test_bigtiff():
    entry = struct.pack("<HHQH6x", 274, 3, 1, 6)
    far = struct.pack("<HHQQ", 271, 2, 9, 16 + 8 + 40 + 8)
    data = b"II+\0\x08\0\0\0" + struct.pack("<QQ", 16, 2) + far + entry + bytes(8) + b"012345678"
    expected = {274: Value(3, 1, b"\6\0"), 271: Value(2, 9, b"012345678")}
    assert tags.parse(data) == Tags("<", expected)
    assert parsed(tags.neutral(data)).entries == {**expected, 274: Value(3, 1, b"\1\0")}


@pytest.mark.parametrize("order", ["<", ">"])
def test_orientation(order):
    for kind, letter in ((1, "B"), (3, "H"), (4, "I")):
        for number in (0, 1, 6, 8, 9):
            data = struct.pack(order + letter, number)
            exif = tags.serialise(Tags(order, {274: Value(kind, 1, data), 900: Value(7, 1, b"x")}))
            assert tags.orientation(exif) == (number if 1 <= number <= 8 else 1)
            assert tags.orientation(tags.neutral(exif)) == 1
            changed = parsed(tags.with_orientation(exif, 5))
            assert changed.entries == {274: tags.short(order, 5), 900: Value(7, 1, b"x")}
    assert tags.orientation(None) == tags.orientation(b"") == tags.orientation(b"II*\0") == 1
    with pytest.raises(InputError, match="can be parsed"):
        tags.with_orientation(b"nonsense", 1)


@given(
    st.binary(max_size=60), st.sampled_from([b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08", b"II+\0", b""])
)
def test_nonsense_is_none_or_tags(data, head):
    for each in (tags.parse(head + data), tags.parse(tags.neutral(head + data))):
        assert each is None or isinstance(each, Tags)
    assert 1 <= tags.orientation(head + data) <= 8


def test_a_directory_that_points_to_itself_ends():
    data = bytearray(
        tags.serialise(Tags("<", {34665: {34853: {40965: {1: Value(4, 1, bytes(4))}}}}))
    )
    data[18:22] = struct.pack("<I", 8)
    assert tags.parse(bytes(data)) is not None


def test_many_entries_on_the_same_bytes_are_not_all_copied():
    entries = b"".join(struct.pack("<HHII", tag, 7, 60_000, 100) for tag in range(5000))
    data = b"II*\0\x08\0\0\0" + struct.pack("<H", 5000) + entries + bytes(4) + bytes(100)
    found = parsed(data)
    assert sum(len(each.data) for each in found.entries.values()) <= len(data)


def read_or_refused(path) -> None:
    """Only our own errors may come out, on one line."""
    with contextlib.suppress(MorebitsError):
        assert images.read(path, max_pixels=10**6).array.size


SEEDS = [
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\2\x10\2\0\0\0",
    b"II*\0\x08\0\0\0",
    b"\0\0\0\x0cjP  \r\n\x87\n",
    b"\xff\x4f\xff\x51",
    b"P6 2 2 65535\n",
    b"P3 1 1 ",
    b"BM",
    b"RIFF\0\0\0\0WEBPVP8L",
]


@given(st.sampled_from(SEEDS), st.binary(max_size=200))
def test_arbitrary_bytes_give_a_picture_or_our_error(tmp_path_factory, seed, data):
    path = tmp_path_factory.getbasetemp() / "fuzz"
    path.write_bytes(seed + data)
    read_or_refused(path)


@pytest.mark.parametrize("suffix", [".png", ".tif", ".jp2", ".ppm", ".webp", ".bmp"])
def test_broken_files_give_a_picture_or_our_error(tmp_path, suffix):
    array = np.random.default_rng(1).integers(0, 256, (4, 5, 3), np.uint8)
    if suffix in (".png", ".tif", ".jp2", ".ppm"):
        array = array.astype(np.uint16) * 257
    exif = tags.serialise(Tags("<", {274: tags.short("<", 1), 34665: {1: Value(7, 9, bytes(9))}}))
    cover = replace(images.read(array), exif=exif, icc=bytes(20), dpi=(72, 72))
    path = tmp_path / f"a{suffix}"
    images.write(path, array, cover)
    good = path.read_bytes()

    @given(
        st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=4),
        st.integers(0, len(good)),
    )
    def check(changes, cut):
        data = bytearray(good)
        for place, value in changes:
            data[place % len(data)] = value
        path.write_bytes(data[: cut or len(data)])
        read_or_refused(path)

    check()
