from __future__ import annotations

import numpy as np
import pytest
from bench_pictures import cover, mark
from hypothesis import given
from hypothesis import strategies as st

from morebits.bench import ssim as module
from morebits.bench.ssim import ms_ssim, ssim
from morebits.errors import InputError

# scikit-image 0.26.0: structural_similarity(data_range=255, gaussian_weights=True, sigma=1.5,
# use_sample_covariance=False, channel_axis=2).
SKIMAGE = {
    (11, 11, 1): 0.988840896551253,
    (64, 80, 3): 0.8425643036592184,
    (161, 200, 1): 0.9294203802799527,
    (171, 203, 3): 0.9303263720750968,
    (176, 192, 3): 0.9301114557233485,
}
# pytorch_msssim 1.0.0 on torch 2.13.0, float64 tensors, data_range=255: (ssim, ms_ssim), first
# with its own window, which it computes in single precision, then with `win` in double.
PYTORCH = {
    (64, 80, 3): (0.8425659140179175, None),
    (161, 200, 1): (0.9294226950211321, 0.9930400138803842),
    (171, 203, 3): (0.9303288680218823, 0.9929816387975974),
    (176, 192, 3): (0.930113929312292, 0.9930950647563493),
}
PYTORCH_DOUBLE = {
    (64, 80, 3): (0.8425643036592264, None),
    (161, 200, 1): (0.9294203802799594, 0.9930397880862529),
    (171, 203, 3): (0.9303263720751062, 0.9929813901392022),
    (176, 192, 3): (0.9301114557233578, 0.9930948169548595),
}


def direct_ssim(x, y, peak):
    """The definition, window by window, in two dimensions, of one plane."""
    offsets = np.arange(11) - 5
    window = np.exp(-(offsets[:, None] ** 2 + offsets[None] ** 2) / (2 * 1.5**2))
    window /= window.sum()
    c1, c2 = (0.01 * peak) ** 2, (0.03 * peak) ** 2
    total, windows = 0.0, 0
    for i in range(x.shape[0] - 10):
        for j in range(x.shape[1] - 10):
            a, b = x[i : i + 11, j : j + 11] * 1.0, y[i : i + 11, j : j + 11] * 1.0
            ma, mb = (window * a).sum(), (window * b).sum()
            va, vb = (window * (a - ma) ** 2).sum(), (window * (b - mb) ** 2).sum()
            cov = (window * (a - ma) * (b - mb)).sum()
            total += (2 * ma * mb + c1) / (ma**2 + mb**2 + c1) * (2 * cov + c2) / (va + vb + c2)
            windows += 1
    return total / windows


class TestSSIM:
    @pytest.mark.parametrize("shape", SKIMAGE)
    def test_as_scikit_image(self, shape):
        picture = cover(*shape)
        assert ssim(picture, mark(picture), peak=255) == pytest.approx(SKIMAGE[shape], abs=1e-12)

    @pytest.mark.parametrize("shape", PYTORCH)
    def test_as_pytorch_msssim(self, shape):
        picture = cover(*shape)
        found = ssim(picture, mark(picture), peak=255)
        assert found == pytest.approx(PYTORCH[shape][0], abs=5e-6)
        assert found == pytest.approx(PYTORCH_DOUBLE[shape][0], abs=1e-12)

    @given(st.integers(0, 2**32 - 1), st.integers(11, 16), st.integers(11, 16))
    def test_as_the_definition(self, seed, height, width):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 256, (2, height, width), dtype=np.uint8)
        assert ssim(x, y, peak=255) == pytest.approx(direct_ssim(x, y, 255), abs=1e-9)

    def test_equal_pictures_are_exactly_one(self):
        picture = cover(40, 50, 3)
        assert ssim(picture, picture.copy(), peak=255) == 1.0

    def test_order_does_not_matter(self):
        picture = cover(30, 40, 3)
        marked = mark(picture)
        assert ssim(picture, marked, peak=255) == pytest.approx(ssim(marked, picture, peak=255))

    def test_16_bits_give_the_same_as_8(self):
        picture = cover(30, 40, 3)
        marked = mark(picture)
        deep = [each.astype(np.uint16) * 257 for each in (picture, marked)]
        assert ssim(*deep, peak=65535) == pytest.approx(ssim(picture, marked, peak=255))

    def test_strips_do_not_show(self, monkeypatch):
        picture = cover(97, 40, 1)
        whole = ssim(picture, mark(picture), peak=255)
        monkeypatch.setattr(module, "_STRIP", 1)
        assert ssim(picture, mark(picture), peak=255) == pytest.approx(whole, abs=1e-13)

    def test_gray_without_a_channel_axis(self):
        picture = cover(30, 40, 1)
        marked = mark(picture)
        flat = ssim(picture[..., 0], marked[..., 0], peak=255)
        assert flat == ssim(picture, marked, peak=255)

    def test_none_below_the_window(self):
        small = cover(10, 50, 3)
        assert ssim(small, small, peak=255) is None

    def test_what_is_no_pair_of_pictures(self):
        picture = cover(20, 20, 3)
        with pytest.raises(InputError, match="give the shape of the cover"):
            ssim(picture, picture[:, :19], peak=255)
        with pytest.raises(InputError, match="height, width, channels"):
            ssim(picture[None], picture[None], peak=255)
        with pytest.raises(InputError, match="peak"):
            ssim(picture, picture, peak=0)


class TestMSSSIM:
    @pytest.mark.parametrize("shape", [shape for shape, both in PYTORCH.items() if both[1]])
    def test_as_pytorch_msssim(self, shape):
        picture = cover(*shape)
        found = ms_ssim(picture, mark(picture), peak=255)
        assert found == pytest.approx(PYTORCH[shape][1], abs=1e-6)
        assert found == pytest.approx(PYTORCH_DOUBLE[shape][1], abs=1e-12)

    def test_equal_pictures_are_exactly_one(self):
        picture = cover(161, 170, 1)
        assert ms_ssim(picture, picture.copy(), peak=255) == 1.0

    def test_none_up_to_160_pixels(self):
        small = cover(160, 300, 1)
        assert ms_ssim(small, small, peak=255) is None
        with pytest.raises(InputError, match="peak"):
            ms_ssim(small, small, peak=-1)

    def test_a_negative_picture_has_none(self):
        picture = cover(161, 161, 1)
        found = ms_ssim(picture, 255 - picture, peak=255)
        assert found is not None
        assert 0 <= found < 0.1
