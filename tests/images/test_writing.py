"""What is written is read again exactly: by us, and by Pillow, tifffile and OpenJPEG."""

from __future__ import annotations

import itertools
import os
from dataclasses import replace
from pathlib import Path

import imagecodecs
import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from morebits import images
from morebits.errors import FileNotWritten, ImageError, InputError, LossyFile, UnknownName
from morebits.images import Picture, tags
from morebits.images.formats import FORMATS

RNG = np.random.default_rng(3)
BY_NAME = {each.name: each for each in FORMATS}


def exif_with(orientation: int = 1) -> bytes:
    """EXIF as cameras write it: main, EXIF and GPS directories, in Pillow's own serialisation."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "a maker"
    exif[0x8298] = "someone, 2024"
    exif.get_ifd(0x8769).update({0x829A: 0.01, 0x9003: "2024:01:02 03:04:05", 0x927C: b"\1\2" * 9})
    exif.get_ifd(0x8825).update({1: "N", 2: (1.0, 2.0, 3.5)})
    return exif.tobytes().removeprefix(b"Exif\0\0")


def picture(shape=(5, 7), channels=3, depth=8, alpha=False, **fields) -> Picture:
    kind = np.uint8 if depth == 8 else np.uint16
    array = RNG.integers(0, 2**depth, (*shape, channels), kind)
    cover = images.read(array)
    return replace(cover, alpha=RNG.integers(0, 2**depth, shape, kind) if alpha else None, **fields)


def kinds() -> list[tuple[str, int, int, bool]]:
    """Each format with each depth, number of channels and alpha that it holds."""
    return [
        (each.name, depth, channels, alpha)
        for each in FORMATS
        for depth, channels, alpha in itertools.product(
            each.depths, each.channels, (False, True) if each.alpha else (False,)
        )
    ]


def same(found: Picture, cover: Picture) -> None:
    assert found.array.dtype == cover.array.dtype
    assert found.depth == cover.depth
    np.testing.assert_array_equal(found.array, cover.array)
    if cover.alpha is None:
        assert found.alpha is None
    else:
        assert found.alpha is not None
        assert found.alpha.dtype == cover.alpha.dtype
        np.testing.assert_array_equal(found.alpha, cover.alpha)


def tags_of(exif: bytes | None) -> dict[int, object]:
    """What Pillow understands of EXIF bytes, thumbnail and resolution left out."""
    found = Image.Exif()
    found.load(b"Exif\0\0" + (exif or b""))
    main = {tag: value for tag, value in found.items() if tag not in (0x8769, 0x8825)}
    return {**main, -1: dict(found.get_ifd(0x8769)), -2: dict(found.get_ifd(0x8825))}


@pytest.mark.parametrize(("name", "depth", "channels", "alpha"), kinds())
class TestRoundTrip:
    @pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (5, 7), (64, 33)])
    def test_every_size(self, tmp_path, name, depth, channels, alpha, shape):
        cover = picture(shape, channels, depth, alpha)
        path = tmp_path / f"a{BY_NAME[name].suffixes[-1]}"
        assert images.write(path, cover.array, cover) == ()
        same(images.read(path), cover)

    def test_any_picture(self, tmp_path_factory, name, depth, channels, alpha):
        kind = np.uint8 if depth == 8 else np.uint16
        path = tmp_path_factory.mktemp("any") / f"a{BY_NAME[name].suffixes[0]}"
        sides = st.tuples(st.integers(1, 6), st.integers(1, 6))

        @settings(max_examples=15)
        @given(sides.flatmap(lambda hw: hnp.arrays(kind, (*hw, channels + alpha))))
        def check(samples):
            if alpha:
                samples[0, 0, -1] = 0  # WebP leaves out alpha that is opaque everywhere
            cover = images.read(samples[..., :channels])
            if alpha:
                cover = replace(cover, alpha=samples[..., -1])
            images.write(path, cover.array, cover, force=True)
            same(images.read(path), cover)

        check()

    def test_extremes(self, tmp_path, name, depth, channels, alpha):
        """Noise of black and white is what overflows a wavelet transform first."""
        cover = picture((65, 70), channels, depth, alpha)
        top = 2**depth - 1
        array = np.where(cover.array > top // 2, top, 0).astype(cover.array.dtype)
        path = tmp_path / f"a{BY_NAME[name].suffixes[0]}"
        images.write(path, array, cover)
        same(images.read(path), replace(cover, array=array))

    def test_metadata(self, tmp_path, name, depth, channels, alpha):
        icc, exif = RNG.bytes(700), exif_with()
        cover = picture((5, 7), channels, depth, alpha, icc=icc, exif=exif, dpi=(300.0, 72.5))
        path = tmp_path / f"a{BY_NAME[name].suffixes[0]}"
        holds = BY_NAME[name].holds
        notes = images.write(path, cover.array, cover)
        found = images.read(path)
        same(found, cover)
        missing = [each for each in ("ICC profile", "EXIF", "resolution") if each not in holds]
        assert len(notes) == bool(missing)
        assert all(each in notes[0] for each in missing)
        assert found.icc == (icc if "ICC profile" in holds else None)
        assert (found.dpi is not None) == ("resolution" in holds)
        assert found.dpi is None or found.dpi == pytest.approx((300, 72.5), rel=2e-4)
        if "EXIF" not in holds:
            assert found.exif is None
        elif name == "TIFF":
            assert tags_of(found.exif) == tags_of(exif)
        else:
            assert found.exif == exif
        # And again: a second generation is like the first.
        again = tmp_path / f"b{BY_NAME[name].suffixes[0]}"
        images.write(again, found.array, found)
        second = images.read(again)
        assert (second.icc, second.exif, second.dpi) == (found.icc, found.exif, found.dpi)


class TestOtherReaders:
    @pytest.mark.parametrize("suffix", [".png", ".tif", ".jp2", ".webp", ".bmp"])
    @pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
    def test_pillow(self, tmp_path, suffix, mode):
        if (suffix, mode[0]) == (".webp", "L") or (suffix == ".bmp" and mode.endswith("A")):
            return
        alpha = mode.endswith("A")
        cover = picture((5, 7), len(mode) - alpha, 8, alpha, icc=b"a profile", exif=exif_with())
        path = tmp_path / f"a{suffix}"
        images.write(path, cover.array, cover)
        with Image.open(path) as image:
            image.load()
            assert image.mode == mode
            samples = np.atleast_3d(np.asarray(image))
            if suffix != ".bmp" and suffix != ".jp2":  # Pillow has no eye for those of JP2
                assert image.info["icc_profile"] == b"a profile"
                assert image.getexif()[0x010F] == "a maker"
                assert image.getexif().get_ifd(0x8769)[0x927C] == b"\1\2" * 9
                assert image.getexif().get_ifd(0x8825)[2] == (1.0, 2.0, 3.5)
        np.testing.assert_array_equal(samples[..., : len(mode) - alpha], cover.array)
        if cover.alpha is not None:
            np.testing.assert_array_equal(samples[..., -1], cover.alpha)

    @pytest.mark.parametrize("depth", [8, 16])
    @pytest.mark.parametrize(("channels", "alpha"), [(1, False), (1, True), (3, False), (3, True)])
    def test_tifffile(self, tmp_path, depth, channels, alpha):
        cover = picture((700, 300), channels, depth, alpha, icc=b"a profile", dpi=(300, 150))
        images.write(tmp_path / "a.tif", cover.array, cover)
        with tifffile.TiffFile(tmp_path / "a.tif") as file:
            page = file.pages.first
            samples = np.atleast_3d(page.asarray())
            assert page.iccprofile == b"a profile"
            assert page.get_resolution("inch") == (300, 150)
            assert page.extrasamples == ((2,) if alpha else ())
        np.testing.assert_array_equal(samples[..., :channels], cover.array)
        if cover.alpha is not None:
            np.testing.assert_array_equal(samples[..., -1], cover.alpha)

    @pytest.mark.parametrize("order", ["<", ">"])
    def test_tiff_of_either_byte_order(self, tmp_path, order):
        exif = tags.serialise(tags.Tags(order, {271: tags.short(order, 7)}))
        cover = picture((5, 7), 3, 16, exif=exif)
        images.write(tmp_path / "a.tif", cover.array, cover)
        np.testing.assert_array_equal(tifffile.imread(tmp_path / "a.tif"), cover.array)
        assert images.read(tmp_path / "a.tif").exif == exif

    def test_openjpeg_and_opacity(self, tmp_path):
        cover = picture((5, 7), 3, 16, True)
        images.write(tmp_path / "a.jp2", cover.array, cover)
        data = (tmp_path / "a.jp2").read_bytes()
        samples = imagecodecs.jpeg2k_decode(data)
        np.testing.assert_array_equal(samples[..., :3], cover.array)
        # Four channels: 0 to 2 are colours 1 to 3, and 3 is opacity of the whole picture.
        assert (
            b"cdef" + bytes.fromhex("0004 000000000001 000100000002 000200000003 000300010000")
            in data
        )

    def test_dpi_in_pillows_eyes(self, tmp_path):
        cover = picture(dpi=(300.0, 150.0))
        for suffix in (".png", ".tif", ".jp2", ".bmp"):
            images.write(tmp_path / f"a{suffix}", cover.array, cover)
            with Image.open(tmp_path / f"a{suffix}") as image:
                assert image.info["dpi"] == pytest.approx((300, 150), rel=2e-4)

    def test_the_colours_under_transparent_pixels(self, tmp_path):
        cover = replace(picture(), alpha=np.zeros((5, 7), np.uint8))
        for suffix in (".png", ".tif", ".jp2", ".webp"):
            images.write(tmp_path / f"a{suffix}", cover.array, cover)
            same(images.read(tmp_path / f"a{suffix}"), cover)

    def test_webp_leaves_out_opaque_alpha_and_nothing_else(self, tmp_path):
        cover = replace(picture(), alpha=np.full((5, 7), 255, np.uint8))
        notes = images.write(tmp_path / "a.webp", cover.array, cover)
        assert notes == ("WebP leaves out alpha that is opaque everywhere",)
        np.testing.assert_array_equal(images.read(tmp_path / "a.webp").array, cover.array)


class TestNotes:
    @pytest.mark.parametrize(
        ("suffix", "expected"),
        [
            (".webp", "WebP cannot hold the picture's resolution"),
            (".bmp", "BMP cannot hold the picture's ICC profile and EXIF"),
            (".ppm", "PPM cannot hold the picture's ICC profile and EXIF and resolution"),
        ],
    )
    def test_what_a_format_cannot_hold(self, tmp_path, suffix, expected):
        cover = picture(icc=b"a", exif=exif_with(), dpi=(72, 72))
        assert images.write(tmp_path / f"a{suffix}", cover.array, cover) == (expected,)

    def test_what_was_never_kept(self, tmp_path):
        from PIL.PngImagePlugin import PngInfo

        info = PngInfo()
        info.add_text("Title", "a")
        info.add_itxt("XML:com.adobe.xmp", "<x/>")
        Image.fromarray(picture().array).save(tmp_path / "a.png", pnginfo=info)
        cover = images.read(tmp_path / "a.png")
        notes = images.write(tmp_path / "b.png", cover.array, cover)
        assert notes == ("not kept from the cover: XMP, text",)

    def test_exif_that_a_tiff_cannot_take(self, tmp_path, photo):
        cover = picture(exif=b"nonsense")
        assert (
            "EXIF (it cannot be parsed)" in images.write(tmp_path / "a.tif", cover.array, cover)[0]
        )
        assert images.read(tmp_path / "a.tif").exif is None
        exif = exif_with()
        order = "little" if exif.startswith(b"II") else "big"
        place = int.from_bytes(exif[4:8], order)
        end = place + 2 + 12 * int.from_bytes(exif[place : place + 2], order)
        more = exif[:end] + len(exif).to_bytes(4, order) + exif[end + 4 :] + bytes(6)
        cover = picture(exif=more)
        assert "the EXIF thumbnail" in images.write(tmp_path / "b.tif", cover.array, cover)[0]

    def test_a_jpeg_photo_to_every_format(self, tmp_path, photo):
        cover = images.read(photo)
        for suffix in (".png", ".tif", ".jp2", ".webp", ".bmp", ".ppm"):
            images.write(tmp_path / f"a{suffix}", cover.array, cover)
            same(images.read(tmp_path / f"a{suffix}"), cover)


class TestRefused:
    @pytest.mark.parametrize("suffix", [".jpg", ".JPEG", ".gif", ".avif", ".heic"])
    def test_lossy(self, tmp_path, suffix):
        cover = picture()
        for call in (
            lambda path: images.write(path, cover.array, cover),
            lambda path: images.check_write(path, cover),
        ):
            with pytest.raises(LossyFile, match=r"; write a\.png instead") as caught:
                call(tmp_path / f"a{suffix}")
            survives = suffix not in (".gif", ".heic")
            assert ('codec="robust"' in str(caught.value)) == survives
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["a.xyz", "a", "a.pdf", ".png"])
    def test_unknown_suffix(self, tmp_path, name):
        with pytest.raises(UnknownName, match=r"unknown suffix of a picture .*\.png, \.pnm"):
            images.write(tmp_path / name, picture().array)

    @pytest.mark.parametrize("orientation", range(2, 9))
    def test_orientation(self, tmp_path, orientation):
        cover = picture(exif=exif_with(orientation))
        with pytest.raises(LossyFile, match=f"orientation {orientation}.*images.upright"):
            images.write(tmp_path / "a.png", cover.array, cover)
        images.write(tmp_path / "a.png", images.upright(cover).array, images.upright(cover))
        with Image.open(tmp_path / "a.png") as image:
            assert image.getexif()[0x0112] == 1

    @pytest.mark.parametrize(
        ("cover", "suffix", "expected"),
        [
            (picture(depth=16), ".webp", "WebP has 8 bits a sample, the picture 16"),
            (picture(depth=16), ".bmp", "BMP has 8 bits a sample, the picture 16"),
            (picture(channels=1), ".webp", "WebP is for colour, the picture is gray"),
            (picture(channels=1), ".ppm", "PPM is for colour, the picture is gray"),
            (picture(), ".pgm", "PGM is for gray pictures"),
            (picture(alpha=True), ".bmp", "BMP has no alpha, the picture does"),
            (picture(alpha=True), ".ppm", "PPM has no alpha, the picture does"),
            (picture((1, 16384)), ".webp", "WebP has at most 16,383 pixels a side"),
        ],
    )
    def test_what_a_format_cannot_hold(self, tmp_path, cover, suffix, expected):
        with pytest.raises(ImageError, match=expected) as caught:
            images.write(tmp_path / f"a{suffix}", cover.array, cover)
        assert caught.value.fix == "write a.png instead"
        assert list(tmp_path.iterdir()) == []

    def test_a_strange_name_stays_on_one_line(self, tmp_path):
        with pytest.raises(LossyFile, match=r"a\\nb\.jpg': JPEG"):
            images.write(tmp_path / "a\nb.jpg", picture().array)

    def test_an_array_unlike_the_cover(self, tmp_path):
        cover = picture()
        for array in (cover.array[1:], cover.array[..., :1], cover.array.astype(np.uint16)):
            with pytest.raises(InputError, match="the cover is 7x5, 3 channels of 8 bits"):
                images.write(tmp_path / "a.png", array, cover)
        with pytest.raises(InputError, match="dtype is 'float64'"):
            images.write(tmp_path / "a.png", np.zeros((2, 2)))

    def test_existing_files(self, tmp_path):
        path = tmp_path / "a.png"
        path.write_bytes(b"old")
        with pytest.raises(FileNotWritten, match="exists; choose another name"):
            images.write(path, picture().array)
        assert path.read_bytes() == b"old"
        images.write(path, picture().array, force=True)
        images.read(path)
        assert [each.name for each in tmp_path.iterdir()] == ["a.png"]

    @pytest.mark.parametrize("force", [False, True])
    def test_the_cover_itself(self, tmp_path, force, monkeypatch):
        path = tmp_path / "a.png"
        images.write(path, picture().array)
        before = path.read_bytes()
        os.link(path, tmp_path / "hard.png")
        (tmp_path / "soft.png").symlink_to(path)
        monkeypatch.chdir(tmp_path)
        with Image.open(path) as image:
            covers = [images.read(path), images.read("a.png"), images.read(image)]
        for cover, target in itertools.product(covers, (path, "a.png", "hard.png", "soft.png")):
            with pytest.raises(FileNotWritten, match="is the cover itself; the cover is never"):
                images.write(target, cover.array, cover, force=force)
        assert path.read_bytes() == before

    def test_a_failed_write_leaves_the_old_file(self, tmp_path, monkeypatch):
        def full(handle):
            raise OSError(28, "No space left on device")

        path = tmp_path / "a.png"
        path.write_bytes(b"old")
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(FileNotWritten, match="No space left on device"):
            images.write(path, picture().array, force=True)
        assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"a.png": b"old"}

    def test_the_check_reads_the_file_before_it_has_its_name(self, tmp_path):
        cover = picture((5, 7), 3, 16, True)

        def check(part: Path) -> None:
            same(images.read(part), cover)
            raise ImageError(part, "is bad", "report this")

        for suffix in (".png", ".tif", ".jp2"):
            with pytest.raises(ImageError, match="is bad"):
                images.write(tmp_path / f"a{suffix}", cover.array, cover, check=check)
        assert list(tmp_path.iterdir()) == []


class TestOrientation:
    @pytest.mark.parametrize("orientation", range(1, 9))
    def test_upright_is_what_pillow_shows(self, tmp_path, orientation):
        from PIL import ImageOps

        cover = picture(alpha=True, exif=exif_with(orientation), dpi=(300.0, 150.0))
        samples = np.concatenate([cover.array, np.asarray(cover.alpha)[..., None]], axis=2)
        stored = Image.fromarray(samples)
        stored.getexif()[0x0112] = orientation
        shown = np.asarray(ImageOps.exif_transpose(stored))
        upright = images.upright(cover)
        np.testing.assert_array_equal(upright.array, shown[..., :3])
        np.testing.assert_array_equal(upright.alpha, shown[..., 3])
        assert upright.orientation == 1
        assert upright.dpi == ((300, 150) if orientation < 5 else (150, 300))
        assert {**tags_of(upright.exif), 0x0112: 0} == {**tags_of(cover.exif), 0x0112: 0}
        if orientation == 1:
            assert upright is cover

    @pytest.mark.parametrize("orientation", range(1, 9))
    @pytest.mark.parametrize("depth", [8, 16])
    def test_tiff_is_read_as_stored(self, tmp_path, orientation, depth):
        """Pillow would turn it."""
        cover = picture(depth=depth, alpha=depth == 8)
        samples = cover.array
        if cover.alpha is not None:
            samples = np.concatenate([cover.array, cover.alpha[..., None]], axis=2)
        extra = [(274, 3, 1, orientation, True)]
        tifffile.imwrite(tmp_path / "a.tif", samples, photometric="rgb", extratags=extra)
        found = images.read(tmp_path / "a.tif")
        same(found, cover)
        assert found.orientation == orientation

    @pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".tif"])
    def test_known_from_every_file(self, tmp_path, suffix):
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.fromarray(picture().array).save(tmp_path / f"a{suffix}", exif=exif)
        found = images.read(tmp_path / f"a{suffix}")
        assert found.orientation == 6
        assert found.array.shape == (5, 7, 3)
