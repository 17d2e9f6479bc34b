"""Hide and reveal with the robust codec, which is what they use by themselves."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageCms

import morebits as mb
from morebits import hiding, images
from morebits.codecs.robust import Robust
from morebits.codecs.trellis import Trellis
from morebits.errors import DoesNotFit, ImageError, InputError, LossyFile, UnknownName
from morebits.images import tags

NOTE = b"made by me"


def scene(height=192, width=256, channels=3, dtype=np.uint8):
    """Waves and noise, mid-gray on the whole."""
    rng = np.random.default_rng(0)
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    values = 128 + 80 * np.sin(x / 17 + c) * np.cos(y / 23) + rng.normal(0, 8, x.shape)
    scale = np.iinfo(dtype).max / 255
    return np.rint(np.clip(values, 0, 255) * scale).astype(dtype)


@pytest.fixture(scope="module")
def marked():
    return mb.hide(scene(), NOTE, psnr=45)


class TestHide:
    def test_is_the_default(self):
        for verb in (mb.hide, mb.room):
            assert inspect.signature(verb).parameters["codec"].default == "robust"

    def test_says_what_it_did(self, marked):
        assert marked.psnr == pytest.approx(45, abs=0.05)
        assert (marked.codec, marked.fragile, marked.payload_bytes) == ("robust", False, len(NOTE))
        assert marked.bits == 8 * len(NOTE)
        assert marked.survives == ("none",)
        for word in ("robust", "psnr=45.0", "survives=('none',)"):
            assert word in repr(marked)

    def test_edits_that_were_asked_for_are_tried(self):
        marked = mb.hide(scene(), NOTE, psnr=45, survive=["jpeg:60", "hflip"])
        assert marked.survives == ("none", "jpeg:60", "hflip")

    def test_quality_first(self):
        marked = mb.hide(scene(), b"me", survive="jpeg:80")
        assert marked.psnr > 46
        assert marked.lowest_psnr is None

    def test_too_much_says_how_much_fits_in_bytes(self):
        with pytest.raises(DoesNotFit, match="the payload, at 45 dB") as caught:
            mb.hide(scene(96, 96), bytes(np.random.default_rng(1).bytes(500)), psnr=45)
        assert (caught.value.unit, caught.value.needed) == ("bytes", 500)
        assert 0 <= caught.value.capacity < 500
        assert "payload" in caught.value.fix

    def test_room_is_in_bytes_and_knows_the_edits(self):
        calm = mb.room(scene(), psnr=45, survive=())
        hard = mb.room(scene(), psnr=45, survive="jpeg:40")
        assert 0 < hard < calm < scene().size // 8
        payload = np.random.default_rng(1).bytes(hard)
        found = mb.reveal(mb.hide(scene(), payload, psnr=45, survive="jpeg:40").image)
        assert found.payload == payload

    def test_a_key(self):
        image = mb.hide(scene(), NOTE, psnr=45, key="k").image
        assert mb.reveal(image, key="k").payload == NOTE
        for key in (None, "other"):
            assert mb.reveal(image, key=key, seconds=0.2).status == "nothing"


class TestPictures:
    @pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
    @pytest.mark.parametrize("channels", [1, 3])
    def test_gray_and_colour_of_8_and_16_bits(self, channels, dtype):
        cover = scene(channels=channels, dtype=dtype)
        marked = mb.hide(cover, NOTE, psnr=45)
        assert (marked.image.shape, marked.image.dtype) == (cover.shape, cover.dtype)
        assert marked.psnr == pytest.approx(45, abs=0.05)
        assert mb.reveal(marked.image).payload == NOTE

    def test_palette(self):
        image = Image.fromarray(scene()).convert("P")
        assert mb.reveal(mb.hide(image, NOTE, psnr=45).image).payload == NOTE

    def test_cmyk_is_refused(self):
        with pytest.raises(ImageError, match="is CMYK, not gray or RGB; convert it first"):
            mb.hide(Image.fromarray(scene()).convert("CMYK"), NOTE)

    @pytest.mark.parametrize("shape", [(1, 1), (47, 60), (200, 20)])
    def test_too_small_names_the_smallest(self, shape):
        with pytest.raises(ImageError, match=r"too few .*; use one with at least 48x48"):
            mb.hide(scene(*shape), b"", psnr=45)

    @pytest.mark.parametrize("suffix", ["png", "webp", "avif", "tif"])
    def test_alpha_comes_along(self, tmp_path, suffix):
        alpha = np.arange(192 * 256, dtype=np.uint32).reshape(192, 256) * 255 // (192 * 256)
        cover = replace(images.read(scene()), alpha=alpha.astype(np.uint8))
        notes = mb.hide(cover, NOTE, psnr=45).save(tmp_path / f"a.{suffix}")
        kept = images.read(tmp_path / f"a.{suffix}").alpha
        assert kept is not None
        assert np.abs(kept.astype(int) - alpha).max() <= (6 if suffix == "avif" else 0)
        assert notes == (("AVIF changes alpha a little",) if suffix == "avif" else ())


class TestSave:
    @pytest.mark.parametrize("name", ["a.jpg", "a.JPEG", "a.avif", "a.webp", "a.png", "a.jp2"])
    def test_into_many_formats(self, marked, tmp_path, name):
        assert marked.save(tmp_path / name) == ()
        assert mb.reveal(tmp_path / name).payload == NOTE

    @pytest.mark.parametrize("suffix", ["jpg", "avif", "webp"])
    def test_quality(self, marked, tmp_path, suffix):
        sizes = []
        for quality in (60, 95):
            path = tmp_path / f"{quality}.{suffix}"
            marked.save(path, quality=quality)
            assert mb.reveal(path).payload == NOTE
            sizes.append(path.stat().st_size)
        assert sizes[0] < 0.7 * sizes[1]

    def test_a_quality_that_loses_it_is_refused_and_nothing_is_left(self, tmp_path):
        marked = mb.hide(scene(96, 96), NOTE, psnr=45)
        precious = tmp_path / "there.jpg"
        precious.write_bytes(b"mine")
        for path, force in ((tmp_path / "a.jpg", False), (precious, True)):
            with pytest.raises(ImageError, match=r"did not come back .*with a higher quality"):
                marked.save(path, quality=5, force=force)
        assert [each.name for each in tmp_path.iterdir()] == ["there.jpg"]
        assert precious.read_bytes() == b"mine"

    @pytest.mark.parametrize("suffix", ["gif", "heic", "pdf"])
    def test_others_are_refused(self, marked, tmp_path, suffix):
        with pytest.raises((LossyFile, UnknownName), match=r"\.png"):
            marked.save(tmp_path / f"a.{suffix}")
        assert list(tmp_path.iterdir()) == []

    def test_fragile_marks_are_told_the_way_out(self, tmp_path):
        fragile = mb.hide(scene(), NOTE, codec="trellis", states=16)
        assert fragile.fragile
        with pytest.raises(LossyFile, match=r'a\.png instead, or hide it with codec="robust"'):
            fragile.save(tmp_path / "a.jpg")
        with pytest.raises(InputError, match="quality is 80: leave it out, this mark needs every"):
            fragile.save(tmp_path / "a.webp", quality=80)

    @pytest.mark.parametrize("suffix", ["jpg", "avif", "webp"])
    def test_metadata_comes_along(self, tmp_path, suffix):
        """The orientation too: whoever turns the picture upright does not destroy the mark."""
        icc = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        exif = tags.serialise(tags.Tags("<", {tags.ORIENTATION: tags.short("<", 6)}))
        cover = replace(images.read(scene()), icc=icc, exif=exif, dpi=(300.0, 300.0))
        path = tmp_path / f"a.{suffix}"
        notes = mb.hide(cover, NOTE, psnr=45).save(path, quality=90)
        kept = images.read(path)
        assert (kept.icc, kept.orientation) == (icc, 6)
        assert (kept.dpi is None) == (suffix != "jpg") == bool(notes)
        assert mb.reveal(images.upright(kept)).payload == NOTE


class TestReveal:
    def test_says_what_was_undone(self, marked):
        found = mb.reveal(mb.attacks.parse("resize:0.8")(marked.image[32:, 56:]))
        assert (found.payload, found.codec) == (NOTE, "robust")
        assert found.p_value < 1e-9
        resize, crop = (each.split() for each in found.details["edits"])
        assert resize[0] == "resize"
        assert float(resize[2]) == pytest.approx(80, abs=0.5)
        assert crop[0] == "crop"
        assert (int(crop[2]), int(crop[-4])) == (pytest.approx(56, abs=1), pytest.approx(32, abs=1))
        assert mb.reveal(marked.image).details["edits"] == []

    def test_says_what_was_tried(self):
        found = mb.reveal(scene(), seconds=0.1)
        assert not found
        assert found.details["tried"] == ["trellis", "robust"]
        assert mb.reveal(scene(), codec="box").details["tried"] == []

    def test_the_exact_mark_is_found_in_a_picture_that_has_both(self, marked):
        both = mb.hide(marked.image, b"exact", codec="trellis", states=16)
        assert mb.reveal(both.image).payload == b"exact"
        assert mb.reveal(both.image, codec="robust").payload == NOTE

    @pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "1"])
    def test_seconds(self, seconds):
        with pytest.raises(InputError, match="seconds"):
            mb.reveal(scene(), seconds=seconds)

    def test_unknown_codec(self):
        with pytest.raises(UnknownName, match="use one of trellis, box, robust"):
            mb.reveal(scene(), codec="shaped")


class TestCodecObjects:
    def test_the_key_is_that_of_the_codec(self, tmp_path):
        codec = Robust(psnr=45, key="k")
        marked = mb.hide(scene(), NOTE, codec=codec)
        assert marked.key == b"k"
        marked.save(tmp_path / "a.jpg")
        for found in (
            mb.reveal(tmp_path / "a.jpg", key="k"),
            mb.reveal(tmp_path / "a.jpg", codec=codec),
            mb.reveal(tmp_path / "a.jpg", codec=codec, key="k"),
        ):
            assert found.payload == NOTE

    def test_another_key_is_refused(self):
        for call in (
            lambda: mb.hide(scene(), NOTE, codec=Robust(psnr=45), key="k"),
            lambda: mb.reveal(scene(), codec=Robust(key="k"), key="other"),
        ):
            with pytest.raises(InputError, match="give it to the codec"):
                call()

    @pytest.mark.parametrize("options", [{"psnr": 45}, {"survive": "quick"}, {"states": 4}])
    def test_options_are_for_names(self, options):
        for codec in (Robust(), Trellis()):
            with pytest.raises(InputError, match="give them to the codec itself"):
                mb.hide(scene(), NOTE, codec=codec, **options)

    def test_fill_is_for_fragile_codecs(self):
        for codec in ("robust", Robust()):
            with pytest.raises(InputError, match="robust does not have it, trellis and box do"):
                mb.hide(scene(), NOTE, codec=codec, fill=True)

    def test_the_list_of_fragile_codecs(self):
        for name in hiding.FOUND_OUT:
            codec = hiding.chosen(name, None, fill=False, key=None, options={})
            assert getattr(codec, "seals", False) == (name not in hiding.FRAGILE)
