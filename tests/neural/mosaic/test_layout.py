from __future__ import annotations

import numpy as np
import pytest

from morebits.neural.mosaic.layout import DENSITIES, SLOTS, Layout
from morebits.neural.mosaic.tiles import NUMBERS


def test_densities_go_from_safe_to_full():
    blocks = [each.block for each in DENSITIES]
    assert blocks == sorted(blocks)
    for each in DENSITIES:
        assert sum(each.slots) == each.block
        assert len(each.slots) == SLOTS


def test_every_tile_has_one_number_of_its_own():
    window = Layout.of("key").window(3, 5, 8, 9)
    assert (np.sort(window.order, axis=2) == np.arange(NUMBERS)).all()
    assert (window.order[..., :1] == window.own).all()
    assert 0.4 < window.known.mean() < 0.6


@pytest.mark.parametrize("density", [0, 2, 6, 10])
def test_places_carry_the_block_of_the_tile(density):
    window = Layout.of(None).window(0, 0, 6, 7)
    block = DENSITIES[density].block
    coded = np.random.default_rng(1).integers(0, 2, 20 * block, np.uint8)
    places = window.places(density, np.ones((6, 7), np.bool_), coded)
    own = np.take_along_axis(places, window.own, axis=2)[..., 0]
    assert (own == np.where(window.known, 0, 0.5)).all()
    bits = window.blocks(density, 20)
    same = np.argwhere(bits == bits[0, 0])
    slots = np.take_along_axis(places, window.order, axis=2)[..., 1:]
    for row, column in same:
        assert (slots[row, column] == slots[0, 0]).all()


def test_a_map_without_room_for_a_crop_misses_no_block():
    window = Layout.of(None).window(0, 0, 4, 4)
    fragile = next(k for k, each in enumerate(DENSITIES) if each.fragile)
    assert set(window.blocks(fragile, 16).reshape(-1).tolist()) == set(range(16))


def test_another_key_has_another_layout():
    mine, other = (Layout.of(key).window(0, 0, 5, 5) for key in ("a", "b"))
    assert (mine.dither != other.dither).mean() > 0.9
