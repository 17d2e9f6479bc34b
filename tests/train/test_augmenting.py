"""Augmentations against real edits, their gradients, their ranges and their determinism."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from morebits import attacks
from morebits.train import augmenting, geometric, photometric, straight
from morebits.train.config import AUGMENTATIONS, TrainConfig
from morebits.train.data import as_floats
from morebits.train.randomness import Purpose, generator


class Fixed:
    """A generator whose draws are all the same."""

    def __init__(self, value):
        self.value = value

    def uniform(self, *_):
        return self.value

    def integers(self, *_):
        return self.value


@pytest.fixture(scope="module")
def picture(photo):
    """A part of a real photo, (64, 48, 3)."""
    from PIL import Image

    with Image.open(photo) as image:
        return np.asarray(image.resize((128, 150)))[20:84, 40:88].copy()


def batch(picture):
    return as_floats(torch.from_numpy(picture[None]), torch.float64)


def samples(tensor):
    return (tensor[0].permute(1, 2, 0) * 255).round().numpy().astype(int)


@pytest.mark.parametrize(
    ("function", "value", "attack"),
    [
        (photometric.brightness, 1.5, "brightness:1.5"),
        (photometric.brightness, 0.5, "brightness:0.5"),
        (photometric.contrast, 1.5, "contrast:1.5"),
        (photometric.contrast, 0.75, "contrast:0.75"),
        (photometric.hue, 0.1, "hue:0.1"),
        (photometric.jpeg, 50, "jpeg:50"),
        (geometric.flip, 0, "hflip"),
    ],
)
def test_the_same_as_the_real_edit(picture, function, value, attack):
    """The edits of `morebits.attacks`, which Pillow computes, up to its rounding."""
    expected = attacks.parse(attack)(picture).astype(int)
    found = samples(function(batch(picture), Fixed(value)))
    difference = np.abs(found - expected)
    assert difference.max() <= 6  # Pillow's hues have 8 bits
    assert difference.mean() < 0.8


def test_blur_is_the_published_kernel(picture):
    """k = 9 has sigma 1.7, as in the paper's evaluation."""
    expected = attacks.parse("blur:9")(picture).astype(int)
    found = samples(photometric.blur(batch(picture), Fixed(9)))
    assert np.abs(found - expected)[8:-8, 8:-8].max() <= 1


def test_soft_jpeg_is_near_the_real_one(picture):
    """An imitation: nearer to the real file than the picture before is."""
    before, draw = batch(picture), Fixed(40)
    real, soft = photometric.jpeg(before, draw), photometric.soft_jpeg(before, draw)
    assert (soft - real).square().mean() < (before - real).square().mean()


def test_median_takes_the_middle():
    pictures = torch.zeros(1, 3, 5, 5)
    pictures[0, :, 2, 2] = 1  # one bright pixel among dark ones
    assert photometric.median(pictures, Fixed(0)).abs().max() == 0


def test_saturation_of_gray_is_gray():
    pictures = torch.rand(1, 1, 4, 4, dtype=torch.float64).expand(1, 3, 4, 4)
    found = photometric.saturation(pictures, Fixed(2.0))
    torch.testing.assert_close(found, pictures, atol=1e-3, rtol=0)  # the weights sum to 0.9999


def test_quarter_turns_keep_everything():
    class Quarter(Fixed):
        def choice(self, _):
            return 1

    pictures = torch.rand(1, 3, 4, 6)
    found = geometric.rotate(pictures, Quarter(0))
    assert torch.equal(found, torch.rot90(pictures, 1, (2, 3)))


def test_perspective_moves_the_corners_inwards():
    pictures = torch.ones(1, 3, 40, 40)

    class Corners(Fixed):
        def integers(self, *arguments):
            assert arguments == (0, 11, 4)  # half of half a side, and that one too
            return np.full(4, 10)

    found = geometric.perspective(pictures, Corners(0.5))
    assert found[..., :9, :].abs().max() == 0
    assert found[..., 11:29, 11:29].min() > 0.999


@pytest.mark.parametrize("name", AUGMENTATIONS)
def test_gradients_reach_the_picture(name, picture):
    pictures = batch(picture).requires_grad_()
    found = augmenting.TABLE[name](pictures, generator(1, Purpose.AUGMENTATIONS, 5))
    found.sum().backward()
    assert pictures.grad is not None
    assert torch.isfinite(pictures.grad).all()
    assert pictures.grad.abs().sum() > 0


@pytest.mark.parametrize("name", AUGMENTATIONS)
@pytest.mark.parametrize("seed", range(6))
def test_values_stay_in_range_at_any_size(name, seed):
    pictures = torch.rand(2, 3, 9, 14, generator=torch.Generator().manual_seed(seed))
    found = augmenting.TABLE[name](pictures, generator(seed, Purpose.AUGMENTATIONS, 0))
    assert found.shape[:2] == (2, 3)
    assert found.min() >= -1e-6
    assert found.max() <= 1 + 1e-6


def test_sizes_are_in_their_ranges():
    pictures = torch.zeros(1, 3, 100, 200)
    draws = [generator(0, Purpose.AUGMENTATIONS, step) for step in range(200)]
    cuts = np.array([geometric.crop(pictures, each).shape[2:] for each in draws])
    scaled = np.array([geometric.resize(pictures, each).shape[2:] for each in draws])
    assert (cuts.min(0) >= (50, 100)).all()
    assert (cuts.max(0) <= (100, 200)).all()
    assert (np.ptp(cuts, axis=0) > (45, 90)).all()
    assert (scaled.min(0) >= (70, 140)).all()
    assert (scaled.max(0) <= (150, 300)).all()


class TestChain:
    CONFIG = TrainConfig(augmentations=("crop", "brightness", "jpeg"), chained=2, seed=4)

    def test_twice_is_the_same(self):
        pictures = torch.rand(1, 3, 32, 32)
        for step in range(4):
            chain = augmenting.draw(self.CONFIG, step)
            assert torch.equal(chain(pictures), chain(pictures))

    def test_every_name_is_drawn_with_replacement(self):
        chains = [augmenting.draw(self.CONFIG, step).names for step in range(60)]
        assert len(set(chains)) == 9
        assert all(len(each) == 2 for each in chains)

    def test_none(self):
        assert augmenting.draw(TrainConfig(), 0).names == ()


def test_real_jpeg_has_the_gradient_of_the_identity():
    pictures = torch.rand(2, 3, 16, 16, requires_grad=True)
    straight.jpeg(pictures, 40).sum().backward()
    assert pictures.grad is not None
    assert torch.equal(pictures.grad, torch.ones_like(pictures))
