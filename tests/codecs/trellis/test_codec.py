"""The codec as a whole: exact, within its PSNR, honest about what is not there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import morebits as mb
from morebits import distortion
from morebits.codecs.masks import texture
from morebits.codecs.trellis import Trellis
from morebits.errors import DoesNotFit, ImageError, InputError


def scene(height=96, width=96, channels=3, depth=8, seed=0):
    """A synthetic picture: gradients, texture, and a saturated corner."""
    rng = np.random.default_rng(seed)
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    values = 128 + 90 * np.sin(x / 17 + c) * np.cos(y / 23) + rng.normal(0, 6, x.shape)
    values[-(height // 4) :, -(width // 4) :] = 255
    values = np.clip(np.rint(values * (2**depth - 1) / 255), 0, 2**depth - 1)
    return values.astype(np.uint8 if depth == 8 else np.uint16)


def random_bits(count, seed=0):
    return np.random.default_rng(seed).integers(0, 2, count).astype(np.uint8)


class TestRoundTrip:
    @given(
        st.integers(1, 40), st.integers(1, 40), st.sampled_from([1, 3]),
        st.sampled_from([8, 16]), st.integers(0, 2**32 - 1), st.data(),
    )  # fmt: skip
    @settings(max_examples=60)
    def test_any_message_that_fits_comes_back(self, height, width, channels, depth, seed, data):
        cover = scene(height, width, channels, depth, seed)
        codec = Trellis(psnr=30, states=16)
        if cover.size < 153:
            with pytest.raises(ImageError, match="too few to hide anything"):
                codec.capacity(cover)
            assert codec.extract(cover).status == "nothing"
            return
        count = data.draw(st.integers(0, codec.capacity(cover)))
        message = random_bits(count, seed)
        marked = codec.embed(cover, message)
        found = codec.extract(marked.image)
        assert found
        assert found.bits is not None
        assert found.bits.tolist() == message.tolist()
        assert marked.bits == count
        assert marked.psnr >= 30
        assert marked.image.dtype == cover.dtype
        assert marked.image.shape == cover.shape

    @pytest.mark.parametrize("psnr", [14, 36, 38, 42, 45.3, 48, 52, 58, 66])
    @pytest.mark.parametrize("states", [4, 256])
    def test_full_capacity_keeps_the_psnr(self, psnr, states):
        cover = scene()
        codec = Trellis(psnr=psnr, states=states)
        capacity = codec.capacity(cover)
        for seed in range(3):
            message = random_bits(capacity, seed)
            marked = codec.embed(cover, message)
            assert (codec.extract(marked.image).bits == message).all()
            assert marked.psnr == distortion.psnr(cover, marked.image, peak=255) >= psnr

    @pytest.mark.parametrize("level", [0, 255, 128])
    def test_solid_covers(self, level):
        cover = np.full((64, 64, 3), level, np.uint8)
        codec = Trellis(psnr=42)
        message = random_bits(codec.capacity(cover))
        assert (codec.extract(codec.embed(cover, message).image).bits == message).all()

    @pytest.mark.parametrize("fill", [0, 1])
    def test_a_message_of_one_value_costs_no_more_than_noise(self, fill):
        cover = np.full((64, 64, 3), 131, np.uint8)
        codec = Trellis(psnr=42)
        message = np.full(codec.capacity(cover), fill, np.uint8)
        assert (codec.extract(codec.embed(cover, message).image).bits == message).all()

    def test_three_copies_of_the_head_and_many_groups(self):
        cover = scene(600, 700)
        codec = Trellis(psnr=50, states=16)
        message = random_bits(300_000)
        image = codec.embed(cover, message).image
        assert (codec.extract(image).bits == message).all()
        image[0] ^= 1  # the first copy is gone, another one tells
        assert codec.extract(image)

    @pytest.mark.full
    def test_photo_sized_picture_in_64_thousand_states(self):
        cover = scene(256, 256)
        codec = Trellis(psnr=42, states=65536)
        message = random_bits(codec.capacity(cover))
        assert (codec.extract(codec.embed(cover, message).image).bits == message).all()


class TestCapacity:
    @pytest.mark.parametrize(("psnr", "least"), [(36, 0.980), (42, 0.975), (48, 0.965)])
    def test_is_close_to_the_exact_count(self, psnr, least):
        cover = scene(128, 128)
        assert Trellis(psnr=psnr).capacity(cover) >= least * mb.capacity(cover, psnr=psnr).bits

    def test_never_exceeds_the_exact_count(self):
        cover = scene(32, 32)
        for psnr in (20, 30, 42, 60):
            assert Trellis(psnr=psnr).capacity(cover) <= mb.capacity(cover, psnr=psnr).bits

    def test_more_states_carry_more(self):
        cover = scene(128, 128)
        few, many = (Trellis(psnr=42, states=s).capacity(cover) for s in (4, 1024))
        assert many > 1.01 * few

    def test_a_psnr_that_leaves_no_room_is_zero(self):
        assert Trellis(psnr=150).capacity(scene()) == 0


class TestPromise:
    def test_rate_follows_the_message(self):
        cover = scene()
        short, long = (Trellis(psnr=40).embed(cover, random_bits(n)).psnr for n in (500, 50_000))
        assert short > long + 10

    def test_same_input_same_image(self):
        cover, message = scene(), random_bits(20_000)
        left, right = (Trellis(psnr=42, key="k").embed(cover, message).image for _ in range(2))
        assert (left == right).all()

    def test_cover_is_not_touched(self):
        cover = scene()
        before = cover.copy()
        Trellis(psnr=42).embed(cover, random_bits(20_000))
        assert (cover == before).all()

    def test_progress_ends_at_one(self):
        seen = []
        Trellis(psnr=50, states=4, progress=seen.append).embed(scene(600, 700), random_bits(1000))
        assert seen == sorted(seen)
        assert seen[-1] == 1


class TestNothing:
    def test_wrong_key_finds_nothing(self):
        image = Trellis(psnr=42, key="right").embed(scene(), random_bits(500)).image
        assert Trellis(key="right").extract(image)
        for key in ("wrong", None):
            found = Trellis(key=key).extract(image)
            assert not found
            assert found.bits is None
            assert found.p_value == 1.0

    @given(st.integers(0, 2**32 - 1))
    @settings(max_examples=50)
    def test_unmarked_pictures(self, seed):
        noise = np.random.default_rng(seed).integers(0, 256, (24, 24, 3)).astype(np.uint8)
        assert not Trellis().extract(noise)

    def test_p_value_of_a_find_is_small(self):
        image = Trellis(psnr=42).embed(scene(), random_bits(500)).image
        assert 0 < Trellis().extract(image).p_value < 1e-12


class TestMask:
    def test_moves_changes_to_busy_regions(self):
        cover = scene(128, 128)
        message = random_bits(3000)
        flat = texture(cover) > 60
        share = []
        for mask in (None, texture):
            marked = Trellis(psnr=42, mask=mask).embed(cover, message)
            assert (Trellis().extract(marked.image).bits == message).all()
            changed = marked.image != cover
            share.append(changed[flat].mean() / changed[~flat].mean())
        assert share[1] < 0.2 * share[0]

    def test_flat_is_dear_and_noise_is_cheap(self):
        rng = np.random.default_rng(0)
        noise = rng.integers(0, 256, (16, 16, 1)).astype(np.uint8)
        assert texture(noise).max() < 10
        assert (texture(np.full((16, 16, 1), 9, np.uint8)) == 128).all()
        assert (texture(noise.astype(np.uint16) << 8) == texture(noise)).all()

    @pytest.mark.parametrize(
        "mask",
        [lambda a: np.ones(a.shape), lambda a: np.zeros_like(a), lambda a: np.ones(3, np.uint8)],
    )
    def test_a_bad_mask_is_refused(self, mask):
        with pytest.raises(InputError, match="return uint8 costs from 1 to 255"):
            Trellis(mask=mask).embed(scene(), random_bits(10))


class TestErrors:
    def test_too_long_says_what_fits_and_at_which_psnr_it_would(self):
        cover = scene()
        codec = Trellis(psnr=48)
        message = random_bits(80_000)
        with pytest.raises(DoesNotFit, match="it would at") as caught:
            codec.embed(cover, message)
        error = caught.value
        assert (error.needed, error.capacity) == (80_000, codec.capacity(cover))
        psnr = float(error.fix.split("would at ")[1].split(" dB")[0])
        assert Trellis(psnr=psnr).embed(cover, message).psnr >= psnr
        with pytest.raises(DoesNotFit):
            Trellis(psnr=psnr + 0.5).embed(cover, message)

    def test_longer_than_any_psnr_allows(self):
        with pytest.raises(DoesNotFit, match="use a larger picture or a shorter message"):
            Trellis(psnr=5).embed(scene(), random_bits(96 * 96 * 3 * 8))

    @pytest.mark.parametrize("states", [0, 2, 3, 100, 1 << 18, -4, 256.0, True, "256"])
    def test_states(self, states):
        with pytest.raises(InputError, match="states"):
            Trellis(states=states)

    @pytest.mark.parametrize("psnr", [float("nan"), float("inf"), "42", None])
    def test_psnr(self, psnr):
        with pytest.raises(InputError, match="psnr"):
            Trellis(psnr=psnr)

    def test_empty_key(self):
        with pytest.raises(InputError, match="key"):
            Trellis(key="")

    @pytest.mark.parametrize("bits", [[0, 1, 2], [0.5], [[0, 1]], "01", [-1]])
    def test_bits(self, bits):
        with pytest.raises(InputError, match="bits"):
            Trellis().embed(scene(), bits)
