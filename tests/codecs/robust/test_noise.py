"""The noise that was put in is the noise that is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.robust import lattice, noise
from morebits.codecs.robust.lattice import ALPHA, MODELS
from morebits.codecs.robust.noise import Groups


def received(
    random: np.random.Generator, sigma: float, lost: float, shape: tuple[int, ...]
) -> np.ndarray:
    """Bins of bits 0."""
    place = (random.random(shape) - 0.5) * (1 - ALPHA) + random.normal(0, sigma, shape)
    place = np.where(random.random(shape) < lost, random.random(shape), place)
    return lattice.bins((place - np.floor(place)).astype(np.float32))


def mean_cosine(model: np.ndarray) -> np.ndarray:
    return lattice.sharpness(1)[model]


def one(where: np.ndarray) -> Groups:
    """All numbers in one group."""
    return Groups(np.zeros(where.shape, np.intp), [0], 1)


def turned(where: np.ndarray) -> np.ndarray:
    """The bins of the other bit."""
    return (where + lattice.BINS // 2) % lattice.BINS


class TestFit:
    @pytest.mark.parametrize(
        ("sigma", "lost"), [(0.03, 0.01), (0.1, 0.05), (0.17, 0.01), (0.05, 0.5), (0.25, 0.15)]
    )
    @pytest.mark.parametrize("share", [0.05, 1])
    def test_find_what_was_put_in(self, sigma, lost, share):
        """From a few known bits and many unknown ones, or from known ones alone."""
        random = np.random.default_rng(3)
        where = received(random, sigma, lost, (500, 42))
        known = random.random(where.shape) < share
        ones = ~known & (random.random(where.shape) < 0.5)
        where = np.where(ones, turned(where), where)
        fit = noise.fit(where, one(where), known)
        true = (1 - lost) * np.exp(-2 * (np.pi * sigma) ** 2)
        assert mean_cosine(fit.trust) == pytest.approx(true, abs=0.06)
        if lost < 0.02:
            assert MODELS[fit.trust[0, 0], 0] == pytest.approx(sigma, rel=0.25)

    def test_soft_values_are_as_sure_as_they_say(self):
        """Of the bits whose soft value says 80 % some 80 % are right, from few numbers on."""
        random = np.random.default_rng(8)
        where = received(random, 0.2, 0.05, (900, 42))
        known = np.broadcast_to(np.arange(42) < 2, where.shape)
        ones = ~known & (random.random(where.shape) < 0.5)
        soft = noise.fit(np.where(ones, turned(where), where), one(where), known).soft[~known]
        right = (soft > 0) == ones[~known]
        said = 1 / (1 + np.exp(-np.abs(soft)))
        for low, high in ((0.5, 0.65), (0.65, 0.8), (0.8, 1)):
            part = (said >= low) & (said < high)
            assert part.sum() > 500
            assert right[part].mean() == pytest.approx(float(said[part].mean()), abs=0.04)

    def test_each_group_has_its_own(self):
        random = np.random.default_rng(4)
        where = np.concatenate([received(random, s, 0.01, (100, 42)) for s in (0.05, 0.3, 0.1)])
        index = np.repeat([0, 1, 2], 100)[:, None] + np.zeros((1, 42), np.intp)
        fit = noise.fit(where, Groups(index, [0, 1, 2], 1), np.ones(where.shape, bool))
        found = MODELS[fit.trust[::100, 0], 0]
        assert found[0] < found[2] < found[1]

    @pytest.mark.parametrize("bands", [False, True], ids=["classes", "bands"])
    def test_a_group_that_knows_little_listens_to_its_neighbours(self, bands):
        """The same few numbers, beside many with weak or strong noise, of its kind or not."""
        random = np.random.default_rng(7)
        few = received(random, 0.1, 0.01, (1, 6))
        sharp = []
        for sigma in (0.05, 0.3):
            for alike in (True, False):
                many = received(random, sigma, 0.01, (1, 2000))
                index = np.repeat([0, 1], [2000, 6])[None]
                groups = Groups(index, [0], 2) if bands else Groups(index, [0, 1 - alike], 1)
                where = np.concatenate([many, few], axis=1)
                fit = noise.fit(where, groups, np.ones(where.shape, bool))
                sharp.append(mean_cosine(fit.trust)[0, -1])
        assert sharp[0] > sharp[2] + 0.2
        if not bands:
            assert sharp[1] == sharp[3]

    def test_numbers_that_say_nothing_are_not_trusted(self):
        random = np.random.default_rng(5)
        where = random.integers(0, lattice.BINS, (200, 42))
        known = np.arange(42) < 2
        fit = noise.fit(where, one(where), known | (where < 0))
        assert mean_cosine(fit.trust).max() < 0.3
        assert np.abs(fit.soft).max() < 1.2

    def test_few_numbers_are_read_with_caution(self):
        """One number in the right place is no proof of a perfect picture."""
        where = np.zeros((1, 1), np.intp)
        fit = noise.fit(where, one(where), np.ones((1, 1), bool))
        assert -4 < fit.soft[0, 0] < -0.5


class TestGroups:
    @given(st.integers(1, 300), st.integers(1, 3), st.integers(0, 99))
    @settings(max_examples=40)
    def test_kinds_are_kept_apart(self, count, kinds, seed):
        random = np.random.default_rng(seed)
        activity = random.random(count).astype(np.float32)
        kind = random.integers(0, kinds, count)
        groups = noise.groups(activity, kind)
        group = groups.index
        assert len(groups.kinds) * groups.bands > group.max()
        assert [groups.kinds[each] for each in group[:, 0] // groups.bands] == kind.tolist()
        assert group.shape == (count, 42)
        assert group.min() >= 0
        for a in range(kinds):
            others = group[kind != a]
            assert not np.isin(group[kind == a], others).any()

    @given(st.integers(1, 400), st.integers(0, 99))
    @settings(max_examples=30)
    def test_busier_tiles_come_later(self, count, seed):
        activity = np.random.default_rng(seed).random(count).astype(np.float32)
        group = noise.groups(activity, np.zeros(count, np.intp)).index
        assert (np.diff(group[np.argsort(activity)], axis=0) >= 0).all()
        assert (np.diff(group, axis=1) >= 0).all()

    def test_are_large_enough_to_tell_their_noise(self):
        for count in (9, 40, 200, 1000):
            activity = np.arange(count, dtype=np.float32)
            sizes = np.bincount(noise.groups(activity, np.zeros(count, np.intp)).index.ravel())
            assert sizes[sizes > 0].min() > 250

    def test_many_tiles_have_several(self):
        group = noise.groups(np.arange(1000, dtype=np.float32), np.zeros(1000, np.intp)).index
        assert len(np.unique(group)) >= 24


class TestLikeliest:
    @pytest.mark.parametrize(("sigma", "lost"), [(0.03, 0.01), (0.1, 0.01), (0.17, 0.01)])
    def test_is_near_the_noise_that_was_put_in(self, sigma, lost):
        random = np.random.default_rng(2)
        where = received(random, sigma, lost, (60, 42))
        known = np.zeros(where.shape, bool)
        known[:, ::10] = True
        where = np.where(~known & (random.random(where.shape) < 0.5), turned(where), where)
        found = noise.likeliest(where, known)
        own = (1 - lost) * np.exp(-2 * (np.pi * sigma) ** 2)
        assert mean_cosine(np.array(found)) == pytest.approx(own, abs=0.08)
