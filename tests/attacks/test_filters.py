"""Blur, median, sharpness and noise against the definitions and their statistics."""

from __future__ import annotations

import attack_oracles as oracles
import numpy as np
import pytest

from morebits.attacks import filters, parse


class TestBlur:
    #: Table of the evaluation protocol: kernel -> sigma.
    SIGMAS = ((3, 0.8), (5, 1.1), (9, 1.7), (13, 2.3), (17, 2.9))

    @pytest.mark.parametrize(("kernel", "sigma"), SIGMAS)
    def test_is_the_oracle(self, colour, kernel, sigma):
        picture = colour[:20, :28]
        exact = oracles.blur(picture, kernel, sigma)
        assert np.array_equal(filters.blur(picture, kernel), oracles.levels(exact))

    def test_by_hand(self):
        """A dot of 200 under sigma 0.8: neighbours have exp(-0.78125) = 0.45783 of the middle."""
        picture = np.zeros((7, 7, 1), np.uint8)
        picture[3, 3] = 200
        middle = 1 / (1 + 2 * 0.457833)
        side = 0.457833 * middle
        found = parse("blur:3")(picture)[..., 0]
        expected = [round(200 * a * b) for a in (side, middle) for b in (side, middle)]
        assert found[2:4, 2:4].ravel().tolist() == expected
        assert found.astype(bool).sum() == 9

    def test_the_border_is_reflected_without_repeating_it(self):
        """Next to 0 the row 0, 100, 0 continues with 100."""
        picture = np.array([[[0], [100], [0]]], np.uint8)
        side = 0.457833 / (1 + 2 * 0.457833)
        assert parse("blur:3")(picture)[0, 0, 0] == round(200 * side)

    @pytest.mark.parametrize("shape", [(1, 1), (1, 9), (2, 3)])
    def test_pictures_smaller_than_the_kernel(self, shape):
        picture = np.full((*shape, 3), 77, np.uint8)
        assert np.array_equal(parse("blur:99")(picture), picture)


class TestMedian:
    @pytest.mark.parametrize("kernel", [3, 5, 9])
    def test_is_the_oracle(self, colour, kernel):
        picture = colour[:21, :17]
        assert np.array_equal(filters.median(picture, kernel), oracles.median(picture, kernel))

    def test_a_dot_goes_and_an_edge_stays(self):
        picture = np.zeros((9, 9, 1), np.uint8)
        picture[:, 5:] = 200
        dotted = picture.copy()
        dotted[4, 2] = 255
        assert np.array_equal(parse("median:3")(dotted), picture)


class TestSharpness:
    @pytest.mark.parametrize("factor", [0, 0.5, 2, 4])
    def test_is_the_oracle(self, colour, factor):
        exact = oracles.levels(oracles.sharpness(colour, factor))
        assert np.array_equal(filters.sharpness(colour, factor), exact)

    def test_nothing_to_smooth(self):
        picture = np.array([[[1], [200]], [[90], [7]]], np.uint8)
        assert np.array_equal(parse("sharpness:3")(picture), picture)

    def test_one_changes_nothing(self, colour):
        assert np.array_equal(parse("sharpness:1")(colour), colour)


class TestNoise:
    def test_mean_and_deviation(self):
        """40,000 samples: five standard errors of the mean and of the deviation."""
        picture = np.full((100, 400, 1), 128, np.uint8)
        found = parse("noise:10")(picture, seed=1).astype(float)
        assert abs(found.mean() - 128) < 5 * 10 / 200
        # Rounding adds a twelfth to the variance.
        assert abs(found.std() - np.sqrt(100 + 1 / 12)) < 5 * 10 / np.sqrt(80_000)

    def test_twice_is_not_the_same_noise_twice(self):
        """Variances add up; the same noise twice would have twice the deviation."""
        picture = np.full((100, 400, 1), 128, np.uint8)
        found = parse("noise:10|noise:10")(picture).astype(float)
        assert abs(found.std() - np.sqrt(200)) < 0.3

    def test_channels_have_their_own(self, colour):
        change = parse("noise:10")(np.full_like(colour, 128)).astype(int) - 128
        assert abs(np.corrcoef(change.reshape(-1, 3).T)[0, 1]) < 0.1


class TestSaltAndPepper:
    def test_counts(self):
        picture = np.full((200, 200, 3), 128, np.uint8)
        found = parse("saltpepper:0.2")(picture, seed=2)
        assert (found == found[..., :1]).all()
        for level in (0, 255):
            assert abs((found[..., 0] == level).sum() - 4000) < 5 * np.sqrt(4000)
        assert set(np.unique(found)) == {0, 128, 255}

    def test_all_of_them(self, colour):
        assert set(np.unique(parse("saltpepper:1")(colour))) == {0, 255}
