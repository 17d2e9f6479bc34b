"""Composition is the product of matrices, and keeps what structure it can."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from morebits import linear
from morebits.types import ImageFormat

FORMAT = ImageFormat(3, 16, 16)
ONE_OF_EACH = {
    "kronecker": linear.crop_rescale(0.5),
    "colour": linear.pixel_wise(np.arange(9.0).reshape(3, 3), [1, 2, 3]),
    "plane": linear.rotation(20),
    "tiles": linear.lin_jpeg(7),
    "channels": linear.per_channel(linear.hflip(), linear.vflip(), linear.gaussian_blur(1)),
    "low rank": linear.contrast(0.6),
    "matrix": linear.from_matrix(np.random.default_rng(0).normal(size=(768, 768)), np.arange(768)),
}


@pytest.mark.parametrize(("first", "then"), list(itertools.product(ONE_OF_EACH, repeat=2)))
def test_composition_is_the_product(first, then):
    one, two = ONE_OF_EACH[first].at(FORMAT), ONE_OF_EACH[then].at(FORMAT)
    both = one | two
    expected = two.dense() @ one.dense()
    scale = np.abs(expected).max()
    np.testing.assert_allclose(both.dense(), expected, atol=1e-11 * scale)
    bias = two.dense() @ one.bias_vector() + two.bias_vector()
    np.testing.assert_allclose(both.bias_vector(), bias, atol=1e-9 * max(1, np.abs(bias).max()))
    assert both.text == f"{one.text}|{two.text}"


@pytest.mark.parametrize(
    ("text", "structure"),
    [
        ("crop:0.5|hflip|blur:1|grayscale", linear.Kronecker),
        ("rotate:15|crop:0.5", linear.PlaneMap),
        ("grayscale|rotate:15|hflip", linear.PlaneMap),
        ("linjpeg:5|linjpeg:9", linear.Tiled),
        ("brightness:0.5|linjpeg:5|grayscale", linear.Tiled),
        ("contrast:0.5|linjpeg:3", linear.LowRankUpdate),
        ("rotate:3|contrast:0.5", linear.LowRankUpdate),
        ("crop:0.5|linjpeg:3", linear.Chain),
    ],
)
def test_structure_is_kept(text, structure):
    assert type(linear.parse(text).at(FORMAT)) is structure


def test_a_chain_merges_what_it_can():
    chain = linear.parse("linjpeg:3|crop:0.5|hflip|blur:1").at(FORMAT)
    assert isinstance(chain, linear.Chain)
    assert [type(step) for step in chain.steps] == [linear.Tiled, linear.Kronecker]


def test_sizes_change_along_the_way():
    operator = linear.parse("resize:0.5|linjpeg:8|resize:2").at(ImageFormat(3, 40, 30))
    assert operator.in_shape == (3, 30, 40)
    assert operator.out_shape == (3, 30, 40)


def test_a_bias_of_a_billion_samples_stays_small():
    format = ImageFormat(3, 15_000, 15_000)
    operator = (linear.rgb_to_ycbcr() | linear.hflip()).at(format)
    assert operator.bias.size == 3
