"""LinJPEG and the paper's building blocks."""

from __future__ import annotations

import linear_oracles as oracles
import numpy as np
import pytest

from morebits import linear
from morebits.types import ImageFormat


@pytest.mark.parametrize("quality", [0, 1, 8, 10, 15])
def test_lin_jpeg_is_the_papers_composition(quality):
    matrix, bias = oracles.lin_jpeg(quality, 32, 16, 128)
    operator = linear.lin_jpeg(quality).at(ImageFormat(3, 32, 16))
    np.testing.assert_allclose(operator.dense(), matrix, atol=1e-10)
    np.testing.assert_allclose(operator.bias_vector(), bias, atol=1e-9)


def test_lin_jpeg_uses_mid_gray_of_the_depth():
    matrix, bias = oracles.lin_jpeg(0, 16, 16, 512)
    operator = linear.lin_jpeg(0).at(ImageFormat(3, 16, 16, 10))
    np.testing.assert_allclose(operator.bias_vector(), bias, atol=1e-9)
    assert not matrix.any()


@pytest.mark.parametrize(("channels", "width", "height"), [(3, 21, 35), (1, 9, 20), (3, 5, 3)])
def test_other_sizes_are_padded_with_the_border_and_cut(channels, width, height):
    random = np.random.default_rng(7)
    image = random.integers(0, 256, (height, width, channels))
    padded = np.pad(image, ((0, -height % 16), (0, -width % 16), (0, 0)), mode="edge")
    operator = linear.lin_jpeg(6).at(ImageFormat(channels, width, height))
    size = ImageFormat(channels, padded.shape[1], padded.shape[0])
    whole = linear.lin_jpeg(6).at(size).apply(padded)
    np.testing.assert_allclose(operator.apply(image), whole[:height, :width], atol=1e-9)
    assert len(operator.kinds) <= 4
    assert sum(kind.count * np.prod(kind.in_tile) for kind in operator.kinds) == image.size


def test_one_channel_is_luma_alone():
    block, bias = oracles.jpeg_block(5, 128)
    matrix, offsets = oracles.tiling(block, bias, 8, 16, 8)
    operator = linear.lin_jpeg(5).at(ImageFormat(1, 16, 8))
    np.testing.assert_allclose(operator.dense(), matrix, atol=1e-12)
    np.testing.assert_allclose(operator.bias_vector(), offsets, atol=1e-9)


def test_full_quality_keeps_gray_changes():
    image = np.random.default_rng(8).integers(0, 256, (16, 16, 1)).repeat(3, axis=2)
    operator = linear.lin_jpeg(15).at(ImageFormat(3, 16, 16))
    np.testing.assert_array_equal(operator.quantised(image, 255), image)


def test_dct_and_its_inverse():
    block = ImageFormat(1, 8, 8)
    forward = linear.dct8x8().at(block)
    np.testing.assert_allclose(forward.dense(), oracles.dct(), atol=1e-12)
    image = np.random.default_rng(9).integers(0, 256, (8, 8))
    np.testing.assert_allclose(
        forward.apply(image).ravel(), oracles.dct() @ (image.ravel() - 128), atol=1e-9
    )
    both = (linear.dct8x8() | linear.idct8x8()).at(block)
    np.testing.assert_allclose(both.apply(image), image, atol=1e-9)


@pytest.mark.parametrize("quality", range(16))
def test_filter_keeps_the_first_diagonals(quality):
    kept = np.diag(linear.jpeg_filter(quality).at(ImageFormat(1, 8, 8)).dense()).reshape(8, 8)
    rows, columns = np.indices((8, 8))
    np.testing.assert_array_equal(kept, rows + columns < quality)


def test_tiling_is_the_papers_pseudo_code():
    random = np.random.default_rng(10)
    base, bias = random.normal(size=(16, 16)), random.normal(size=16)
    matrix, offsets = oracles.tiling(base, bias, 4, 12, 8)
    operator = linear.tiling(linear.from_matrix(base, bias), 4).at(ImageFormat(1, 12, 8))
    np.testing.assert_allclose(operator.dense(), matrix)
    np.testing.assert_allclose(operator.bias_vector(), offsets)


def test_colour_spaces_and_pixel_wise():
    format = ImageFormat(3, 4, 3)
    there, back = linear.rgb_to_ycbcr().at(format), linear.ycbcr_to_rgb().at(format)
    np.testing.assert_allclose(there.dense(), oracles.pixelwise(oracles.TO_YCBCR, 12))
    np.testing.assert_allclose(there.bias_vector(), np.repeat([0, 128, 128], 12))
    np.testing.assert_allclose(back.dense(), oracles.pixelwise(oracles.TO_RGB, 12))
    base = np.arange(6.0).reshape(2, 3)
    mixed = linear.pixel_wise(base, [5, 7]).at(format)
    np.testing.assert_allclose(mixed.dense(), oracles.pixelwise(base, 12))
    np.testing.assert_allclose(mixed.bias_vector(), np.repeat([5, 7], 12))


def test_sampling_is_the_papers_loop():
    format = ImageFormat(3, 6, 4)
    rows, columns = [3, 0, 0], [1, 5]
    taken = linear.take_rows_and_columns(rows, columns).at(format)
    np.testing.assert_array_equal(taken.dense(), oracles.take(rows, columns, 3, 4, 6))
    down = linear.downsample(2).at(format)
    expected = oracles.take(range(0, 4, 2), range(0, 6, 2), 3, 4, 6)
    np.testing.assert_array_equal(down.dense(), expected)
    up = linear.upsample(2).at(format)
    expected = oracles.take(np.repeat(range(4), 2), np.repeat(range(6), 2), 3, 4, 6)
    np.testing.assert_array_equal(up.dense(), expected)


def test_per_channel_is_block_diagonal():
    format = ImageFormat(2, 5, 4)
    flip, crop = linear.hflip(), linear.crop_rescale(0.5)
    single = ImageFormat(1, 5, 4)
    expected = oracles.per_channel([flip.at(single).dense(), crop.at(single).dense()])
    np.testing.assert_allclose(linear.per_channel(flip, crop).at(format).dense(), expected)
    shared = oracles.per_channel([crop.at(single).dense()] * 2)
    np.testing.assert_allclose(linear.per_channel(crop).at(format).dense(), shared)
