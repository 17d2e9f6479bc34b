from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from morebits import images
from morebits.errors import ImageError, InputError, MorebitsError
from morebits.images.tags import Tags, long, serialise, short
from morebits.types import ImageFormat

RNG = np.random.default_rng(1)
RGB = RNG.integers(0, 256, (5, 7, 3), np.uint8)
GRAY = RGB[..., 0]
GRAY16 = RNG.integers(0, 65536, (5, 7), np.uint16)


def saved(tmp_path: Path, image: Image.Image, name: str = "a.png", **options) -> Path:
    path = tmp_path / name
    image.save(path, **options)
    return path


def chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(
    colour_type: int, depth: int, size: tuple[int, int], rows: bytes, extra: bytes = b""
) -> bytes:
    """A PNG by hand, for the formats that Pillow reads but does not write."""
    header = struct.pack(">IIBBBBB", *size, depth, colour_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + extra
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def problem(source) -> str:
    """The message for a source that is refused: always a single line."""
    with pytest.raises(MorebitsError) as caught:
        images.read(source)
    message = str(caught.value)
    assert "\n" not in message
    return message


class TestAccepted:
    @pytest.mark.parametrize("array", [RGB, GRAY, GRAY16], ids=["rgb", "gray", "gray16"])
    def test_the_same_samples_from_path_pil_and_array(self, tmp_path, array):
        image = Image.fromarray(array)
        path = saved(tmp_path, image)
        cube = array if array.ndim == 3 else array[..., None]
        for source in (path, str(path), image, Image.open(path), array, cube):
            picture = images.read(source)
            np.testing.assert_array_equal(picture.array, cube)
            assert picture.array.dtype == array.dtype
            assert picture.depth == 8 * array.dtype.itemsize
            assert picture.format == ImageFormat(cube.shape[2], 7, 5, picture.depth)
            assert images.read(picture) is picture
            assert picture.notes == ()
            assert picture.alpha is None

    def test_the_array_is_contiguous_and_read_only_and_the_callers_is_not(self):
        array = RGB.copy()[::-1]
        picture = images.read(array)
        assert picture.array.flags.c_contiguous
        assert not picture.array.flags.writeable
        assert array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            picture.array[0, 0, 0] = 1

    def test_the_other_byte_order(self):
        picture = images.read(GRAY16.astype(">u2"))
        np.testing.assert_array_equal(picture.array[..., 0], GRAY16)
        assert picture.array.dtype.isnative

    def test_big_endian_tiff(self, tmp_path):
        path = saved(tmp_path, Image.fromarray(GRAY16.astype(">u2")), "a.tif")
        np.testing.assert_array_equal(images.read(path).array[..., 0], GRAY16)

    def test_16_bit_pgm_is_mode_i(self, tmp_path):
        path = tmp_path / "a.pgm"
        path.write_bytes(b"P5 7 5 65535\n" + GRAY16.astype(">u2").tobytes())
        picture = images.read(path)
        np.testing.assert_array_equal(picture.array[..., 0], GRAY16)
        assert picture.depth == 16

    def test_metadata_is_kept(self, tmp_path):
        exif = Image.Exif()
        exif[0x0112] = 6
        icc = b"a profile"
        path = saved(tmp_path, Image.fromarray(RGB), exif=exif.tobytes(), icc_profile=icc)
        picture = images.read(path)
        assert picture.icc == icc
        assert picture.exif is not None
        assert b"Exif" in picture.exif or picture.exif.startswith((b"MM", b"II"))
        assert picture.file_format == "PNG"
        assert picture.name == str(path)

    def test_the_orientation_is_not_applied(self, tmp_path):
        exif = Image.Exif()
        exif[0x0112] = 6  # a viewer would turn it by 90 degrees
        path = saved(tmp_path, Image.fromarray(RGB), "a.png", exif=exif)
        np.testing.assert_array_equal(images.read(path).array, RGB)

    def test_the_bundled_photo(self, photo):
        picture = images.read(photo)
        assert picture.array.shape == (600, 512, 3)
        assert (picture.file_format, picture.notes) == ("JPEG", ())


class TestConverted:
    @pytest.mark.parametrize("mode", ["LA", "RGBA"])
    def test_alpha_is_set_aside(self, tmp_path, mode):
        bands = len(mode)
        array = RNG.integers(0, 256, (5, 7, bands), np.uint8)
        image = Image.fromarray(array)
        for source in (image, saved(tmp_path, image)):
            picture = images.read(source)
            np.testing.assert_array_equal(picture.array, array[..., :-1])
            np.testing.assert_array_equal(picture.alpha, array[..., -1])
            assert picture.notes == ("alpha set aside: only colour channels count",)

    def test_palette(self, tmp_path):
        image = Image.fromarray(RGB).quantize(8)
        path = saved(tmp_path, image)
        picture = images.read(path)
        np.testing.assert_array_equal(picture.array, np.asarray(image.convert("RGB")))
        assert picture.notes == ("palette converted to RGB",)
        assert picture.file_format == "PNG"

    def test_palette_with_transparency(self, tmp_path):
        image = Image.fromarray(RGB).quantize(8)
        path = saved(tmp_path, image, transparency=bytes(range(8)))
        picture = images.read(path)
        np.testing.assert_array_equal(picture.array, np.asarray(image.convert("RGB")))
        assert len(picture.notes) == 2
        assert picture.alpha is not None

    def test_one_bit(self, tmp_path):
        image = Image.fromarray(GRAY > 99)
        assert image.mode == "1"
        picture = images.read(saved(tmp_path, image))
        np.testing.assert_array_equal(picture.array[..., 0], np.where(GRAY > 99, 255, 0))
        assert picture.notes == ("1 bit a sample, scaled to 256 levels",)

    def test_two_bit_gray(self, tmp_path):
        path = tmp_path / "a.png"
        path.write_bytes(png(0, 2, (4, 1), b"\0" + bytes([0b00011011])))
        picture = images.read(path)
        assert picture.array.ravel().tolist() == [0, 85, 170, 255]
        assert picture.notes == ("4 levels a sample, scaled to 256",)

    @pytest.mark.parametrize(("top", "mode_full"), [(100, 256), (1023, 65536)])
    def test_pgm_with_an_odd_maximum(self, tmp_path, top, mode_full):
        path = tmp_path / "a.pgm"
        data = np.array([0, top], ">u2" if top > 255 else np.uint8).tobytes()
        path.write_bytes(b"P5 2 1 %d\n" % top + data)
        picture = images.read(path)
        assert picture.array.ravel().tolist() == [0, mode_full - 1]
        assert picture.notes[0] == f"{top + 1} levels a sample, scaled to {mode_full}"

    @pytest.mark.parametrize("array", [RGB, GRAY], ids=["rgb", "gray"])
    def test_one_transparent_colour_is_alpha(self, tmp_path, array):
        image = Image.fromarray(array)
        key = tuple(RGB[2, 3].tolist()) if array.ndim == 3 else int(GRAY[2, 3])
        path = saved(tmp_path, image, transparency=key)
        image.info["transparency"] = key
        clear = (array == key).reshape(5, 7, -1).all(axis=2)
        for source in (path, image):
            picture = images.read(source)
            np.testing.assert_array_equal(picture.alpha, np.where(clear, 0, 255))
            np.testing.assert_array_equal(picture.array.squeeze(), array)

    def test_one_transparent_level_of_two_bits(self, tmp_path):
        key = chunk(b"tRNS", b"\0\x02")
        path = tmp_path / "a.png"
        path.write_bytes(png(0, 2, (4, 1), b"\0" + bytes([0b00011011]), key))
        picture = images.read(path)
        assert picture.alpha is not None
        assert picture.alpha.tolist() == [[255, 255, 0, 255]]

    def test_32_bit_gray_that_fits(self):
        picture = images.read(Image.fromarray(GRAY16.astype(np.int32)))
        np.testing.assert_array_equal(picture.array[..., 0], GRAY16)
        assert picture.notes == ("32-bit integers read as 16 bits",)

    def test_first_picture_of_an_mpo(self, tmp_path):
        first, second = Image.fromarray(RGB), Image.fromarray(RGB[::-1].copy())
        path = saved(tmp_path, first, "a.mpo", save_all=True, append_images=[second])
        picture = images.read(path)
        assert picture.array.shape == RGB.shape
        assert picture.notes == ("first picture of a multi-picture JPEG",)

    def test_a_warning_of_pillow_becomes_a_note(self, tmp_path, monkeypatch):
        import warnings

        path = saved(tmp_path, Image.fromarray(RGB), "a.bmp")
        plain = Image.open

        def loud(file, **options):
            warnings.warn("odd\ntag", UserWarning, stacklevel=1)
            return plain(file, **options)

        monkeypatch.setattr(Image, "open", loud)
        assert images.read(path).notes == ("Pillow warns: odd tag",)


class TestRefusedFiles:
    def test_missing(self, tmp_path):
        assert problem(tmp_path / "no.png").endswith("no.png: no such file; check the path")

    def test_directory(self, tmp_path):
        assert "is a directory; give one picture" in problem(tmp_path)

    def test_empty(self, tmp_path):
        (tmp_path / "a.png").touch()
        assert "is empty" in problem(tmp_path / "a.png")

    def test_not_a_picture(self, tmp_path):
        (tmp_path / "a.png").write_text("hello")
        assert "is no picture, whatever its name says" in problem(tmp_path / "a.png")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_no_permission(self, tmp_path):
        path = saved(tmp_path, Image.fromarray(RGB))
        path.chmod(0)
        assert "Permission denied" in problem(path)

    def test_impossible_paths(self):
        assert "cannot be opened" in problem("a\0b.png")
        assert "name too long" in problem("a" * 5000)

    def test_a_strange_name_stays_on_one_line(self):
        assert r"a\nb.png" in problem("a\nb.png")

    @pytest.mark.parametrize("suffix", ["png", "jpg", "tif", "bmp", "webp"])
    @pytest.mark.parametrize("keep", [0.3, 0.6, 0.9])
    def test_truncated(self, tmp_path, photo, suffix, keep):
        path = tmp_path / f"a.{suffix}"
        Image.open(photo).resize((64, 64)).save(path)
        path.write_bytes(path.read_bytes()[: int(keep * path.stat().st_size)])
        message = problem(path)
        assert "copy it again" in message or "is no picture" in message

    def test_animation(self, tmp_path):
        first, second = Image.fromarray(GRAY), Image.fromarray(255 - GRAY)
        path = saved(tmp_path, first, "a.gif", save_all=True, append_images=[second])
        assert "is an animation; save one frame as PNG" in problem(path)
        path = saved(tmp_path, first, "a.webp", save_all=True, append_images=[second])
        assert "has 2 frames; save one of them as PNG" in problem(path)

    @pytest.mark.parametrize("mode", ["CMYK", "YCbCr", "LAB", "HSV"])
    def test_colour_spaces(self, mode):
        image = Image.fromarray(RGB)
        if mode == "LAB":
            image = Image.merge("LAB", image.split())
        else:
            image = image.convert(mode)
        assert f"is {mode}, not gray or RGB; convert it first, for example" in problem(image)

    def test_cmyk_file(self, tmp_path):
        path = saved(tmp_path, Image.fromarray(RGB).convert("CMYK"), "a.jpg")
        assert "is CMYK" in problem(path)

    def test_float_file(self, tmp_path):
        path = saved(tmp_path, Image.fromarray(GRAY.astype(np.float32)), "a.tif")
        assert "floating-point" in problem(path)

    @pytest.mark.parametrize("colour_type", [2, 4, 6], ids=["rgb", "la", "rgba"])
    def test_pil_images_of_16_bit_colour(self, tmp_path, colour_type):
        """Pillow opens these as 8 bits without a word; from the path all 16 are read."""
        width = {2: 3, 4: 2, 6: 4}[colour_type] * 2 * 2
        path = tmp_path / "a.png"
        path.write_bytes(png(colour_type, 16, (2, 1), b"\0" + bytes(width)))
        with Image.open(path) as image:
            assert "more than 8 bits a colour, of which Pillow keeps 8" in problem(image)
        assert images.read(path).depth == 16

    def test_32_bit_gray_that_does_not_fit(self):
        image = Image.fromarray(np.array([[0, 70000]], np.int32))
        assert "has samples from 0 to 70000" in problem(image)

    def test_no_pixels(self):
        assert "has no pixels" in problem(Image.new("RGB", (0, 4)))

    def test_the_error_carries_fields(self, tmp_path):
        with pytest.raises(ImageError) as caught:
            images.read(tmp_path)
        assert caught.value.source == str(tmp_path)
        assert caught.value.problem == "is a directory"
        assert caught.value.fix == "give one picture"


class TestRefusedArrays:
    @pytest.mark.parametrize(
        ("array", "advice"),
        [
            (np.zeros((2, 2)), "scale to 0..255, round"),
            (np.zeros((2, 2), np.float32), "scale to 0..255, round"),
            (np.full((2, 2), np.nan), "sample is nan: replace NaN"),
            (np.zeros((2, 2), np.int64), ".astype(np.uint8)"),
            (np.full((2, 2), 300), ".astype(np.uint16)"),
            (np.full((2, 2), -1), "0 to 255 as uint8"),
            (np.full((2, 2), 70000, np.uint32), "0 to 255 as uint8"),
            (np.zeros((2, 2), bool), "array.astype(np.uint8) * 255"),
            (np.zeros((2, 2), np.complex128), "0 to 255 as uint8"),
            (np.array([["a"]]), "0 to 255 as uint8"),
            (np.zeros((0, 2), np.int64), "0 to 255 as uint8"),
            (np.zeros((0, 2), np.uint8), "at least one pixel"),
            (np.zeros((2, 2, 0), np.uint8), "(height, width)"),
            (np.zeros(4, np.uint8), "(height, width)"),
            (np.zeros((2, 2, 2), np.uint8), "leave the alpha channel out"),
            (np.zeros((2, 2, 4), np.uint8), "leave the alpha channel out"),
            (np.zeros((3, 8, 9), np.uint8), "put the channels last"),
            (np.zeros((1, 2, 2, 3), np.uint8), "batch[0]"),
            (np.zeros((5, 8, 9), np.uint8), "(height, width)"),
        ],
    )
    def test_advice(self, array, advice):
        with pytest.raises(InputError):
            images.read(array)
        assert advice in problem(array)

    @pytest.mark.parametrize("source", [None, 3, [[0, 1]], b"a.png"])
    def test_other_types(self, source):
        assert "give a path, a PIL image or a numpy array" in problem(source)


class TestTooManyPixels:
    """Refused from the header: none of these files holds the pixels that it announces."""

    SIDE = 30_000

    def headers(self) -> dict[str, bytes]:
        side = self.SIDE
        tiff = io.BytesIO()
        entries = {256: side, 257: side, 258: 16, 259: 1, 262: 1, 273: 8, 277: 1, 279: 9}
        directory = Tags("<", {tag: long("<", value) for tag, value in entries.items()})
        tiff.write(serialise(directory))
        shallow = serialise(Tags("<", {**directory.entries, 258: short("<", 8)}))
        jp2 = bytearray(imagecodecs.jpeg2k_encode(GRAY16, level=0, codecformat="jp2"))
        siz = jp2.index(b"\xff\x4f\xff\x51")
        jp2[siz + 8 : siz + 16] = struct.pack(">II", side, side)
        bmp = io.BytesIO()
        Image.fromarray(GRAY).save(bmp, "BMP")
        wide = bytearray(bmp.getvalue())
        wide[18:26] = struct.pack("<ii", side, side)
        return {
            "rgb8.png": png(2, 8, (side, side), b""),
            "rgb16.png": png(2, 16, (side, side), b""),
            "palette.png": png(3, 8, (side, side), b"", chunk(b"PLTE", bytes(6))),
            "deep.tif": tiff.getvalue(),
            "shallow.tif": shallow,
            "deep.ppm": b"P6 %d %d 65535\n" % (side, side),
            "shallow.ppm": b"P6 %d %d 255\n" % (side, side),
            "deep.jp2": bytes(jp2),
            "a.bmp": bytes(wide),
        }

    def test_every_format(self, tmp_path):
        for name, data in self.headers().items():
            (tmp_path / name).write_bytes(data)
            message = problem(tmp_path / name)
            assert "has 900,000,000 pixels, the limit is 100,000,000" in message, name
            assert "max_pixels=900000000 (--max-megapixels 900)" in message, name

    def test_the_limit_can_be_raised_and_lowered(self, tmp_path):
        for name in ("a.png", "a.bmp", "a.tif", "a.jp2", "a.ppm"):
            path = saved(tmp_path, Image.fromarray(RGB), name)
            assert images.read(path, max_pixels=35).array.shape == (5, 7, 3)
            with pytest.raises(ImageError, match="has 35 pixels, the limit is 34"):
                images.read(path, max_pixels=34)
            with pytest.raises(ImageError, match="has 35 pixels, the limit is 10"):
                images.read(path, max_pixels=10)

    def test_raised_above_all_that_a_format_may_have(self, tmp_path):
        for name in ("rgb8.png", "rgb16.png", "deep.ppm", "shallow.ppm"):
            path = tmp_path / name
            path.write_bytes(self.headers()[name])
            with pytest.raises(ImageError, match="has 2,700,000,000 samples, the limit is"):
                images.read(path, max_pixels=10**9)

    def test_a_raised_limit_is_above_that_of_pillow_and_leaves_that_alone(
        self, tmp_path, monkeypatch
    ):
        path = saved(tmp_path, Image.fromarray(RGB), "a.bmp")
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
        assert images.read(path).array.shape == (5, 7, 3)
        assert Image.MAX_IMAGE_PIXELS == 10

    @pytest.mark.parametrize("limit", [0, -1, 1.5, True, "9"])
    def test_nonsense(self, tmp_path, limit):
        path = saved(tmp_path, Image.fromarray(RGB))
        with pytest.raises(InputError, match="max_pixels is"):
            images.read(path, max_pixels=limit)
