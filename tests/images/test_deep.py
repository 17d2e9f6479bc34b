"""16 bits a sample in files that others wrote: all of them are read, or the file is refused."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib

import imagecodecs
import numpy as np
import pytest
import tifffile
from PIL import Image

from morebits import images
from morebits.errors import ImageError
from morebits.images import tags

RNG = np.random.default_rng(5)
SHAPES = [(5, 7), (5, 7, 2), (5, 7, 3), (5, 7, 4)]
deep = pytest.mark.parametrize("shape", SHAPES, ids=["gray", "gray-alpha", "rgb", "rgb-alpha"])


def samples(shape) -> np.ndarray:
    return RNG.integers(0, 65536, shape, np.uint16)


def same(path, array) -> images.Picture:
    """The file at `path` holds these samples; even counts of channels have alpha."""
    found = images.read(path)
    cube = np.atleast_3d(array)
    alpha = cube.shape[2] in (2, 4)
    colours = cube.shape[2] - alpha
    np.testing.assert_array_equal(found.array, cube[..., :colours])
    assert found.array.dtype == np.uint16
    assert found.depth == 16
    if alpha:
        assert found.alpha is not None
        assert found.alpha.dtype == np.uint16
        np.testing.assert_array_equal(found.alpha, cube[..., -1])
        assert "alpha set aside: only colour channels count" in found.notes
    else:
        assert found.alpha is None
        assert found.notes == ()
    return found


def refused(path) -> str:
    with pytest.raises(ImageError) as caught:
        images.read(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestPng:
    @deep
    def test_every_kind(self, tmp_path, shape):
        array = samples(shape)
        (tmp_path / "a.png").write_bytes(imagecodecs.png_encode(array))
        assert same(tmp_path / "a.png", array).file_format == "PNG"

    @deep
    @pytest.mark.parametrize("keep", [0.2, 0.6, 0.95])
    def test_cut_short(self, tmp_path, shape, keep):
        data = imagecodecs.png_encode(samples((32, 32, *shape[2:])))
        (tmp_path / "a.png").write_bytes(data[: int(keep * len(data))])
        assert "cannot be decoded" in refused(tmp_path / "a.png")

    def test_a_flipped_bit(self, tmp_path):
        data = bytearray(imagecodecs.png_encode(samples((5, 7, 3))))
        data[len(data) // 2] ^= 1
        (tmp_path / "a.png").write_bytes(data)
        assert "cannot be decoded" in refused(tmp_path / "a.png")

    def test_animation(self, tmp_path):
        frames = [Image.fromarray(np.full((4, 4, 3), each, np.uint8)) for each in (0, 9)]
        frames[0].save(tmp_path / "a.png", save_all=True, append_images=frames[1:])
        assert "has 2 frames" in refused(tmp_path / "a.png")

    def test_interlaced(self, tmp_path):
        """Adam7 of one pixel is one pixel: the simplest file that takes that way."""
        array = samples((1, 1, 3))
        data = bytearray(imagecodecs.png_encode(array))
        data[28] = 1
        data[29:33] = struct.pack(">I", zlib.crc32(bytes(data[12:29])))
        (tmp_path / "a.png").write_bytes(data)
        same(tmp_path / "a.png", array)

    def test_odd_chunks_are_not_worth_a_line_on_stderr(self, tmp_path):
        array = samples((5, 7, 3))
        data = bytes(imagecodecs.png_encode(array))
        body = b"iCCP" + b"odd\0\0" + zlib.compress(b"not a profile")
        chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
        (tmp_path / "a.png").write_bytes(data[:33] + chunk + data[33:])
        assert same(tmp_path / "a.png", array).icc == b"not a profile"
        code = "import sys; from morebits import images; images.read(sys.argv[1])"
        run = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "a.png"], capture_output=True, check=True
        )
        assert run.stderr == b""


class TestTiff:
    @deep
    @pytest.mark.parametrize("order", ["<", ">"])
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"compression": "zlib", "predictor": True},
            {"compression": "lzw"},
            {"bigtiff": True},
            {"tile": (16, 16)},
            {"rowsperstrip": 2},
        ],
        ids=str,
    )
    def test_every_kind(self, tmp_path, shape, order, options):
        array = samples(shape)
        kind = "rgb" if shape[2:] in ((3,), (4,)) else "minisblack"
        extra = {"extrasamples": ["unassalpha"]} if shape[2:] in ((2,), (4,)) else {}
        path = tmp_path / "a.tif"
        tifffile.imwrite(
            path, array, photometric=kind, planarconfig="contig", byteorder=order, metadata=None,
            iccprofile=b"a profile", resolution=(300, 150), resolutionunit="inch",
            **extra, **options,
        )  # fmt: skip
        found = same(path, array)
        assert (found.file_format, found.icc, found.dpi) == ("TIFF", b"a profile", (300, 150))

    def test_planes(self, tmp_path):
        array = samples((3, 5, 7))
        tifffile.imwrite(tmp_path / "a.tif", array, photometric="rgb", planarconfig="separate")
        same(tmp_path / "a.tif", np.moveaxis(array, 0, -1))

    @pytest.mark.parametrize("rows", [None, 2])
    @pytest.mark.parametrize("compression", [None, "zlib", "lzw"])
    @pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
    def test_cut_short(self, tmp_path, compression, keep, rows):
        path = tmp_path / "a.tif"
        array = samples((32, 32, 3))
        tifffile.imwrite(path, array, photometric="rgb", compression=compression, rowsperstrip=rows)
        path.write_bytes(path.read_bytes()[: int(keep * path.stat().st_size)])
        assert "copy it again" in refused(path)

    @pytest.mark.parametrize("depth", [np.uint8, np.uint16])
    @pytest.mark.parametrize("meaning", ["assocalpha", "unspecified"])
    def test_other_extra_channels(self, tmp_path, meaning, depth):
        path = tmp_path / "a.tif"
        array = samples((5, 7, 4)).astype(depth)
        tifffile.imwrite(path, array, photometric="rgb", extrasamples=[meaning])
        if (meaning, depth) == ("assocalpha", np.uint8):
            assert (
                "colours that were multiplied with alpha are divided" in images.read(path).notes[0]
            )
        else:
            assert "has an extra channel that is not plain alpha" in refused(path)

    def test_other_extra_channels_of_gray(self, tmp_path):
        array = samples((5, 7, 2))
        tifffile.imwrite(
            tmp_path / "a.tif", array, photometric="minisblack", planarconfig="contig",
            extrasamples=["unspecified"], metadata=None,
        )  # fmt: skip
        assert "has an extra channel that is not plain alpha" in refused(tmp_path / "a.tif")

    def test_pages(self, tmp_path):
        array = samples((2, 5, 7, 3))
        tifffile.imwrite(tmp_path / "a.tif", array, photometric="rgb", metadata=None)
        assert "has 2 frames" in refused(tmp_path / "a.tif")

    @pytest.mark.parametrize("unit", ["inch", "centimeter", "none"])
    def test_resolution(self, tmp_path, unit):
        for depth in (np.uint8, np.uint16):
            array = samples((5, 7, 3)).astype(depth)
            tifffile.imwrite(
                tmp_path / "a.tif", array, photometric="rgb",
                resolution=(100, 50), resolutionunit=unit,
            )  # fmt: skip
            expected = {"inch": (100, 50), "centimeter": pytest.approx((254, 127)), "none": None}
            assert images.read(tmp_path / "a.tif").dpi == expected[unit]


class TestNetpbm:
    @pytest.mark.parametrize("channels", [1, 3])
    @pytest.mark.parametrize("plain", [False, True])
    def test_every_kind(self, tmp_path, channels, plain):
        array = samples((5, 7, channels))
        kind = {(1, True): 2, (3, True): 3, (1, False): 5, (3, False): 6}[channels, plain]
        words = " ".join(str(each) for each in array.ravel().tolist())
        body = words.encode() if plain else array.astype(">u2").tobytes()
        (tmp_path / "a.ppm").write_bytes(b"P%d # a comment\n7\n#another\n5 65535\n" % kind + body)
        assert same(tmp_path / "a.ppm", array).file_format == "PPM"

    def test_an_odd_maximum_is_scaled_with_a_note(self, tmp_path):
        data = np.array([0, 1, 500, 1023, 1022, 7], ">u2").tobytes()
        (tmp_path / "a.ppm").write_bytes(b"P6 2 1 1023\n" + data)
        found = images.read(tmp_path / "a.ppm")
        exact = [round(each * 65535 / 1023) for each in (0, 1, 500, 1023, 1022, 7)]
        assert found.array.ravel().tolist() == exact
        assert found.notes == ("1024 levels a sample, scaled to 65536",)

    @pytest.mark.parametrize(
        "data",
        [
            b"P6 2 1 65535\n" + bytes(11),
            b"P3 2 1 65535\n1 2 3 4 5",
            b"P3 2 1 65535\n1 2 3 4 5 x",
            b"P3 2 1 65535\n1 2 3 4 5 999999",
            b"P5 1 1 1000\n\xff\xff",
            b"P2 1 1 1000\n1001",
            b"P5 0 1 65535\n",
            b"P5 1 1 65536\n\0\0\0\0",
            b"P6",
        ],
    )
    def test_broken(self, tmp_path, data):
        (tmp_path / "a.ppm").write_bytes(data)
        refused(tmp_path / "a.ppm")


class TestJp2:
    @deep
    @pytest.mark.parametrize("kind", ["jp2", "j2k"])
    def test_every_kind(self, tmp_path, shape, kind):
        array = samples(shape)
        data = imagecodecs.jpeg2k_encode(array, level=0, reversible=True, codecformat=kind)
        (tmp_path / "a.jp2").write_bytes(data)
        assert same(tmp_path / "a.jp2", array).file_format == "JPEG2000"

    @deep
    @pytest.mark.parametrize("keep", [0.2, 0.6, 0.95])
    def test_cut_short(self, tmp_path, shape, keep):
        array = samples((32, 32, *shape[2:]))
        data = imagecodecs.jpeg2k_encode(array, level=0, codecformat="jp2")
        (tmp_path / "a.jp2").write_bytes(data[: int(keep * len(data))])
        assert "copy it again" in refused(tmp_path / "a.jp2")

    @pytest.mark.parametrize("bits", [9, 12, 15])
    def test_other_depths(self, tmp_path, bits):
        array = samples((5, 7, 3)) >> (16 - bits)
        data = imagecodecs.jpeg2k_encode(array, level=0, codecformat="jp2", bitspersample=bits)
        (tmp_path / "a.jp2").write_bytes(data)
        assert f"has {bits}/{bits}/{bits} bits a sample; save it with 16" in refused(
            tmp_path / "a.jp2"
        )

    def test_other_colours(self, tmp_path):
        data = imagecodecs.jpeg2k_encode(
            samples((5, 7, 3)), level=0, codecformat="jp2", colorspace="SYCC"
        )
        (tmp_path / "a.jp2").write_bytes(data)
        assert "is not plain gray or RGB; save it as 16-bit PNG" in refused(tmp_path / "a.jp2")

    def test_metadata_of_8_bits(self, tmp_path):
        exif = tags.serialise(tags.Tags(">", {tags.ORIENTATION: tags.short(">", 3)}))
        array = samples((5, 7, 3)).astype(np.uint8)
        data = bytes(imagecodecs.jpeg2k_encode(array, level=0, reversible=True, codecformat="jp2"))
        box = b"uuid" + b"JpgTiffExif->JP2" + exif
        place = data.index(b"jp2c") - 4
        framed = data[:place] + struct.pack(">I", len(box) + 4) + box + data[place:]
        (tmp_path / "a.jp2").write_bytes(framed)
        found = images.read(tmp_path / "a.jp2")
        assert (found.exif, found.orientation) == (exif, 3)
        np.testing.assert_array_equal(found.array, array)
