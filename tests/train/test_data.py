"""Pictures of every kind, the same whoever asks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch
from PIL import Image

from morebits.errors import ImageError
from morebits.train import data
from morebits.train.config import TrainConfig
from morebits.train.randomness import Purpose, generator, messages


def rng(number=0):
    return generator(0, Purpose.PICTURES, number)


def test_gray_is_the_papers():
    batch = next(data.training_batches(TrainConfig(size=8, batch=3), first=0))
    assert batch.shape == (3, 8, 8, 3)
    assert torch.equal(batch, torch.full_like(batch, 128))


def test_synthetic_pictures_fall_with_the_frequency():
    found = data.Synthetic(64)
    first, second = (found.picture(0, rng(n)).astype(float) for n in (0, 1))
    assert np.abs(first - second).mean() > 5
    power = np.abs(np.fft.fft2(first.mean(2) - first.mean())) ** 2
    assert power[1:4, 1:4].mean() > 30 * power[16:48, 16:48].mean()


class TestFolder:
    def test_pictures_in_and_below_once_a_pass(self, photos):
        found = data.Folder(str(photos), size=32, resize=True, seed=0)
        kinds = [np.ptp(found.picture(index, rng()), axis=2).max() == 0 for index in range(40)]
        assert all(kinds[i] != kinds[i + 1] for i in range(0, 40, 2))  # gray and colour, any order
        assert len({tuple(kinds[i : i + 2]) for i in range(0, 40, 2)}) == 2  # a new order

    def test_squares_are_cut_at_random_places(self, photos):
        found = data.Folder(str(photos), size=32, resize=False, seed=0)
        whole = np.asarray(Image.open(photos / "colour.jpg"))
        one = next(
            each for each in (found.picture(index, rng(7)) for index in range(2))
            if np.ptp(each, axis=2).max()
        )  # fmt: skip
        draws = rng(7)
        top, left = int(draws.integers(64 - 32 + 1)), int(draws.integers(96 - 32 + 1))
        assert np.array_equal(one, whole[top : top + 32, left : left + 32])

    def test_the_short_side_is_scaled(self, photos):
        """Of 96 x 64 pixels, a square of 128 is the whole height."""
        found = data.Folder(str(photos), size=128, resize=True, seed=0)
        assert found.picture(0, rng()).shape == (128, 128, 3)

    def test_16_bits_become_8(self, tmp_path):
        Image.fromarray(np.full((40, 40), 65535 * 3 // 4, np.uint16)).save(tmp_path / "deep.png")
        found = data.Folder(str(tmp_path), size=32, resize=False, seed=0)
        assert np.unique(found.picture(0, rng())).tolist() == [191]

    def test_too_small(self, photos):
        found = data.Folder(str(photos), size=65, resize=False, seed=0)
        with pytest.raises(ImageError, match="has 96x64 pixels, fewer than 65 a side; set resize"):
            found.picture(0, rng())

    def test_nothing_there(self, tmp_path):
        with pytest.raises(ImageError, match="is no folder"):
            data.Folder(str(tmp_path / "no"), size=8, resize=True, seed=0)
        odd = tmp_path / "with [brackets]"
        odd.mkdir()
        with pytest.raises(ImageError, match="the training folder has no pictures"):
            data.Folder(str(odd), size=8, resize=True, seed=0)
        Image.new("RGB", (9, 9)).save(odd / "a.png")
        assert data.Folder(str(odd), size=8, resize=True, seed=0).picture(0, rng()).shape == (
            8,
            8,
            3,
        )

    def test_goes_to_workers(self, photos):
        found = data.Folder(str(photos), size=16, resize=True, seed=0)
        again = pickle.loads(pickle.dumps(found))
        assert np.array_equal(found.picture(5, rng()), again.picture(5, rng()))


class TestShares:
    def test_ranks_share_what_one_has(self, photos):
        config = TrainConfig(data=str(photos), size=16, batch=4, steps_per_epoch=3)
        whole = list(data.training_batches(config, first=0))
        parts = [list(data.training_batches(config, first=0, rank=r, world=2)) for r in (0, 1)]
        for one, *two in zip(whole, *parts, strict=True):
            assert torch.equal(one, torch.cat(two))

    def test_later_steps_are_the_same(self, photos):
        config = TrainConfig(data=str(photos), size=16, batch=2, steps_per_epoch=4)
        whole = list(data.training_batches(config, first=0))
        for one, two in zip(whole[2:], data.training_batches(config, first=2), strict=True):
            assert torch.equal(one, two)

    def test_validation_is_as_long_on_every_rank(self):
        config = TrainConfig(size=8, batch=4, validation=5)
        numbers = [
            [list(each) for each, _ in data.validation_batches(config, rank=r, world=2)]
            for r in (0, 1)
        ]
        assert numbers == [[[0, 2], [4]], [[1, 3], [5]]]

    def test_messages_of_ranks(self):
        whole = messages(3, Purpose.MESSAGES, 9, slice(0, 4), (4, 10))
        part = messages(3, Purpose.MESSAGES, 9, slice(2, 4), (4, 10))
        assert torch.equal(whole[2:], part)
        assert set(whole.flatten().tolist()) == {0.0, 1.0}
        assert not torch.equal(whole, messages(3, Purpose.MESSAGES, 10, slice(0, 4), (4, 10)))


def test_purposes_do_not_share_their_randomness():
    drawn = [
        generator(0, purpose, *index).integers(2**62)
        for purpose in Purpose
        for index in ((0,), (0, 0), (1,), (0, 1))
    ]
    assert len(set(drawn)) == len(drawn)
