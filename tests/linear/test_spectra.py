"""Spectra against dense SVD, ranks of the paper, sizes far beyond dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

from morebits import linear
from morebits.bounds.spectrum import RANK_TOLERANCE
from morebits.errors import TooLarge
from morebits.linear.banded import banded_values
from morebits.linear.basis import near_coordinates, rotate_pairs, sparsest
from morebits.types import ImageFormat

EXACT = (
    "hflip", "crop:0.5", "crop:0.3,nearest", "rotate:15", "linjpeg:5", "resize:0.5", "resize:1.7",
    "rescale:0.5", "blur:1.5", "brightness:0.5", "contrast:0.7", "grayscale", "translate:3,-2",
    "crop:0.5|linjpeg:10", "rotate:15|hflip|grayscale", "contrast:0.5|rotate:45", "contrast:0",
    "brightness:0", "linjpeg:0",
)  # fmt: skip


@pytest.mark.parametrize("text", EXACT)
@pytest.mark.parametrize("shape", [(3, 8, 8), (3, 7, 9), (1, 12, 5)])
def test_singular_values_are_those_of_the_dense_matrix(text, shape):
    channels, height, width = shape
    operator = linear.parse(text).at(ImageFormat(channels, width, height))
    dense = np.linalg.svd(operator.dense(), compute_uv=False)
    dense = dense[dense > RANK_TOLERANCE * max(dense[0], 1e-300)]
    for vectors in (False, True):
        found = operator.spectrum(vectors=vectors)
        values = np.repeat(found.values, found.counts.astype(int))
        np.testing.assert_allclose(values, dense, atol=1e-10)
        assert found.method.startswith("exact")
        assert (found.left_l1 is not None) == vectors
        assert (found.inputs, found.outputs) == (operator.inputs, operator.outputs)


@pytest.mark.parametrize("text", EXACT)
def test_left_norms_are_possible(text):
    """`1 <= ||u||_1 <= sqrt(n)`, and never worse in total than a plain SVD."""
    operator = linear.parse(text).at(ImageFormat(3, 8, 8))
    found = operator.spectrum(vectors=True)
    assert found.left_l1 is not None
    assert (found.left_l1 >= 1 - 1e-9).all()
    assert (found.left_l1 <= np.sqrt(operator.outputs) + 1e-9).all()
    left, values, _ = np.linalg.svd(operator.dense())
    plain = np.log2(np.abs(left[:, : int(found.rank)]).sum(axis=0)).sum()
    assert found.counts @ np.log2(found.left_l1) <= plain + 1e-6 * max(1, plain)
    assert values.size


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        # numpy.linalg.svd of the matrices of the paper at 16x16x3, tolerance 1e-10.
        ("hflip", 768), ("crop:0.25", 75), ("crop:0.5", 243), ("crop:0.75", 507),
        ("linjpeg:8", 216), ("linjpeg:10", 294), ("linjpeg:15", 384),
        ("rotate:15", 732), ("rotate:30", 690), ("rotate:45", 588),
    ],
)  # fmt: skip
def test_ranks_at_16_pixels(text, rank):
    assert linear.parse(text).at(ImageFormat(3, 16, 16)).spectrum().rank == rank


def test_a_flip_has_coordinate_vectors():
    found = linear.hflip().at(ImageFormat(3, 40, 30)).spectrum(vectors=True)
    assert found.left_l1 is not None
    np.testing.assert_allclose(found.left_l1, 1.0)


@pytest.mark.parametrize("text", ["hflip", "crop:0.5", "blur:1", "linjpeg:10", "contrast:0.5"])
def test_megapixels_are_exact(text):
    found = linear.parse(text).at(ImageFormat(3, 1024, 1024)).spectrum()
    assert found.method.startswith("exact")
    assert found.log2_xi_error == 0


def test_tiles_scale_with_the_number_of_tiles():
    small = linear.lin_jpeg(8).at(ImageFormat(3, 16, 16)).spectrum()
    large = linear.lin_jpeg(8).at(ImageFormat(3, 64, 32)).spectrum()
    assert large.rank == 8 * small.rank
    assert large.log2_xi == pytest.approx(8 * small.log2_xi)


def test_vectors_of_what_is_only_estimated_are_refused():
    with pytest.raises(TooLarge):
        linear.rotation(15).at(ImageFormat(3, 128, 128)).spectrum(vectors=True)


def test_too_many_pixels_are_refused():
    with pytest.raises(TooLarge):
        linear.crop_rescale(0.5).at(ImageFormat(1, 20_000, 20_000)).spectrum()
    with pytest.raises(TooLarge):
        linear.rotation(15).at(ImageFormat(1, 1100, 1100)).spectrum()


def test_sparsest_finds_coordinates():
    random = np.random.default_rng(0)
    turn, _ = np.linalg.qr(random.normal(size=(6, 6)))
    hidden = np.eye(20)[:, [1, 4, 5, 9, 12, 19]] @ turn
    for found in (near_coordinates(hidden), sparsest(hidden)):
        np.testing.assert_allclose(np.abs(found).sum(axis=0), 1.0)


def test_rotations_keep_the_space_and_shorten():
    random = np.random.default_rng(1)
    basis, _ = np.linalg.qr(random.normal(size=(30, 7)))
    found = rotate_pairs(basis)
    np.testing.assert_allclose(found.T @ found, np.eye(7), atol=1e-12)
    np.testing.assert_allclose(found @ found.T, basis @ basis.T, atol=1e-12)
    assert np.log(np.abs(found).sum(0)).sum() < np.log(np.abs(basis).sum(0)).sum()


@pytest.mark.parametrize("text", ["crop:0.7", "blur:2", "resize:0.3", "rescale:0.5", "resize:2"])
def test_bands_have_the_values_of_the_dense_matrix(text):
    axis = linear.parse(text).at(ImageFormat(1, 400, 1)).columns
    found = banded_values(axis)
    assert found is not None
    dense = np.linalg.svd(axis.toarray(), compute_uv=False)
    np.testing.assert_allclose(found, dense, atol=1e-13)


def test_what_has_no_band_is_left_to_others():
    assert banded_values(linear.gaussian_blur(20).at(ImageFormat(1, 100, 1)).columns) is None
    assert banded_values(linear.hflip().at(ImageFormat(1, 16, 1)).columns) is None
