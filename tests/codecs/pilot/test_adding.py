"""The pilot in a picture: its power, where it goes, what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.pilot import add, mark
from morebits.codecs.pilot.adding import rgb
from morebits.codecs.pilot.waves import GRID, LUMA, waves
from morebits.errors import ImageError, InputError


def psnr(change: np.ndarray) -> float:
    return float(10 * np.log10(255**2 / (change.astype(np.float64) ** 2).mean()))


@settings(max_examples=30)
@given(
    height=st.integers(1, 300),
    width=st.integers(1, 100),
    wanted=st.floats(30, 60),
    masked=st.booleans(),
)
def test_the_power_is_as_asked(height, width, wanted, masked):
    plain = np.zeros((height, width, 3), np.float32)
    mask = None
    if masked:
        mask = np.linspace(0.5, 2, height * width, dtype=np.float32).reshape(height, width)
    change = add(plain, "key", psnr=wanted, mask=mask)
    assert change.dtype == np.float32
    assert psnr(change) == pytest.approx(wanted, abs=1e-3)


def test_it_is_the_sum_of_the_waves():
    """An oracle without matrix products, strips and reduced angles."""
    change = add(np.zeros((300, 40, 3), np.float32), "key", psnr=40).astype(np.float64)
    table = waves("key")
    y, x = np.mgrid[:300, :40]
    luma = np.zeros((300, 40))
    for (u, v), phase, channel in zip(table.frequency, table.radians, table.channel, strict=True):
        if channel == LUMA:
            luma += np.cos(2 * np.pi * (u * x + v * y) / GRID + phase)
    found = change @ [0.299, 0.587, 0.114]
    assert np.corrcoef(found.ravel(), luma.ravel())[0, 1] > 1 - 1e-9


def test_cb_moves_neither_luma_nor_cr():
    change = add(np.zeros((64, 64, 3), np.float32), "key", psnr=40).astype(np.float64)
    weights = np.array([0.299, 0.587, 0.114])
    rest = change - (change @ weights)[..., None] * weights / (weights**2).sum()
    assert np.abs(rest[..., 0]).max() < 1e-4
    assert (rest**2).sum() / (change**2).sum() == pytest.approx(0.22, abs=0.05)


def test_a_part_of_a_larger_picture_has_the_same_waves():
    large = add(np.zeros((700, 400, 3), np.float32), "key", psnr=40)
    small = add(np.zeros((500, 300, 3), np.float32), "key", psnr=40)
    part = large[:500, :300]
    ratio = float(np.vdot(part, small) / np.vdot(small, small))
    assert np.abs(part - ratio * small).max() < 1e-3


def test_a_mask_moves_the_energy():
    mask = np.ones((128, 128), np.float32)
    mask[:, 64:] = 3
    change = add(np.zeros((128, 128, 3), np.float32), "key", psnr=40, mask=mask)
    ratio = (change[:, 64:] ** 2).mean() / (change[:, :64] ** 2).mean()
    assert ratio == pytest.approx(9, rel=0.2)


def test_nothing_where_the_mask_is_zero():
    mask = np.zeros((32, 32), np.float32)
    picture = np.full((32, 32, 3), 77, np.float32)
    assert np.array_equal(add(picture, psnr=40, mask=mask), picture)


def test_it_neither_rounds_nor_clips_nor_writes_into_its_input():
    picture = np.full((64, 64, 3), 255, np.float32)
    result = add(picture, psnr=40)
    assert result.max() > 255
    assert (result != np.rint(result)).any()
    assert (picture == 255).all()


def test_mark_gives_eight_bits_of_any_picture():
    gray = np.full((64, 80), 40_000, np.uint16)
    marked = mark(gray, "key", psnr=40)
    assert marked.dtype == np.uint8
    assert marked.shape == (64, 80, 3)
    assert psnr(marked.astype(float) - rgb(gray[..., None])) == pytest.approx(40, abs=0.5)


@pytest.mark.parametrize(
    ("image", "mask"),
    [
        (np.zeros((8, 8), np.float32), None),
        (np.zeros((8, 8, 4), np.float32), None),
        (np.zeros((8, 8, 3), np.float32), np.ones((8, 9), np.float32)),
    ],
)
def test_shapes_that_do_not_fit(image, mask):
    with pytest.raises(InputError, match="of shape"):
        add(image, psnr=40, mask=mask)


def test_a_file_that_is_not_there():
    with pytest.raises(ImageError, match="no such file"):
        mark("nowhere.png")
