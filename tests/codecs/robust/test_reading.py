"""From numbers to messages, with noise of our own and no picture at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs import compact
from morebits.codecs.compact import Opener
from morebits.codecs.ldpc import Code
from morebits.codecs.robust import lattice, reading, sizes
from morebits.codecs.robust.gain import Step
from morebits.codecs.robust.layout import KNOWN, TELLING, Layout
from morebits.codecs.robust.reading import Tiles

PAYLOAD = b"twenty-four bytes of it."
CLASS = len(PAYLOAD)
STEP = 20.0


def received(
    *, noise: float = 0.05, payload: bytes = PAYLOAD, shape: tuple[int, int] = (10, 14),
    light: float = 1.0, seed: int = 0, corner: tuple[int, int] = (0, 0),
) -> Tiles:  # fmt: skip
    """Tiles with a message, a third of them calm, after noise (in cells) and a change of light."""
    random = np.random.default_rng(seed)
    window = Layout.of("key").window(*corner, *shape)
    busy = np.where(random.random(shape) < 1 / 3, 0.25, 3.0) * STEP
    numbers = (random.normal(0, 1, (*shape, 42)) * busy[..., None]).astype(np.float32)
    calm = lattice.activity(numbers) < lattice.CALM * STEP
    steps = np.where(calm, STEP / 2, STEP)
    index = sizes.class_of(8 * compact.size(payload))
    assert index is not None
    packed = compact.pack(payload, key="key", size=sizes.message_bits(index) // 8)
    bits = window.bits(index, np.unpackbits(np.frombuffer(packed, np.uint8)))
    numbers += lattice.ALPHA * lattice.moves(numbers, window.dither, bits, steps)
    numbers += (random.normal(0, noise, numbers.shape) * steps[..., None]).astype(np.float32)
    return Tiles(
        numbers * np.float32(light),
        window,
        np.ones(shape, bool),
        *np.zeros((2, *shape), np.float32),
    )


def near_the_limit(seed: int) -> Tiles:
    """Calm tiles that are nearly busy, with the noise in levels that JPEG leaves everywhere."""
    random = np.random.default_rng(seed)
    window = Layout.of("key").window(0, 0, 8, 9)
    busy = np.where(random.random((8, 9)) < 0.7, random.uniform(0.3, 0.5, (8, 9)), 1.0) * STEP
    numbers = (random.normal(0, 1, (8, 9, 42)) * busy[..., None]).astype(np.float32)
    calm = lattice.activity(numbers) < lattice.CALM * STEP
    bits = random.integers(0, 2, numbers.shape).astype(np.uint8) * (window.roles >= KNOWN)
    whole = lattice.moves(numbers, window.dither, bits, np.where(calm, STEP / 2, STEP))
    numbers += lattice.ALPHA * whole
    numbers += random.normal(0, 0.09 * STEP, numbers.shape).astype(np.float32)
    return Tiles(numbers, window, np.ones((8, 9), bool), *np.zeros((2, 8, 9), np.float32))


def unmarked(shape: tuple[int, int] = (10, 14)) -> Tiles:
    numbers = np.random.default_rng(9).normal(0, 60, (*shape, 42)).astype(np.float32)
    window = Layout.of("key").window(0, 0, *shape)
    return Tiles(numbers, window, np.ones(shape, bool), *np.zeros((2, *shape), np.float32))


def payload_of(tiles: Tiles, key: str | None = "key") -> bytes | None:
    decoded = reading.decode([reading.read(tiles, tiles.step())], Opener(key))
    return None if decoded is None else decoded.opened.payload


class TestMessage:
    @pytest.mark.parametrize("noise", [0.0, 0.1, 0.2])
    def test_comes_back(self, noise):
        assert payload_of(received(noise=noise)) == PAYLOAD

    @given(st.binary(max_size=40), st.integers(0, 95), st.integers(0, 95))
    @settings(max_examples=8)
    def test_of_any_length_from_any_place(self, payload, top, left):
        tiles = received(payload=payload, corner=(top, left))
        assert payload_of(tiles) == payload

    @pytest.mark.parametrize("light", [0.3, 0.7, 1.4])
    def test_after_a_change_of_light(self, light):
        tiles = received(light=light)
        assert tiles.step().levels == pytest.approx(light * STEP, rel=0.01)
        assert payload_of(tiles) == PAYLOAD

    def test_from_the_tiles_that_are_left(self):
        tiles = received()
        usable = np.random.default_rng(2).random(tiles.usable.shape) < 0.5
        numbers = np.where(usable[..., None], tiles.numbers, np.float32(np.nan))
        assert payload_of(replace(tiles, usable=usable, numbers=numbers)) == PAYLOAD

    def test_beside_tiles_that_lie(self):
        """A third has been painted over; nothing says so but the numbers themselves."""
        tiles, other = received(), unmarked()
        painted = (np.arange(14) < 5)[None, :, None]
        assert payload_of(replace(tiles, numbers=np.where(painted, other.numbers, tiles.numbers)))

    def test_the_code_tells_which_tiles_lie(self):
        """Most of the picture has been painted over, and the first reading is not enough."""
        for seed in (0, 2, 3):
            painted = (np.arange(14) < 9)[None, :, None]
            tiles = received(noise=0.15, seed=seed)
            seen = replace(tiles, numbers=np.where(painted, unmarked().numbers, tiles.numbers))
            assert payload_of(seen) == PAYLOAD

    def test_tells_its_class_and_its_bits(self):
        tiles = received()
        read = reading.read(tiles, tiles.step())
        assert reading.classes([read])[0] == CLASS
        decoded = reading.decode([read], Opener("key"))
        assert decoded is not None
        assert decoded.index == CLASS
        packed = compact.pack(PAYLOAD, key="key", size=sizes.message_bits(CLASS) // 8)
        assert np.packbits(decoded.bits).tobytes() == packed


def tint(layer: int, noise: float = 0.05, corner: tuple[int, int] = (0, 0)) -> Tiles:
    """Tiles of a tint with the message, at the step that goes with `STEP`."""
    random = np.random.default_rng(layer)
    window = Layout.of("key").window(*corner, 5, 6, layer)
    numbers = random.normal(0, 8, (5, 6, 42)).astype(np.float32)
    packed = compact.pack(PAYLOAD, key="key", size=sizes.message_bits(CLASS) // 8)
    bits = window.bits(CLASS, np.unpackbits(np.frombuffer(packed, np.uint8)))
    steps = np.full((5, 6), STEP * lattice.TINT)
    numbers += lattice.TINT_ALPHA * lattice.moves(numbers, window.dither, bits, steps)
    numbers += (random.normal(0, noise, numbers.shape) * steps[..., None]).astype(np.float32)
    return Tiles(numbers, window, np.ones((5, 6), bool), *np.zeros((2, 5, 6), np.float32))


class TestTints:
    def test_help_where_luma_alone_is_not_enough(self):
        luma = received(noise=0.3, shape=(5, 6))
        read = reading.read(luma, Step(STEP, 9.0))
        read = replace(read, soft=read.soft * np.float32(0.2))  # hardly anything is left of it
        tints = [reading.read_tint(tint(layer), Step(STEP, 9.0)) for layer in (1, 2)]
        assert reading.decode([read], Opener("key")) is None
        decoded = reading.decode([read, *tints], Opener("key"))
        assert decoded is not None
        assert decoded.opened.payload == PAYLOAD

    def test_that_are_lost_believe_little_of_themselves(self):
        found = reading.read_tint(tint(1, noise=2.0), Step(STEP, 9.0))
        assert found.information < 0.03 * found.soft.size
        assert reading.read_tint(tint(1), Step(STEP, 9.0)).information > 0.6 * found.soft.size


class TestNothing:
    def test_in_numbers_of_their_own(self):
        assert payload_of(unmarked()) is None

    def test_without_the_key_of_the_message(self):
        """The layout is right, the seal is not."""
        assert payload_of(received(), key="another") is None
        assert payload_of(received(), key=None) is None

    def test_when_the_noise_is_too_strong(self):
        assert payload_of(received(noise=0.6)) is None

    def test_from_too_few_tiles(self):
        tiles = received()
        usable = np.zeros(tiles.usable.shape, bool)
        usable[:2, :3] = True
        assert payload_of(replace(tiles, usable=usable)) is None


class TestRead:
    def test_soft_values_point_to_the_bits(self):
        tiles = received(noise=0.05)
        read = reading.read(tiles, tiles.step())
        assert read.soft.shape == read.trust.shape == (140, 42)
        known = tiles.roles < KNOWN
        assert (read.soft[known] < 0).mean() > 0.95
        packed = compact.pack(PAYLOAD, key="key", size=sizes.message_bits(CLASS) // 8)
        bits = tiles.window.bits(CLASS, np.unpackbits(np.frombuffer(packed, np.uint8)))
        assert ((read.soft > 0) == bits.reshape(140, 42)).mean() > 0.95

    def test_a_step_that_is_off_is_made_exact(self):
        tiles = received(noise=0.05)
        for factor in (0.985, 1.015):
            read = reading.read(tiles, Step(STEP * factor, 9.0))
            assert read.step.levels == pytest.approx(STEP, rel=0.005)

    def test_calm_tiles_have_half_the_step(self):
        tiles = received(noise=0.02)
        read = reading.read(tiles, Step(STEP, 9.0))
        calm = tiles.activity < lattice.CALM * STEP
        assert 0.2 < calm.mean() < 0.5
        assert read.steps[calm] == pytest.approx(read.step.levels / 2, rel=1e-4)
        assert read.steps[~calm] == pytest.approx(read.step.levels, rel=1e-4)

    def test_tiles_that_an_edit_made_calm_are_told_by_their_numbers(self):
        """Near the limit either step may be right: likelihood decides for nearly all."""
        random = np.random.default_rng(6)
        tiles = received(noise=0.05)
        calm = tiles.activity < lattice.CALM * STEP
        near = np.flatnonzero(~calm)[:20]
        # What is taken away is whole cells, so that the place in the cell stays.
        values = tiles.values.copy()
        cells = np.rint(values[near] / STEP - random.uniform(-0.25, 0.25, (20, 42)))
        values[near] -= (cells * STEP).astype(np.float32)
        scale = lattice.activity(values[near]) / (lattice.CALM * STEP)
        assert (scale < 1).any()
        seen = replace(tiles, numbers=values.reshape(tiles.numbers.shape))
        read = reading.read(seen, Step(STEP, 9.0))
        assert (read.steps[near] > 0.75 * STEP).mean() > 0.8

    def test_activity_tells_calm_tiles_where_their_numbers_cannot(self):
        """Noise of a third of their cells: what they look like under either step is chance."""
        wrong = []
        for seed in range(6):
            tiles = near_the_limit(seed)
            calm = tiles.activity < lattice.CALM * STEP
            steps = reading.read(tiles, Step(STEP, 9.0)).steps
            wrong.append(np.mean((steps < 0.75 * steps.max()) != calm))
        assert max(wrong) < 0.1

    @pytest.mark.parametrize("noise", [0.15, 0.18])
    def test_a_step_is_not_given_up_for_chance(self, noise):
        for seed in range(8):
            tiles = received(noise=noise, shape=(6, 8), seed=seed)
            read = reading.read(tiles, Step(STEP, 6.0))
            assert read.step.levels == pytest.approx(STEP, rel=0.012)

    def test_information_falls_with_noise_and_is_never_more_than_there_is(self):
        amounts = []
        for noise in (0.0, 0.1, 0.2, 0.4):
            tiles = received(noise=noise)
            amounts.append(reading.read(tiles, Step(STEP, 9.0)).information)
        carried = 140 * (42 - KNOWN - TELLING)
        assert carried >= amounts[0] > 0.7 * carried
        assert amounts == sorted(amounts, reverse=True)
        assert amounts[-1] < 0.1 * carried

    def test_clipped_tiles_are_trusted_less(self):
        tiles, other = received(), unmarked()
        clipped = np.zeros((10, 14), np.float32)
        clipped[:4] = 0.5
        numbers = np.where((clipped > 0)[..., None], other.numbers, tiles.numbers)
        read = reading.read(replace(tiles, numbers=numbers, lost=clipped), Step(STEP, 9.0))
        size = np.abs(read.soft).mean(axis=1).reshape(10, 14)
        assert size[:4].mean() < 0.2 * size[4:].mean()
        assert payload_of(replace(tiles, numbers=numbers, lost=clipped)) == PAYLOAD


def test_the_step_is_not_taken_from_clipped_tiles():
    tiles, other = received(), unmarked()
    clipped = np.zeros((10, 14), np.float32)
    clipped[:7] = 0.6
    seen = replace(tiles, numbers=np.where((clipped > 0)[..., None], other.numbers, tiles.numbers))
    told = replace(seen, lost=clipped).step()
    assert told.levels == pytest.approx(STEP, rel=0.01)
    assert told.score > 1.3 * seen.step().score


def test_tiles_list_what_is_usable():
    tiles = received()
    usable = np.zeros((10, 14), bool)
    usable[3, 4] = usable[5, 1] = True
    some = replace(tiles, usable=usable)
    assert some.count == 2
    assert np.array_equal(some.values, tiles.numbers[[3, 5], [4, 1]])
    assert np.array_equal(some.dither, tiles.window.dither[[3, 5], [4, 1]])
    roles = np.take_along_axis(some.roles, some.telling, axis=1)
    assert roles.tolist() == [[2], [2]]
    assert some.told.shape == (sizes.CLASSES, 2, TELLING)
    assert np.array_equal(some.told[7, 1], tiles.window.told(7)[5, 1])


class TestNudges:
    def test_bring_back_messages_that_almost_came(self):
        """Soft values with some 10 % more information than the message has bits."""
        random, code, came = np.random.default_rng(1), Code(536, 2691), 0
        for _ in range(30):
            message = random.integers(0, 2, 536).astype(np.uint8)
            signs = 2 * code.encode(message).astype(np.float32) - 1
            soft = 2.2 * signs + np.sqrt(2 * 2.2) * random.standard_normal(signs.size, np.float32)
            soft[random.permutation(signs.size)[1160:]] = 0
            if code.decode(soft, 40).ok:
                continue
            insisted = reading.insisted(code, soft)
            if insisted.ok:
                assert (insisted.bits == message).all()
                came += 1
        assert came >= 3

    def test_are_for_messages_that_almost_came(self, monkeypatch):
        """Neither for those that came, nor for those that cannot."""
        asked: list[int] = []
        really = reading.insisted
        monkeypatch.setattr(reading, "insisted", lambda *of: asked.append(1) or really(*of))
        assert payload_of(received(noise=0.1)) == PAYLOAD
        assert payload_of(unmarked()) is None
        assert not asked
        messages = (payload_of(received(noise=noise)) for noise in (0.26, 0.28, 0.3, 0.32, 0.34))
        assert None in messages
        assert asked


def test_cut_tiles_are_kept_apart_from_clipped_ones():
    """They are ordered by their own damage; less than half a pixel is no cut."""
    tiles = received(shape=(2, 3))
    lost, cut = np.zeros((2, 2, 3), np.float32)
    lost[0] = 0.4, 0.1, 0.3
    cut[0] = 0.0, 0.1, 0.01
    order, damage = replace(tiles, lost=lost, cut=cut).kinds
    assert damage.tolist() == [1, 2, 1, 0, 0, 0]
    assert order[:3].tolist() == pytest.approx([0.4, 0.1, 0.3])
    assert (order[3:] == tiles.activity[3:]).all()
