"""Files that change samples: what they keep, and what is said about the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from morebits import images
from morebits.errors import ImageError, InputError, LossyFile
from morebits.images import lossy, tags
from morebits.images.formats import LOSSY_FORMATS, choose

SUFFIXES = [each.suffixes[0] for each in LOSSY_FORMATS]


def picture(channels=3, dtype=np.uint8, height=48, width=64):
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    values = 128 + 100 * np.sin(x / 9 + c) * np.cos(y / 7)
    return images.read(np.rint(values * (np.iinfo(dtype).max / 255)).astype(dtype))


def mean_change(one, other):
    return float(np.abs(one.astype(float) - other).mean())


def written(tmp_path, cover, suffix, quality=None):
    path = tmp_path / f"a{quality}{suffix}"
    notes = images.write(path, cover.array, cover, fragile=False, quality=quality)
    return path, notes


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_close_to_what_it_was(tmp_path, suffix, channels, dtype):
    cover = picture(channels, dtype)
    path, notes = written(tmp_path, cover, suffix, quality=95)
    found = images.read(path)
    assert found.depth == 8
    eight = cover.array if dtype == np.uint8 else cover.array / 257
    assert mean_change(found.array, eight) < 3
    assert ("16 were rounded" in " ".join(notes)) == (dtype == np.uint16)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_higher_quality_is_closer_and_longer(tmp_path, suffix):
    cover = picture()
    low, high = (written(tmp_path, cover, suffix, quality)[0] for quality in (20, 95))
    assert low.stat().st_size < high.stat().st_size
    changes = [mean_change(images.read(path).array, cover.array) for path in (low, high)]
    assert changes[0] > changes[1] > 0


def test_webp_is_lossless_unless_a_quality_is_given(tmp_path):
    cover = picture()
    path, _ = written(tmp_path, cover, ".webp")
    assert (images.read(path).array == cover.array).all()


def test_colours_of_a_jpeg_keep_their_resolution(tmp_path):
    path, _ = written(tmp_path, picture(), ".jpg")
    with Image.open(path) as image:
        assert [layer[1:3] for layer in image.layer] == [(1, 1)] * 3
        assert image.quantization[0][0] <= 2  # quality 95


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_alpha(tmp_path, suffix):
    clear = np.zeros((48, 64), np.uint8)
    clear[:, 30:] = 200
    cover = replace(picture(), alpha=clear)
    if suffix == ".jpg":
        with pytest.raises(
            ImageError, match=r"JPEG has no alpha, the picture does; write aNone\.png"
        ):
            written(tmp_path, cover, suffix)
        assert list(tmp_path.iterdir()) == []
    else:
        path, _ = written(tmp_path, cover, suffix, quality=90)
        kept = images.read(path).alpha
        assert kept is not None
        assert mean_change(kept, clear) <= (3 if suffix == ".avif" else 0)
    opaque = replace(cover, alpha=np.full((48, 64), 255, np.uint8))
    path, notes = written(tmp_path, opaque, suffix, quality=80)
    assert "leaves out alpha that is opaque everywhere" in " ".join(notes)
    assert images.read(path).alpha is None


def test_exif_too_long_for_a_jpeg_is_left_out_and_named(tmp_path):
    def exif(length):
        return tags.serialise(
            tags.Tags("<", {37500: tags.Value(tags.UNDEFINED, length, bytes(length))})
        )

    longest = exif(lossy.JPEG_EXIF - len(exif(8)) + 7) + b"\0"
    assert len(longest) == lossy.JPEG_EXIF
    for data, fits in ((longest, True), (longest + b"\0", False)):
        cover = replace(picture(), exif=data)
        path = tmp_path / f"{fits}.jpg"
        notes = images.write(path, cover.array, cover, fragile=False)
        assert (images.read(path).exif == data) == fits
        assert ("EXIF of more than 65,527 bytes" in " ".join(notes)) == (not fits)


@pytest.mark.parametrize("quality", [0, 101, -3, 50.5, True, "90"])
def test_wrong_quality(tmp_path, quality):
    for suffix in (".jpg", ".png"):
        with pytest.raises(InputError, match=r"quality is .*give a whole number from 1 to 100"):
            written(tmp_path, picture(), suffix, quality)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".png", ".tif", ".bmp", ".jp2", ".ppm"])
def test_a_quality_is_not_for_formats_that_keep_everything(tmp_path, suffix):
    with pytest.raises(InputError, match=r"leave it out, .* keeps every sample as it is"):
        written(tmp_path, picture(), suffix, 90)


def test_too_long_sides_are_refused_before_any_work(tmp_path):
    for suffix, longest in ((".jpg", 65500), (".avif", 32768)):
        fits = images.read(np.zeros((1, longest), np.uint8))
        too_long = images.read(np.zeros((1, longest + 1), np.uint8))
        choose(tmp_path / f"a{suffix}", fits, fragile=False)
        with pytest.raises(ImageError, match=f"at most {longest:,} pixels a side"):
            choose(tmp_path / f"a{suffix}", too_long, fragile=False)


def test_the_orientation_is_a_matter_of_fragile_marks(tmp_path):
    exif = tags.serialise(tags.Tags("<", {tags.ORIENTATION: tags.short("<", 6)}))
    cover = replace(picture(), exif=exif)
    with pytest.raises(LossyFile, match="--upright"):
        images.check_write(tmp_path / "a.png", cover)
    images.check_write(tmp_path / "a.png", cover, fragile=False)
