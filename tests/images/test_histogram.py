from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from morebits import images

RNG = np.random.default_rng(1)
RGB = RNG.integers(0, 256, (5, 7, 3), np.uint8)


class TestHistogram:
    @given(
        hnp.arrays(
            st.sampled_from([np.uint8, np.uint16]),
            hnp.array_shapes(min_dims=1, max_dims=3, max_side=9),
        )
    )
    def test_equals_bincount(self, array):
        counts = images.histogram(array)
        levels = 1 << (8 * array.dtype.itemsize)
        np.testing.assert_array_equal(counts, np.bincount(array.ravel(), minlength=levels))

    def test_not_contiguous(self):
        np.testing.assert_array_equal(
            images.histogram(RGB[::2, ::-1]), np.bincount(RGB[::2].ravel(), minlength=256)
        )

    def test_pieces(self):
        array = RNG.integers(0, 65536, (1 << 20) + 3, np.uint16)
        np.testing.assert_array_equal(images.histogram(array), np.bincount(array, minlength=65536))
