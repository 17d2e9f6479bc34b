"""The waves of a key are whole numbers, and the same ones for ever."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from morebits.codecs.pilot.waves import CB, COUNT, GRID, LUMA, PERIOD, TURN, waves
from morebits.errors import InputError

KEYS = [None, "key", b"\x00\xff", "another"]


def digest(key: str | bytes | None) -> str:
    table = waves(key)
    numbers = np.column_stack([table.frequency, table.phase, table.channel, table.percent])
    return hashlib.sha256(numbers.astype("<i8").tobytes()).hexdigest()[:16]


def test_they_never_change():
    """Marked pictures are out there: a change of these needs a new version of the pilot."""
    assert digest(None) == "205977210f2966fc"
    assert digest("key") == "bce9b2509d764183"


@pytest.mark.parametrize("key", KEYS)
class TestEveryKey:
    def test_lies_in_its_bands(self, key):
        table = waves(key)
        radius = np.hypot(*table.cycles.T)
        luma, cb = table.channel == LUMA, table.channel == CB
        assert ((radius[luma] > 0.091) & (radius[luma] < 0.169)).all()
        assert ((radius[cb] > 0.084) & (radius[cb] < 0.161)).all()
        assert np.abs(table.cycles).min() > 0.016

    def test_has_energy_one(self, key):
        assert waves(key).energy.sum() == pytest.approx(1)

    def test_repeats_but_for_some_waves(self, key):
        off = (waves(key).frequency % (GRID // PERIOD) != 0).any(axis=1)
        assert off.sum() == 7
        assert set(waves(key).channel[off]) == {LUMA, CB}

    def test_keeps_waves_apart(self, key):
        cycles = waves(key).cycles
        distance = np.hypot(*(cycles[:, None] - cycles[None]).transpose(2, 0, 1))
        assert distance[~np.eye(COUNT, dtype=bool)].min() > 0.009

    def test_spreads_the_phases(self, key):
        phase = waves(key).phase
        assert phase.min() >= 0
        assert phase.max() < TURN
        assert abs(np.exp(1j * waves(key).radians).mean()) < 0.5


def test_keys_differ():
    tables = [waves(key).frequency for key in KEYS]
    shared = [
        len(set(map(tuple, one.tolist())) & set(map(tuple, other.tolist())))
        for index, one in enumerate(tables)
        for other in tables[:index]
    ]
    assert max(shared) <= 2


def test_one_letter_typed_in_two_ways_is_one_key():
    assert waves("e\u0301") is waves("\u00e9")


def test_an_empty_key_is_refused():
    with pytest.raises(InputError, match="at least one letter"):
        waves("")
