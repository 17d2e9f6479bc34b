"""Soft values that know the mask: they carry more, and are as sure as they say."""

from __future__ import annotations

import numpy as np
import pytest

from morebits import images
from morebits.attacks import parse
from morebits.codecs.robust import careful, decoding, lattice, reading
from morebits.codecs.robust.attempts import Attempt
from morebits.codecs.robust.codec import mark
from morebits.codecs.robust.layout import KNOWN
from morebits.codecs.robust.noise import Groups


def attempt_at(picture: np.ndarray) -> Attempt:
    """The picture as it is, read once; no message opens, so that all is tried."""
    search = decoding._Search(picture, b"key", seconds=30)
    found = search._try(decoding._UNMOVED, "copied", "", "", None)
    assert found is not None
    return found


def uneven() -> np.ndarray:
    """Soft slopes and strong texture side by side, so that the mask has much to say."""
    random = np.random.default_rng(2)
    y, x = np.mgrid[0:288, 0:384]
    busy = 2 + 16 * (np.sin(x / 40) > 0) * (np.cos(y / 33) > -0.3)
    plane = 120 + 50 * np.sin(x / 60) * np.cos(y / 47) + random.normal(0, 1, x.shape) * busy
    return np.rint(plane).clip(0, 255).astype(np.uint8)[..., None].repeat(3, axis=2)


def right_bits(read: reading.Read, payload: bytes) -> np.ndarray:
    """The bits that the numbers really carry, from a reading of the untouched picture."""
    marked = mark(images.read(uneven()), payload, b"key", 45.0)
    decoded = decoding.decode(marked, b"key", seconds=30).decoded
    assert decoded is not None
    return read.tiles.window.bits(decoded.index, decoded.bits)[read.tiles.usable]


def information(soft: np.ndarray, bits: np.ndarray) -> float:
    """Bits that soft values really carry: wrong ones that are sure count against them."""
    right = soft * (2.0 * bits - 1)
    return float((1 - np.log2(1 + np.exp(-np.clip(right, -30, 30)))).sum())


class TestReread:
    @pytest.mark.parametrize("edit", ["jpeg:40", "jpeg:50"])
    def test_gains_information_after_jpeg(self, edit):
        payload = b"sixteen bytes..."
        marked = mark(images.read(uneven()), payload, b"key", 45.0)
        attempt = attempt_at(parse(edit)(marked))
        bits = right_bits(attempt.read, payload)
        again = careful.reread(attempt.read, attempt.rectified)
        before, after = (information(each.soft, bits) for each in (attempt.read, again))
        assert after > 1.01 * before

    def test_says_how_sure_it_is(self):
        """Bits whose soft value claims a chance of error are wrong about that often."""
        payload = b"sixteen bytes..."
        marked = mark(images.read(uneven()), payload, b"key", 45.0)
        attempt = attempt_at(parse("jpeg:50")(marked))
        bits = right_bits(attempt.read, payload)
        soft = careful.reread(attempt.read, attempt.rectified).soft
        wrong, claimed = (soft > 0) != bits, 1 / (1 + np.exp(np.abs(soft)))
        for low, high in ((0.02, 0.15), (0.15, 0.3), (0.3, 0.5)):
            here = (claimed >= low) & (claimed < high)
            assert here.sum() > 200
            assert wrong[here].mean() == pytest.approx(claimed[here].mean(), abs=0.08)

    def test_changes_nothing_but_soft_values(self):
        marked = mark(images.read(uneven()), b"sixteen bytes...", b"key", 45.0)
        attempt = attempt_at(parse("jpeg:60")(marked))
        again = careful.reread(attempt.read, attempt.rectified)
        assert again.soft.shape == attempt.read.soft.shape
        assert np.isfinite(again.soft).all()
        assert again.step == attempt.read.step
        assert (again.steps == attempt.read.steps).all()

    def test_a_picture_of_one_colour_has_a_mask_too(self):
        """Its weights are all the same, and its flattest quarter is all of it."""
        flat = np.full((240, 240, 3), 120, np.uint8)
        attempt = attempt_at(mark(images.read(flat), b"bytes", b"key", 45.0))
        again = careful.reread(attempt.read, attempt.rectified)
        known = attempt.read.tiles.roles < KNOWN
        assert (again.soft[known] < 0).mean() > 0.9


class TestMoved:
    def test_goes_to_the_class_beside(self):
        """Three classes of whole steps and two of halves: who changes goes next door."""
        index = np.arange(5)[:, None] * 2 + np.array([0, 1])
        groups = Groups(index, [0, 0, 0, 1, 1], 2)
        halved = careful._moved(groups, np.ones(5, np.intp))
        assert (halved // 2)[:, 0].tolist() == [4, 4, 4, 3, 4]
        whole = careful._moved(groups, np.zeros(5, np.intp))
        assert (whole // 2)[:, 0].tolist() == [0, 1, 2, 0, 0]
        assert (whole % 2 == index % 2).all()

    def test_stays_where_there_is_no_such_class(self):
        groups = Groups(np.zeros((3, 2), np.intp), [0], 1)
        assert (careful._moved(groups, np.ones(3, np.intp)) == 0).all()


def test_half_the_step_is_gone_twice_as_far():
    share = np.array([0.3, 0.3, 0.9], np.float32)
    whole, half, most = careful._nearest(share, np.array([False, True, True]))
    assert careful._SHARES[whole] == pytest.approx(0.3, abs=0.05)
    assert careful._SHARES[half] == pytest.approx(0.6, abs=0.05)
    assert careful._SHARES[most] == careful._SHARES[-1]


def test_the_share_decides_how_sharp_a_number_is():
    sharp, blunt = lattice.densities(0.9)[0], lattice.densities(0.3)[0]
    assert sharp[0] > 2 * blunt[0]
    assert (lattice.densities() == lattice.densities(lattice.ALPHA)).all()
