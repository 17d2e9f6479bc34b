"""Every edit against an independent dense matrix, and applied to images."""

from __future__ import annotations

import linear_oracles as oracles
import numpy as np
import pytest

from morebits import linear
from morebits.errors import InputError, TooLarge
from morebits.types import ImageFormat

COLOUR = ImageFormat(3, 12, 10)
EVERY = (
    "hflip", "vflip", "crop:0.5", "crop:0.3,nearest", "rotate:15", "rotate:45,nearest",
    "linjpeg:10", "linjpeg:0", "resize:0.5", "resize:1.7", "rescale:0.5", "blur:1.5",
    "brightness:0.5", "contrast:0.7", "grayscale", "translate:3,-2", "translate:0.3,0.6",
    "crop:0.5|linjpeg:10", "rotate:15|crop:0.5|hflip", "linjpeg:8|linjpeg:10",
    "contrast:0.5|rotate:15|contrast:0.2|linjpeg:3", "grayscale|linjpeg:3|rotate:3",
    "contrast:0.5|brightness:2",
)  # fmt: skip


def colour(plane):
    return oracles.per_channel([plane] * 3)


@pytest.mark.parametrize("text", EVERY)
@pytest.mark.parametrize("shape", [(3, 16, 16), (3, 12, 10), (1, 9, 20)])
def test_applying_is_the_dense_matrix_plus_the_bias(text, shape):
    channels, height, width = shape
    operator = linear.parse(text).at(ImageFormat(channels, width, height))
    random = np.random.default_rng(1)
    planar = random.integers(0, 256, shape)
    dense = operator.dense()
    expected = (dense @ planar.ravel() + operator.bias_vector()).reshape(operator.out_shape)
    found = operator.apply(np.moveaxis(planar, 0, 2))
    assert found.dtype == np.float64
    np.testing.assert_allclose(np.moveaxis(found, 2, 0), expected, atol=1e-9)
    back = random.normal(size=operator.out_shape)
    np.testing.assert_allclose(operator.adjoint(back).ravel(), dense.T @ back.ravel(), atol=1e-9)


@pytest.mark.parametrize("interpolation", ["bilinear", "nearest"])
@pytest.mark.parametrize("scale", [0.25, 0.5, 0.75, 0.61, 1.0])
def test_crop_is_the_papers(scale, interpolation):
    plane = oracles.pixel_map(oracles.crop_mu(scale, 12, 10), 12, 10, interpolation)
    found = linear.crop_rescale(scale, interpolation).at(COLOUR)
    np.testing.assert_allclose(found.dense(), colour(plane), atol=1e-12)
    assert isinstance(found, linear.Kronecker)


@pytest.mark.parametrize("interpolation", ["bilinear", "nearest"])
@pytest.mark.parametrize("angle", [15, 30, 45, -77.5])
def test_rotation_is_the_papers(angle, interpolation):
    plane = oracles.pixel_map(oracles.rotation_mu(angle, 12, 10), 12, 10, interpolation)
    found = linear.rotation(angle, interpolation).at(COLOUR)
    np.testing.assert_allclose(found.dense(), colour(plane), atol=1e-12)


def test_rotation_by_a_quarter_moves_whole_pixels():
    matrix = linear.rotation(90).at(ImageFormat(1, 8, 8)).dense()
    assert set(np.unique(matrix)) == {0.0, 1.0}


@pytest.mark.parametrize("name", ["hflip", "vflip"])
def test_flips_are_the_papers_maps(name):
    maps = {"hflip": lambda x, y: (11 - x, y), "vflip": lambda x, y: (x, 9 - y)}
    plane = oracles.pixel_map(maps[name], 12, 10, "nearest")
    np.testing.assert_array_equal(linear.parse(name).at(COLOUR).dense(), colour(plane))
    np.testing.assert_array_equal(oracles.pixel_map(maps[name], 12, 10, "bilinear"), plane)


@pytest.mark.parametrize("interpolation", ["bilinear", "nearest"])
def test_a_users_pixel_map(interpolation):
    def mu(x, y):
        return x + 0.3 * y - 2, 1.1 * y - 0.25 * x

    plane = oracles.pixel_map(mu, 12, 10, interpolation)
    found = linear.pixel_map(mu, interpolation).at(COLOUR).dense()
    np.testing.assert_allclose(found, colour(plane), atol=1e-12)


@pytest.mark.parametrize("scale", [0.5, 0.37, 1.0, 1.6, 2.0])
def test_resize_is_pillows(scale):
    from PIL import Image

    image = np.random.default_rng(2).random((23, 31)).astype(np.float32)
    operator = linear.resize(scale).at(ImageFormat(1, 31, 23))
    _, height, width = operator.out_shape
    target = Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR)
    np.testing.assert_allclose(operator.apply(image), np.asarray(target), atol=1e-5)


def test_rescale_is_two_resizes():
    there = linear.resize(0.5).at(ImageFormat(1, 12, 10)).dense()
    back = linear.resize(2).at(ImageFormat(1, 6, 5)).dense()
    found = linear.rescale(0.5).at(ImageFormat(1, 12, 10)).dense()
    np.testing.assert_allclose(found, back @ there, atol=1e-12)


@pytest.mark.parametrize("sigma", [0.4, 1.5, 6.0])
def test_blur_is_a_gaussian_filter_with_mirrored_border(sigma):
    from scipy.ndimage import gaussian_filter

    image = np.random.default_rng(3).random((10, 12))
    reach = int(np.ceil(4 * sigma))
    expected = gaussian_filter(image, sigma, mode="mirror", radius=reach)
    np.testing.assert_allclose(
        linear.gaussian_blur(sigma).at(ImageFormat(1, 12, 10)).apply(image), expected, atol=1e-12
    )


def test_blur_of_a_single_pixel_is_the_identity():
    assert linear.gaussian_blur(3).at(ImageFormat(1, 1, 1)).dense() == pytest.approx(1.0)


def test_light_and_colour():
    image = np.random.default_rng(4).integers(0, 256, (10, 12, 3))
    gray = image @ [0.299, 0.587, 0.114]
    np.testing.assert_allclose(linear.brightness(0.5).at(COLOUR).apply(image), 0.5 * image)
    np.testing.assert_allclose(
        linear.contrast(0.7).at(COLOUR).apply(image), 0.7 * image + 0.3 * gray.mean()
    )
    np.testing.assert_allclose(
        linear.grayscale().at(COLOUR).apply(image), np.repeat(gray[:, :, None], 3, axis=2)
    )


def test_translation_repeats_the_border():
    image = np.arange(12.0).reshape(3, 4)
    moved = linear.translation(1, -1).at(ImageFormat(1, 4, 3)).apply(image)
    np.testing.assert_array_equal(moved, [[4, 4, 5, 6], [8, 8, 9, 10], [8, 8, 9, 10]])


def test_quantised_rounds_halves_up_and_clips():
    operator = linear.brightness(0.5).at(ImageFormat(1, 3, 1))
    assert operator.quantised(np.array([[1, 2, 5]]), 255).tolist() == [[1, 1, 3]]
    loud = linear.brightness(3).at(ImageFormat(1, 3, 1))
    assert loud.quantised(np.array([[1, 85, 200]]), 255).tolist() == [[3, 255, 255]]


def test_one_channel_stays_flat_only_when_given_flat():
    operator = linear.hflip().at(ImageFormat(1, 4, 3))
    assert operator.apply(np.zeros((3, 4))).shape == (3, 4)
    assert operator.apply(np.zeros((3, 4, 1))).shape == (3, 4, 1)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_users_matrix(kind):
    from scipy.sparse import coo_array

    matrix = np.random.default_rng(5).normal(size=(12, 12))
    given = matrix if kind == "dense" else coo_array(matrix)
    operator = linear.from_matrix(given, np.arange(12)).at(ImageFormat(1, 4, 3))
    image = np.random.default_rng(6).random((3, 4))
    expected = (matrix @ image.ravel() + np.arange(12)).reshape(3, 4)
    np.testing.assert_allclose(operator.apply(image), expected)


def test_a_matrix_that_is_not_square_gives_a_row():
    operator = linear.from_matrix(np.ones((2, 12))).at(ImageFormat(1, 4, 3))
    assert operator.out_shape == (1, 1, 2)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: linear.from_matrix(np.ones((5, 5))).at(COLOUR), "360 columns"),
        (lambda: linear.from_matrix(np.ones(5)), "2-D"),
        (lambda: linear.from_matrix(np.array([[np.nan]])), "finite"),
        (lambda: linear.from_matrix(np.eye(3), [1, 2]), "one a row"),
        (lambda: linear.crop_rescale(0), "at most 1"),
        (lambda: linear.crop_rescale(1.5), "at most 1"),
        (lambda: linear.crop_rescale(0.5, "cubic"), "bilinear or nearest"),
        (lambda: linear.rotation(float("nan")), "degrees"),
        (lambda: linear.lin_jpeg(16), "0 to 15"),
        (lambda: linear.lin_jpeg(2.5), "0 to 15"),
        (lambda: linear.lin_jpeg(5).at(ImageFormat(4, 16, 16)), "1 or 3"),
        (lambda: linear.grayscale().at(ImageFormat(2, 4, 4)), "1 or 3"),
        (lambda: linear.rgb_to_ycbcr().at(ImageFormat(1, 4, 4)), "3 channels"),
        (lambda: linear.dct8x8().at(ImageFormat(1, 16, 16)), "8x8 block"),
        (lambda: linear.downsample(2).at(ImageFormat(1, 5, 4)), "divides"),
        (lambda: linear.take_rows_and_columns([0, 9], [0]).at(ImageFormat(1, 4, 4)), "0 to 3"),
        (lambda: linear.per_channel(linear.hflip(), linear.hflip()).at(COLOUR), "one a channel"),
        (lambda: linear.pixel_wise(np.ones((2, 2))).at(COLOUR), "takes 2"),
        (lambda: linear.hflip().at(COLOUR).apply(np.zeros((10, 11, 3))), "12x10"),
        (lambda: linear.hflip().at(COLOUR).apply(np.full((10, 12, 3), np.nan)), "finite"),
        (lambda: linear.hflip().at(COLOUR).apply(np.zeros((10, 12, 3), complex)), "real"),
        (lambda: linear.hflip().at(COLOUR) | linear.hflip().at(ImageFormat(3, 8, 8)), "same size"),
    ],
)
def test_what_does_not_fit_says_what_does(build, words):
    with pytest.raises(InputError, match=words):
        build()


def test_too_large_is_refused_before_it_starts():
    big = ImageFormat(3, 4096, 4096)
    with pytest.raises(TooLarge):
        linear.hflip().at(big).dense()
    with pytest.raises(TooLarge):
        linear.rotation(3).at(big)
    with pytest.raises(TooLarge):
        linear.crop_rescale(0.5).at(big).sparse()


def test_edits_are_values():
    assert linear.crop_rescale(0.5) == linear.crop_rescale(0.5)
    assert linear.crop_rescale(0.5) != linear.crop_rescale(0.25)
    assert hash(linear.hflip() | linear.vflip()) == hash(linear.hflip() | linear.vflip())
    assert linear.from_matrix(np.eye(3)) != linear.from_matrix(np.eye(3))
