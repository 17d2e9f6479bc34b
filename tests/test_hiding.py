"""Hide and reveal: three answers, never garbage."""

from __future__ import annotations

import contextlib
import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import morebits as mb
from morebits import images
from morebits.codecs.box import Box
from morebits.codecs.trellis import Trellis
from morebits.errors import DoesNotFit, ImageError, InputError, LossyFile, MorebitsError

GOLDEN = Path(__file__).with_name("golden")

#: The exact codec and its reader alone: what a search for robust marks costs, few tests need.
hide = partial(mb.hide, codec="trellis")
reveal = partial(mb.reveal, codec="trellis")


def scene(height=64, width=80, seed=0):
    rng = np.random.default_rng(seed)
    y, x, c = np.mgrid[0:height, 0:width, 0:3]
    values = 128 + 90 * np.sin(x / 17 + c) * np.cos(y / 23) + rng.normal(0, 6, x.shape)
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


@pytest.fixture
def cover(tmp_path):
    path = tmp_path / "cover.png"
    images.write(path, scene())
    return path


class TestRoundTrip:
    @given(st.binary(max_size=1500), st.one_of(st.none(), st.text(min_size=1, max_size=9)))
    @settings(max_examples=30)
    def test_any_payload(self, payload, key):
        marked = hide(scene(), payload, key=key)
        found = reveal(marked.image, key=key)
        assert found
        assert found.payload == payload
        assert (found.status, found.codec) == ("found", "trellis")
        assert found.p_value < 1e-12
        assert marked.payload_bytes == len(payload)
        assert marked.psnr >= 42

    def test_from_0_bytes_to_what_room_says_and_no_more(self):
        size = mb.room(scene(), psnr=45, codec="trellis")
        noise = np.random.default_rng(1).bytes(size)
        for payload in (b"", noise):
            assert reveal(hide(scene(), payload, psnr=45).image).payload == payload
        with pytest.raises(DoesNotFit) as caught:
            hide(scene(), noise + os.urandom(200), psnr=45)
        assert (caught.value.needed, caught.value.capacity) == (size + 200, size)
        assert caught.value.unit == "bytes"

    def test_fill_takes_what_no_reasonable_psnr_would(self):
        noise = np.random.default_rng(1).bytes(13_000)
        with pytest.raises(DoesNotFit, match=r"payload, at 42 dB, needs.*it would at 1"):
            hide(scene(), noise)
        marked = hide(scene(), noise, fill=True)
        assert 10 < marked.psnr < 20
        assert reveal(marked.image).payload == noise

    def test_compressible_payloads_may_be_longer(self):
        payload = b"many bits " * 100_000
        assert reveal(hide(scene(), payload).image).payload == payload

    def test_box_is_found_without_being_told(self):
        gray = np.full((64, 64, 3), 128, np.uint8)
        marked = mb.hide(gray, b"in a box", codec="box", key="k")
        found = mb.reveal(marked.image, key="k")
        assert (found.payload, found.codec) == (b"in a box", "box")
        assert reveal(marked.image, key="other", codec="box").status == "nothing"

    @pytest.mark.parametrize("psnr", [10, 20, 25, 30, 42, 48])
    def test_box_is_found_at_every_psnr(self, psnr):
        gray = np.full((40, 40, 3), 128, np.uint8)
        for text in (b"", b"x", b"much longer"):
            image = mb.hide(gray, text, codec="box", psnr=psnr).image
            assert mb.reveal(image).payload == text

    def test_box_in_a_picture_that_does_not_show_its_size(self):
        """Few samples of many values: none of them is at the border of the box."""
        deep = np.full((12, 14), 2**15, np.uint16)
        assert mb.room(deep, codec="box", psnr=30) < 0
        with pytest.raises(ImageError, match=r"too few samples \(168\) .* trellis codec"):
            mb.hide(deep, b"x", codec="box", psnr=30)
        known = Box(psnr=30)
        assert mb.reveal(mb.hide(deep, b"x", codec=known).image, codec=known).payload == b"x"

    @pytest.mark.parametrize("kind", [np.uint8, np.uint16])
    def test_fill_of_a_box(self, kind):
        side, depth = (40, 8) if kind == np.uint8 else (700, 16)
        gray = np.full((side, side), 2 ** (depth - 1), kind)
        noise = np.random.default_rng(1).bytes(int(0.95 * gray.nbytes))
        with pytest.raises(DoesNotFit):
            mb.hide(gray, noise, codec="box")
        marked = mb.hide(gray, noise, codec="box", fill=True)
        assert 6 < marked.psnr < 12
        assert mb.reveal(marked.image).payload == noise

    def test_codec_objects_and_options(self):
        marked = mb.hide(scene(), b"x", codec=Trellis(psnr=50, states=16))
        assert reveal(marked.image).payload == b"x"
        assert hide(scene(), b"x", states=16).codec == "trellis"
        gray = np.full((64, 64, 3), 128, np.uint8)
        image = hide(gray, b"x", codec=Box(psnr=40)).image
        assert reveal(image, codec=Box(psnr=40)).payload == b"x"

    def test_same_input_same_image_and_another_payload_another_salt(self):
        one, again = (hide(scene(), b"same", key="k").image for _ in range(2))
        assert (one == again).all()
        salts = set()
        for cover in (scene(), scene(seed=1)):
            for text in (b"same", b"else"):
                found = Trellis(key="k").extract(hide(cover, text, key="k").image)
                assert found.bits is not None
                salts.add(found.bits[:96].tobytes())
        assert len(salts) == 4


class TestAnswers:
    def test_one_changed_sample_is_altered(self):
        image = hide(scene(), b"payload" * 200, key="k").image
        assert reveal(image, key="k").status == "found"
        rng = np.random.default_rng(3)
        answers = []
        for _ in range(20):
            edited = image.copy()
            edited[rng.integers(1, 64), rng.integers(80), rng.integers(3)] ^= 1
            found = reveal(edited, key="k")
            assert not found
            assert found.payload is None
            answers.append(found.status)
        assert set(answers) == {"altered"}

    def test_a_lost_head_is_nothing(self):
        image = hide(scene(), b"payload").image.copy()
        image[0, :20] ^= 1
        assert reveal(image).status == "nothing"

    def test_a_keyed_mark_cannot_be_told_from_none(self):
        marked = hide(scene(), b"secret", key="right").image
        for image in (marked, scene()):
            for key in (None, "wrong"):
                assert reveal(image, key=key).status == "nothing"

    @given(st.integers(1, 30), st.integers(1, 30), st.sampled_from([1, 3]), st.integers(0, 2**32))
    @settings(max_examples=50)
    def test_arbitrary_pictures(self, height, width, channels, seed):
        rng = np.random.default_rng(seed)
        image = rng.integers(0, 256, (height, width, channels)).astype(np.uint8)
        assert mb.reveal(image).status == "nothing"

    @given(st.integers(1, 8), st.integers(0, 2**32))
    @settings(max_examples=30)
    def test_arbitrary_pictures_that_lie_in_a_box(self, half, seed):
        rng = np.random.default_rng(seed)
        image = rng.integers(128 - half, 129 + half, (12, 12, 3)).astype(np.uint8)
        assert mb.reveal(image).status in ("nothing", "altered")

    @given(st.binary(max_size=300))
    @settings(max_examples=50)
    def test_arbitrary_files(self, tmp_path_factory, data):
        path = tmp_path_factory.mktemp("fuzz") / "file.png"
        path.write_bytes(data)
        with pytest.raises(MorebitsError):
            reveal(path)

    @given(st.data())
    @settings(max_examples=40)
    def test_damaged_files(self, tmp_path_factory, data):
        folder = tmp_path_factory.mktemp("damaged")
        whole = folder / "whole.png"
        hide(scene(), b"payload").save(whole)
        raw = bytearray(whole.read_bytes())
        for _ in range(data.draw(st.integers(1, 5))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
        cut = data.draw(st.integers(0, len(raw)))
        path = folder / "damaged.png"
        path.write_bytes(raw[:cut] if data.draw(st.booleans()) else raw)
        with contextlib.suppress(MorebitsError):
            assert reveal(path).payload in (None, b"payload")


class TestSave:
    @pytest.mark.parametrize("suffix", ["png", "tif", "webp", "bmp", "jp2", "ppm"])
    def test_every_lossless_format(self, cover, suffix):
        path = cover.with_name(f"marked.{suffix}")
        hide(cover, b"kept", key="k").save(path)
        assert reveal(path, key="k").payload == b"kept"

    @pytest.mark.parametrize("suffix", ["jpg", "gif", "avif", "webp2", ""])
    def test_others_are_refused_before_anything_is_written(self, cover, suffix):
        path = cover.with_name(f"marked.{suffix}" if suffix else "marked")
        with pytest.raises((LossyFile, MorebitsError)):
            hide(cover, b"kept").save(path)
        assert not path.exists()

    def test_existing_files_need_force(self, cover):
        path = cover.with_name("marked.png")
        path.write_bytes(b"precious")
        marked = hide(cover, b"kept")
        with pytest.raises(MorebitsError, match="exists"):
            marked.save(path)
        assert path.read_bytes() == b"precious"
        marked.save(path, force=True)
        assert reveal(path).payload == b"kept"

    def test_the_cover_is_never_overwritten(self, cover):
        before = cover.read_bytes()
        with pytest.raises(MorebitsError, match="cover itself"):
            hide(cover, b"kept").save(cover, force=True)
        assert cover.read_bytes() == before

    def test_a_file_that_does_not_give_the_payload_back_is_not_kept(self, cover, monkeypatch):
        path = cover.with_name("marked.png")
        path.write_bytes(b"precious")
        marked = hide(cover, b"kept")
        marked.image[:] ^= 1  # a writer that changes samples
        with pytest.raises(ImageError, match="did not come back"):
            marked.save(path, force=True)
        assert path.read_bytes() == b"precious"


class TestErrors:
    def test_payload_must_be_bytes(self):
        with pytest.raises(InputError, match=r"text\.encode"):
            hide(scene(), "text")

    def test_empty_key(self):
        for call in (lambda: hide(scene(), b"", key=""), lambda: reveal(scene(), key="")):
            with pytest.raises(InputError, match="key"):
                call()

    def test_unknown_codec(self):
        with pytest.raises(MorebitsError, match="use one of"):
            hide(scene(), b"", codec="magic")

    def test_unknown_option(self):
        with pytest.raises(InputError, match="options"):
            hide(scene(), b"", strength=3)

    @pytest.mark.parametrize("shape", [(1, 1, 3), (7, 7, 3), (12, 12, 1)])
    def test_covers_that_are_too_small(self, shape):
        with pytest.raises(ImageError, match="too few"):
            hide(np.zeros(shape, np.uint8), b"")

    def test_a_payload_too_large_for_a_tiny_cover(self):
        with pytest.raises(DoesNotFit, match="0 fit"):
            hide(np.zeros((8, 8, 3), np.uint8), b"")

    def test_psnr_out_of_reach(self):
        with pytest.raises(DoesNotFit, match="it would at"):
            hide(scene(), b"payload", psnr=99)


class TestGolden:
    """Pictures that were marked when the format was made: every later version reads them."""

    CASES = json.loads((GOLDEN / "marks.json").read_text())

    @pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"])
    def test_is_still_read(self, case):
        found = mb.reveal(GOLDEN / case["file"], key=case["key"])
        assert found.status == "found"
        assert found.payload is not None
        assert found.payload.hex() == case["payload"]
        assert reveal(GOLDEN / case["file"], key="not the key").status == "nothing"

    @pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"])
    def test_is_still_written(self, case):
        cover = images.read(GOLDEN / case["cover"])
        payload = bytes.fromhex(case["payload"])
        marked = hide(cover, payload, key=case["key"], psnr=case["psnr"])
        assert (marked.image == images.read(GOLDEN / case["file"]).array).all()
