"""The codec in the singular basis: every message comes back after the real, rounded edit."""

from functools import cache

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits import capacity, distortion, linear
from morebits.codecs import registry
from morebits.codecs.singular import Singular
from morebits.errors import DoesNotFit, ImageError, InputError, TooLarge, UnknownName
from morebits.types import Codec, ImageFormat

SMALL = ImageFormat(3, 16, 16)
GRAY = np.full((16, 16, 3), 128, np.uint8)
EDITS = (
    "hflip", "crop:0.25", "crop:0.5", "crop:0.75", "linjpeg:8", "linjpeg:10", "linjpeg:15",
    "rotate:15", "rotate:30", "rotate:45",
)  # fmt: skip
#: The issue asks for 0.75 of the heuristic bound; these are a little below what was measured
#: (benchmarks/bench_singular.py), so that nobody loses them unnoticed.
FLOOR = {
    "hflip": 0.99, "crop:0.25": 0.87, "crop:0.5": 0.88, "crop:0.75": 0.86, "linjpeg:8": 0.87,
    "linjpeg:10": 0.85, "linjpeg:15": 0.79, "rotate:15": 1.02, "rotate:30": 1.0,
    "rotate:45": 0.84,
}  # fmt: skip


@cache
def codec_for(edit):
    """One codec an edit for the whole file: bases are expensive."""
    return Singular(edit, psnr=42, format=SMALL)


@cache
def bound_for(edit):
    return capacity(SMALL, psnr=42, under=edit).bits


def gray(format):
    dtype = np.uint8 if format.depth == 8 else np.uint16
    return np.full((format.height, format.width, format.channels), format.mid, dtype)


def edited(codec, image):
    return codec.operator.quantised(image, codec.format.rho).astype(image.dtype)


def bits_of(read):
    assert read.bits is not None
    return read.bits.tolist()


def round_trips(codec, count, seed=0):
    """How many of `count` random messages of full length come back, with the PSNR kept."""
    rng, cover, good = np.random.default_rng(seed), gray(codec.format), 0
    for _ in range(count):
        message = rng.integers(0, 2, codec.capacity(cover)).astype(np.uint8)
        marked = codec.embed(cover, message)
        measured = distortion.psnr(cover, marked.image, peak=codec.format.rho)
        assert marked.psnr == measured >= codec.psnr
        read = codec.extract(edited(codec, marked.image))
        good += bool(read) and bits_of(read) == message.tolist()
    return good


@pytest.mark.parametrize("edit", EDITS)
def test_messages_survive_the_edits_of_the_paper(edit):
    codec = codec_for(edit)
    assert round_trips(codec, 2) == 2
    bound = bound_for(edit)
    assert codec.capacity(GRAY) >= FLOOR[edit] * bound


@pytest.mark.full
@pytest.mark.parametrize("size", [16, 64])
@pytest.mark.parametrize("edit", EDITS)
def test_two_hundred_messages_survive(edit, size):
    format = ImageFormat(3, size, size)
    codec = Singular(edit, psnr=42, format=format)
    assert round_trips(codec, 200, seed=1) == 200
    assert codec.capacity(gray(format)) >= 0.78 * capacity(format, psnr=42, under=edit).bits


@pytest.mark.parametrize("edit", ["crop:0.5", "linjpeg:8", "linjpeg:15", "rotate:30"])
def test_another_linear_algebra_reads_the_same(edit, monkeypatch):
    """Other signs, other bases of equal singular values, other last digits: same message."""
    codec = codec_for(edit)
    message = np.random.default_rng(5).integers(0, 2, codec.capacity(GRAY)).astype(np.uint8)
    shown = edited(codec, codec.embed(GRAY, message).image)
    original, rng = scipy.linalg.eigh, np.random.default_rng(6)

    def other(matrix, **options):
        values, vectors = original(matrix, **options)
        ends = np.flatnonzero(np.diff(values) > 1e-9 * values[-1]) + 1
        for space in np.split(np.arange(values.size), ends):
            turn = np.linalg.qr(rng.normal(size=(space.size, space.size)))[0]
            turn *= rng.choice([-1, 1])
            vectors[:, space] = vectors[:, space] @ turn
        vectors += 1e-14 * rng.normal(size=vectors.shape)
        return values * (1 + 1e-14 * rng.normal(size=values.size)), vectors

    monkeypatch.setattr(scipy.linalg, "eigh", other)
    elsewhere = Singular(edit, psnr=42, format=SMALL)
    assert elsewhere.capacity(GRAY) == codec.capacity(GRAY)
    assert bits_of(elsewhere.extract(shown)) == message.tolist()


@pytest.mark.parametrize("edit", ["linjpeg:10", "linjpeg:15", "rotate:15", "rotate:30"])
def test_ties_may_be_rounded_either_way(edit):
    codec = codec_for(edit)
    message = np.random.default_rng(7).integers(0, 2, codec.capacity(GRAY)).astype(np.uint8)
    exact = codec.operator.apply(codec.embed(GRAY, message).image)
    for nudge in (-1e-10, 1e-10):
        shown = np.clip(np.floor(exact + 0.5 + nudge), 0, 255).astype(np.uint8)
        assert bits_of(codec.extract(shown)) == message.tolist()


def test_wrong_digits_are_corrected():
    codec = codec_for("rotate:30")
    plan = codec._plan
    rng = np.random.default_rng(2)
    message = rng.integers(0, 2, codec.capacity(GRAY)).astype(np.uint8)
    number = codec._number(message, mask=3)
    digits = plan.digits(number)
    assert plan.errors >= 3
    for count in range(plan.errors + 1):
        places = np.unravel_index(rng.choice(digits.size, count, replace=False), digits.shape)
        read = digits.copy()
        read[places] += 1
        fixed = plan.corrected(read, read - 1)
        assert (fixed == digits).all()
        assert plan.number(fixed) == number


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_short_messages_come_back_with_zeros(data):
    codec = codec_for("crop:0.25")
    room = codec.capacity(GRAY)
    bits = data.draw(st.lists(st.integers(0, 1), max_size=room))
    read = codec.extract(edited(codec, codec.embed(GRAY, np.array(bits, np.uint8)).image))
    assert bits_of(read) == bits + [0] * (room - len(bits))
    assert 0.5 <= read.p_value <= 1


@pytest.mark.parametrize(
    ("edit", "format", "psnr"),
    [
        ("vflip", ImageFormat(1, 8, 8), 42),
        ("rotate:90", ImageFormat(3, 8, 8), 42),
        ("brightness:0.5", ImageFormat(1, 8, 8), 42),
        ("resize:2", ImageFormat(1, 8, 8), 42),
        ("crop:0.5|linjpeg:10", ImageFormat(3, 16, 16), 42),
        ("linjpeg:10", ImageFormat(1, 12, 20), 42),
        ("translate:0.5,0.3", ImageFormat(1, 8, 8), 42),
        ("crop:0.5", ImageFormat(1, 16, 16), 20),
        ("crop:0.5", ImageFormat(1, 16, 16), 50),
        ("hflip", ImageFormat(1, 8, 8), 0),
        ("hflip", ImageFormat(3, 8, 8), 65),
        ("linjpeg:15", ImageFormat(3, 16, 16, 16), 60),
    ],
)
def test_other_edits_sizes_depths_and_psnrs(edit, format, psnr):
    codec = Singular(edit, psnr=psnr, format=format)
    assert codec.capacity(gray(format)) > 0
    assert round_trips(codec, 2) == 2


def test_where_nothing_fits():
    format = ImageFormat(1, 4, 4)
    for edit, psnr in (("brightness:0", 42), ("rotate:30", 80)):
        codec, cover = Singular(edit, psnr=psnr, format=format), gray(format)
        assert codec.capacity(cover) == 0
        marked = codec.embed(cover, np.zeros(0, np.uint8))
        assert (marked.image == cover).all()
        assert not codec.extract(edited(codec, marked.image))
        with pytest.raises(DoesNotFit):
            codec.embed(cover, np.ones(1, np.uint8))


def test_what_is_left_of_the_capacity():
    """The paper's sanity check (Section 6): the codec loses about what the bounds lose."""
    free = codec_for("crop:1").capacity(GRAY)
    free_bound = bound_for("crop:1")
    for edit in EDITS:
        left = codec_for(edit).capacity(GRAY) / free
        bound = bound_for(edit) / free_bound
        assert 0.78 * bound < left < 1.06 * bound, edit


def test_a_larger_step_carries_less():
    rooms = [Singular("crop:0.5", format=SMALL, step=s).capacity(GRAY) for s in (3.7, 4.5, 6)]
    assert rooms == sorted(rooms, reverse=True)
    assert len(set(rooms)) == 3


def test_it_is_a_codec_with_a_name():
    made = registry.codec("singular", edit="hflip", format=SMALL)
    assert isinstance(made, Codec)
    assert made.name == "singular"


def test_an_operator_brings_its_format():
    codec = Singular(linear.crop_rescale(0.5).at(SMALL), psnr=42)
    assert codec.format == SMALL
    assert codec.capacity(GRAY) == codec_for("crop:0.5").capacity(GRAY)


def test_pictures_without_a_message_read_as_nothing():
    codec = codec_for("linjpeg:8")
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (16, 16, 3)).astype(np.uint8)
    assert not codec.extract(GRAY)
    assert not codec.extract(noise)
    assert codec.extract(noise).bits is None


def test_wrong_covers_and_pictures():
    codec = codec_for("crop:0.5")
    bits = np.ones(4, np.uint8)
    with pytest.raises(ImageError, match="make the codec for this format"):
        codec.embed(np.full((8, 8, 3), 128, np.uint8), bits)
    with pytest.raises(ImageError, match="not solid gray"):
        codec.embed(GRAY + 1, bits)
    spot = GRAY.copy()
    spot[3, 4, 1] += 1
    with pytest.raises(ImageError, match="not solid gray"):
        codec.capacity(spot)
    with pytest.raises(ImageError, match="as the edit leaves it"):
        codec.extract(np.zeros((8, 16, 3), np.uint8))
    with pytest.raises(InputError):
        codec.embed(GRAY, np.array([0, 2], np.uint8))
    room = codec.capacity(GRAY)
    with pytest.raises(DoesNotFit) as caught:
        codec.embed(GRAY, np.zeros(room + 1, np.uint8))
    assert (caught.value.needed, caught.value.capacity) == (room + 1, room)


def test_wrong_edits_and_formats():
    with pytest.raises(UnknownName):
        Singular("swirl:3", format=SMALL)
    with pytest.raises(InputError, match="format"):
        Singular("crop:0.5")
    with pytest.raises(InputError, match="this operator takes"):
        Singular(linear.hflip().at(SMALL), format=ImageFormat(3, 8, 8))
    with pytest.raises(InputError, match="1 or 3 channels"):
        Singular("linjpeg:8", format=ImageFormat(2, 16, 16))
    with pytest.raises(InputError, match="edit"):
        Singular(3, format=SMALL)
    with pytest.raises(InputError, match="step"):
        Singular("hflip", format=SMALL, step=0)
    with pytest.raises(InputError, match="psnr"):
        Singular("hflip", psnr=float("nan"), format=SMALL)
    with pytest.raises(TooLarge):
        Singular("rotate:30", format=ImageFormat(1, 100, 100)).capacity(
            np.full((100, 100), 128, np.uint8)
        )


def test_a_step_too_small_is_said():
    codec = Singular("linjpeg:15", format=SMALL, step=1.5)
    with pytest.raises(DoesNotFit, match="larger step, 2"):
        codec.embed(GRAY, np.ones(codec.capacity(GRAY), np.uint8))
