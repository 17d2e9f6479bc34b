"""Trimming the ends of a composition keeps its non-zero singular values."""

from __future__ import annotations

import numpy as np
import pytest

from morebits import linear
from morebits.linear.ends import trimmed
from morebits.types import ImageFormat


@pytest.mark.parametrize(
    "text", ["crop:0.5|linjpeg:4", "linjpeg:4|crop:0.5", "linjpeg:4", "crop:0.5", "rotate:9"]
)
def test_values_are_kept_and_zeros_are_not(text):
    operator = linear.parse(text).at(ImageFormat(3, 10, 9))
    flat = trimmed(operator)
    matrix = np.stack([flat.forward(x) for x in np.eye(flat.inputs)], axis=1)
    back = np.stack([flat.backward(y) for y in np.eye(flat.outputs)], axis=1)
    np.testing.assert_allclose(back, matrix.T, atol=1e-12)
    found = np.linalg.svd(matrix, compute_uv=False)
    dense = np.linalg.svd(operator.dense(), compute_uv=False)
    size = min(len(found), len(dense))
    np.testing.assert_allclose(found[:size], dense[:size], atol=1e-10)
    np.testing.assert_allclose(dense[size:], 0, atol=1e-10)
    assert flat.outputs * flat.inputs <= operator.outputs * operator.inputs
