"""From an edited photo back to its geometry, and no geometry where there is no pilot."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest
from PIL import Image

import morebits as mb
from morebits.attacks import parse
from morebits.codecs import pilot
from morebits.errors import InputError

#: Seconds that a search never needs: a busy machine is no reason to fail.
PLENTY = 100

#: Original pixels: what the payload needs.
NEAR = 0.35


@pytest.fixture(scope="module")
def original(photo) -> np.ndarray:
    return np.asarray(Image.open(photo).convert("RGB"))


@pytest.fixture(scope="module")
def marked(original) -> np.ndarray:
    return pilot.mark(original, "key", psnr=50)


def centred(linear: object, before: tuple[int, int], after: tuple[int, int]) -> np.ndarray:
    """The map that takes the centre of one frame to the centre of the other."""
    matrix = np.array(linear, np.float64)
    shift = (np.array(after) - 1) / 2 - matrix @ ((np.array(before) - 1) / 2)
    return np.column_stack([matrix, shift])


def turn(degrees: float) -> list[list[float]]:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [[cos, sin], [-sin, cos]]


def off(found: pilot.Located, true: np.ndarray) -> float:
    """Largest error at the corners of the received frame, in original pixels."""
    right, bottom = found.size[0] - 1, found.size[1] - 1
    corners = np.array([[0, 0], [right, 0], [0, bottom], [right, bottom]], np.float64)
    exact = (corners - true[:, 2]) @ np.linalg.inv(true[:, :2]).T
    return float(np.hypot(*(found.original(corners) - exact).T).max())


class TestFound:
    @pytest.mark.parametrize(
        ("attack", "linear", "model"),
        [
            ("none", np.eye(2), "identity"),
            ("jpeg:50", np.eye(2), "identity"),
            ("blur:9", np.eye(2), "identity"),
            ("brightness:0.5", np.eye(2), "identity"),
            ("hflip", np.diag([-1, 1]), "flip"),
            ("rotate:90", turn(90), "turn"),
            ("rotate:180", turn(180), "turn"),
            ("rotate:30|jpeg:60", turn(30), "rotation"),
            ("resize:0.5|jpeg:80", None, "resize"),
            ("resize:0.71|hflip", None, "resize"),
            ("resize:2", None, "resize"),
        ],
    )
    def test_after(self, original, marked, attack, linear, model):
        received = parse(attack)(marked)
        before = (original.shape[1], original.shape[0])
        after = (received.shape[1], received.shape[0])
        if linear is None:
            linear = np.diag(np.array(after) / before) @ np.diag([-1 if "flip" in attack else 1, 1])
        found = pilot.locate(received, "key", budget_seconds=PLENTY)
        assert found
        assert found.model == model
        assert off(found, centred(linear, before, after)) < NEAR
        assert found.size == after

    def test_after_a_crop(self, marked):
        received = parse("jpeg:60")(marked[131:431, 57:357])
        found = mb.locate(received, "key", budget_seconds=PLENTY)
        assert found.model == "crop"
        assert found.matrix == pytest.approx(np.array([[1, 0, -57], [0, 1, -131]]), abs=1e-9)
        assert np.array_equal(found.rectify(received), received)
        assert found.area == (57, 131, 300, 300)

    def test_after_a_crop_of_a_turned_and_resized_picture(self, original, marked):
        received = parse("rotate:12|resize:0.8")(marked)
        middle = np.array([original.shape[1], original.shape[0]])
        after = (received.shape[1], received.shape[0])
        true = centred(np.diag(np.array(after) / middle) @ turn(12), tuple(middle), after)
        true[:, 2] -= (40, 30)
        found = pilot.locate(np.ascontiguousarray(received[30:, 40:]), "key", budget_seconds=PLENTY)
        assert found.tier == "similarity"
        assert off(found, true) < NEAR

    def test_with_sides_of_their_own(self, original, marked):
        received = np.asarray(Image.fromarray(marked).resize((420, 560), Image.Resampling.BICUBIC))
        found = pilot.locate(received, "key", budget_seconds=PLENTY)
        before = (original.shape[1], original.shape[0])
        true = centred(np.diag([420 / before[0], 560 / before[1]]), before, (420, 560))
        assert off(found, true) < NEAR

    def test_in_a_gray_picture(self, original):
        gray = np.repeat(original.mean(axis=2, keepdims=True), 3, axis=2)
        marked = pilot.mark(gray.astype(np.uint8), "key", psnr=48)
        received = parse("grayscale|jpeg:70")(marked)
        assert pilot.locate(received, "key", budget_seconds=PLENTY).model == "identity"
        assert pilot.locate(received[..., :1], "key", budget_seconds=PLENTY).model == "identity"

    def test_in_sixteen_bits(self, marked):
        assert (
            pilot.locate(marked.astype(np.uint16) * 257, "key", budget_seconds=PLENTY).model
            == "identity"
        )


@pytest.fixture(scope="module")
def large() -> np.ndarray:
    random = np.random.default_rng(4)
    coarse = random.normal(128, 30, (38, 110, 3)).clip(0, 255).astype(np.uint8)
    smooth = Image.fromarray(coarse).resize((3300, 1140), Image.Resampling.BICUBIC)
    noisy = np.asarray(smooth) + random.normal(0, 4, (1140, 3300, 3))
    return pilot.mark(noisy.clip(0, 255).astype(np.uint8), "key", psnr=46)


class TestLarge:
    """Beyond the window of the search, and beyond one period of the waves."""

    def test_whole(self, large):
        found = pilot.locate(large, "key", budget_seconds=PLENTY)
        assert found.model == "identity"

    def test_the_far_end_knows_its_period(self, large):
        found = pilot.locate(large[300:1100, 2450:3290], "key", budget_seconds=PLENTY)
        assert found.model == "crop"
        assert found.matrix[:, 2].tolist() == [-2450, -300]

    def test_turned(self, large):
        found = pilot.locate(parse("rotate:3")(large), "key", budget_seconds=PLENTY)
        assert off(found, centred(turn(3), (3300, 1140), (3300, 1140))) < NEAR


class TestNotFound:
    def test_without_a_pilot(self, original):
        found = pilot.locate(original, "key", budget_seconds=PLENTY)
        assert not found
        assert found.p_value > 1e-3
        assert found.seconds > 0

    def test_with_another_key(self, marked):
        assert not pilot.locate(marked, "another", budget_seconds=0.1)
        assert not pilot.locate(marked, budget_seconds=0.1)

    @pytest.mark.parametrize("value", [0, 128, 255])
    def test_in_one_colour(self, value):
        assert not pilot.locate(np.full((200, 150, 3), value, np.uint8), "key")

    @pytest.mark.parametrize("size", [(1, 1), (1, 300), (7, 5), (16, 33), (64, 64), (70, 31)])
    def test_in_small_pictures(self, size):
        picture = np.random.default_rng(0).integers(0, 256, (*size, 3), np.uint8)
        assert not pilot.locate(picture, "key", budget_seconds=PLENTY)

    @pytest.mark.full
    def test_p_values_are_uniform(self, original):
        """Thirty keys that are not in the picture: neither too many small ones nor too few."""
        crop = original[100:400, 100:400]
        values = [
            pilot.locate(crop, f"absent {n}", budget_seconds=PLENTY).p_value for n in range(30)
        ]
        assert min(values) > 1e-3
        assert 0.25 < float(np.mean(values)) < 0.75


class TestCandidates:
    def test_the_first_one_is_what_locate_says(self, marked):
        received = parse("resize:0.6|jpeg:50")(marked)
        first = next(pilot.candidates(received, "key", budget_seconds=PLENTY))
        assert np.array_equal(
            first.matrix, pilot.locate(received, "key", budget_seconds=PLENTY).matrix
        )

    def test_alternatives_follow_and_are_different(self, marked):
        received = parse("resize:0.6|jpeg:50")(marked)
        first, *others = islice(pilot.candidates(received, "key", budget_seconds=PLENTY), 6)
        assert [each.matrix.tolist() for each in others] == [
            each.matrix.tolist() for each in first.alternatives[:5]
        ]
        assert all(off(other, first.matrix) > 0.1 for other in others)

    def test_a_doubtful_picture_still_has_some(self, original):
        maps = list(pilot.candidates(original[:200, :200], "key", budget_seconds=PLENTY))
        assert len(maps) > 6
        assert not any(maps)

    def test_little_time_means_few_tiers(self, original):
        tiers = {each.tier for each in pilot.candidates(original, "key", budget_seconds=1e-6)}
        assert tiers <= {"upright", "resize", "rotation"}

    @pytest.mark.parametrize("budget", [0, -1, math.nan])
    def test_no_time_at_all_is_refused(self, original, budget):
        with pytest.raises(InputError, match="positive number of seconds"):
            next(pilot.candidates(original, "key", budget_seconds=budget))


class TestPresence:
    def test_of_the_right_map_only(self, original, marked):
        received = parse("jpeg:50")(marked[40:, 30:])
        cut = np.array([[1, 0, -30], [0, 1, -40]])
        assert pilot.presence(received, "key", cut) > 8
        assert abs(pilot.presence(received, "other", cut)) < 5
        assert abs(pilot.presence(original, "key", np.eye(2, 3))) < 5

    def test_agrees_with_locate(self, marked):
        found = pilot.locate(marked, "key", budget_seconds=PLENTY)
        assert pilot.presence(marked, "key", found.matrix) == pytest.approx(found.score, rel=1e-3)

    @pytest.mark.parametrize("matrix", [np.eye(3), np.zeros((2, 3))])
    def test_of_no_map(self, marked, matrix):
        with pytest.raises(InputError, match="invertible"):
            pilot.presence(marked, "key", matrix)
