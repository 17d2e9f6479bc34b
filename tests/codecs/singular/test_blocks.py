"""Blocks of an edit and their bases, against the whole matrix and numpy's SVD."""

import numpy as np
import pytest

from morebits import linear
from morebits.codecs.singular.blocks import blocks_of, canonical
from morebits.errors import TooLarge
from morebits.types import ImageFormat

SMALL = ImageFormat(3, 16, 16)


@pytest.mark.parametrize("text", ["hflip", "crop:0.5", "linjpeg:8", "linjpeg:15", "rotate:30"])
def test_blocks_are_the_edit(text):
    operator = linear.parse(text).at(SMALL)
    blocks, whole = blocks_of(operator), np.zeros((768, 768))
    for block in blocks:
        for inputs, outputs in zip(block.inputs, block.outputs, strict=True):
            whole[np.ix_(outputs, inputs)] = block.matrix.toarray()
        left = block.left()
        assert np.allclose(left.T @ left, np.eye(block.gains.size), atol=1e-6)
        assert np.allclose(block.right.T @ block.right, np.eye(block.gains.size), atol=1e-9)
    assert np.abs(whole - operator.dense()).max() < 1e-10
    gains = np.sort(np.concatenate([np.repeat(b.gains, b.copies) for b in blocks]))
    values = np.sort(np.linalg.svd(operator.dense(), compute_uv=False))
    assert np.allclose(gains, values[values > 1e-3], atol=1e-6)


def test_equal_blocks_share_a_basis():
    [block] = blocks_of(linear.lin_jpeg(15).at(ImageFormat(3, 32, 16)))
    assert (block.copies, block.right.shape) == (128, (12, 6))
    [block] = blocks_of(linear.rotation(30).at(SMALL))
    assert block.copies == 3
    [block] = blocks_of(linear.hflip().at(SMALL))
    assert (block.copies, block.right.shape) == (768, (1, 1))


def test_canonical_vectors_depend_on_their_spaces_only():
    rng = np.random.default_rng(3)
    vectors = np.linalg.qr(rng.normal(size=(30, 12)))[0]
    squares = np.array([5, 4, 4, 4, 3, 2.5, 2.5, 2, 1, 1, 1, 1.0])
    turned = vectors.copy()
    for value in np.unique(squares):
        space = np.flatnonzero(squares == value)
        turn = np.linalg.qr(rng.normal(size=(space.size, space.size)))[0]
        turned[:, space] = vectors[:, space] @ turn
    first, second = canonical(squares, vectors), canonical(squares, turned)
    assert np.abs(first - second).max() < 1e-12
    assert np.allclose(first.T @ first, np.eye(12))
    assert np.allclose(first @ np.diag(squares) @ first.T, vectors @ np.diag(squares) @ vectors.T)


@pytest.mark.parametrize("text", ["crop:0.5", "linjpeg:8", "linjpeg:15", "rotate:30"])
def test_noise_and_bias_of_rounding_are_as_measured(text):
    operator = linear.parse(text).at(SMALL)
    rng = np.random.default_rng(0)
    for block in blocks_of(operator):
        changes = rng.integers(-6, 7, (block.inputs.shape[1], 4000)).astype(float)
        exact = block.matrix @ changes
        moved = np.floor(exact + 0.5 + 1e-9) - exact
        assert np.abs(moved.mean(axis=1) - block.bias).max() < 0.03
        noise = (block.left().T @ moved).var(axis=1)
        assert np.abs(noise - block.noise).max() < 0.02


def test_large_blocks_are_refused():
    with pytest.raises(TooLarge, match="samples in one block"):
        blocks_of(linear.gaussian_blur(2).at(ImageFormat(1, 80, 80)))
