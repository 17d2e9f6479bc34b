"""Files of attacked pictures, from the library and from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image, ImageCms

from morebits import attacks, cli, images
from morebits.errors import FileNotWritten, ImageError, LossyFile

ICC = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@pytest.fixture
def cover(colour, tmp_path):
    """A PNG with an ICC profile, EXIF and a resolution."""
    path = tmp_path / "cover.png"
    exif = Image.Exif()
    exif[0x010F] = "camera"
    Image.fromarray(colour).save(path, icc_profile=ICC, exif=exif.tobytes(), dpi=(300, 300))
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jpg", "crop:0.8|jpeg:50"),
        ("a.JPEG", "jpeg:50"),
        ("a.webp", "hflip|webp:50"),
        ("a.avif", "rotate:10|avif:50"),
        ("a.webp", "crop:0.8"),
        ("a.png", "crop:0.8|jpeg:50"),
        ("a.tif", "noise:5"),
        ("a.bmp", "none"),
        ("a.jpg", "social:40"),
    ],
)
def test_the_file_reads_as_the_attack(cover, colour, tmp_path, name, text):
    attack = attacks.parse(text)
    written = attacks.write(tmp_path / name, cover, attack, seed=4)
    found = images.read(tmp_path / name)
    assert np.array_equal(found.array, attack(colour, seed=4))
    assert np.array_equal(written.image, found.array)
    assert written.path == tmp_path / name


@pytest.mark.parametrize("word", ["jpeg", "webp", "avif"])
def test_metadata_is_kept(cover, tmp_path, word):
    name = f"a.{word}"
    attacks.write(tmp_path / name, cover, attacks.parse(f"crop:0.5|{word}:90"))
    with Image.open(tmp_path / name) as image:
        assert image.info["icc_profile"] == ICC
        assert image.getexif()[0x010F] == "camera"
        assert image.format == word.upper()
    if word == "jpeg":
        assert images.read(tmp_path / name).dpi == (300, 300)


def test_the_bytes_are_those_of_the_last_step(gray, tmp_path):
    from morebits.attacks import compression

    attacks.write(tmp_path / "a.jpg", gray, attacks.parse("hflip|jpeg:33"))
    assert (tmp_path / "a.jpg").read_bytes() == compression.encode(gray[:, ::-1], "jpeg", 33)


def test_a_gray_webp_is_a_colour_file(gray, tmp_path):
    """WebP has no gray: the file's three channels are the attack's one, give or take a level."""
    written = attacks.write(tmp_path / "a.webp", gray, attacks.parse("webp:60"))
    found = images.read(tmp_path / "a.webp").array.astype(int)
    assert written.image.shape == gray.shape
    assert np.abs(found - written.image).max() <= 1


class TestNotes:
    def test_alpha_is_left_out(self, colour, tmp_path):
        path = tmp_path / "alpha.png"
        Image.fromarray(np.dstack([colour, colour[..., 0]])).save(path)
        for name in ("a.jpg", "a.png"):
            written = attacks.write(tmp_path / name, path, attacks.parse("jpeg:50"))
            assert written.notes == ("alpha is left out",)
            assert images.read(tmp_path / name).alpha is None

    def test_16_bits(self, colour, tmp_path):
        deep = colour.astype(np.uint16) * 257
        written = attacks.write(tmp_path / "a.bmp", deep, attacks.parse("hflip"))
        assert written.notes == ("16 bits a sample rounded to 8",)
        assert np.array_equal(images.read(tmp_path / "a.bmp").array, colour[:, ::-1])
        written = attacks.write(tmp_path / "b.png", deep, attacks.parse("none"))
        assert written.notes == ()
        assert np.array_equal(images.read(tmp_path / "b.png").array, deep)

    def test_lying_pictures_are_turned_upright(self, colour, tmp_path):
        path, exif = tmp_path / "lying.png", Image.Exif()
        exif[0x0112] = 6
        Image.fromarray(colour).save(path, exif=exif.tobytes())
        expected = attacks.parse("hflip|jpeg:90")(np.rot90(colour, -1))
        for name in ("a.jpg", "a.png"):
            written = attacks.write(tmp_path / name, path, attacks.parse("hflip|jpeg:90"))
            found = images.read(tmp_path / name)
            assert written.notes == ("EXIF orientation 6 applied",)
            assert found.orientation == 1
            assert np.array_equal(found.array, expected)

    def test_exif_that_is_too_long(self, colour, tmp_path):
        path, exif = tmp_path / "long.png", Image.Exif()
        exif[0x010E] = "x" * 70_000
        Image.fromarray(colour).save(path, exif=exif.tobytes())
        written = attacks.write(tmp_path / "a.jpg", path, attacks.parse("jpeg:90"))
        assert written.notes == ("not kept from the picture: EXIF (too long for a JPEG)",)
        assert images.read(tmp_path / "a.jpg").exif is None


class TestRefused:
    @pytest.mark.parametrize(
        ("name", "text", "fix"),
        [
            ("a.jpg", "crop:0.8", r'"crop:0.8\|jpeg:90", or write a.png'),
            ("a.jpg", "none", '"jpeg:90", or write a.png'),
            ("a.avif", "jpeg:50", r'"jpeg:50\|avif:90", or write a.png'),
        ],
    )
    def test_a_second_compression(self, cover, tmp_path, name, text, fix):
        with pytest.raises(LossyFile, match=fix):
            attacks.write(tmp_path / name, cover, attacks.parse(text))
        assert not (tmp_path / name).exists()

    def test_files_that_exist(self, cover, tmp_path):
        for name in ("a.jpg", "a.png"):
            path = tmp_path / name
            path.write_bytes(b"mine")
            with pytest.raises(FileNotWritten, match="exists"):
                attacks.write(path, cover, attacks.parse("jpeg:50"))
            assert path.read_bytes() == b"mine"
            attacks.write(path, cover, attacks.parse("jpeg:50"), force=True)
            assert images.read(path).array.shape == (48, 64, 3)

    @pytest.mark.parametrize("name", ["cover.png", "cover.jpg"])
    def test_the_picture_itself(self, colour, tmp_path, name):
        path = tmp_path / name
        Image.fromarray(colour).save(path)
        before = path.read_bytes()
        with pytest.raises(FileNotWritten, match="itself"):
            attacks.write(path, path, attacks.parse("jpeg:50"), force=True)
        assert path.read_bytes() == before

    def test_nothing_left(self, tmp_path):
        with pytest.raises(ImageError, match="nothing is left"):
            attacks.write(tmp_path / "a.png", np.zeros((2, 2), np.uint8), attacks.parse("crop:0.1"))
        assert not (tmp_path / "a.png").exists()


class TestCommand:
    def run(self, capsys, *words):
        code = cli.main(["attack", *map(str, words)])
        return code, *capsys.readouterr()

    def test_writes_and_says_so(self, cover, colour, tmp_path, capsys):
        out = tmp_path / "edited.jpg"
        code, printed, said = self.run(capsys, cover, out, "crop:0.8|jpeg:50", "--seed", "9")
        assert (code, said) == (0, "")
        assert printed.splitlines()[0] == "crop:0.8|jpeg:50: 51x38"
        assert f"wrote {out}" in printed
        expected = attacks.parse("crop:0.8|jpeg:50")(colour, seed=9)
        assert np.array_equal(images.read(out).array, expected)

    def test_json(self, cover, tmp_path, capsys):
        out = tmp_path / "edited.png"
        code, printed, _ = self.run(capsys, cover, out, "jpeg:80", "--json")
        found = json.loads(printed)
        assert code == 0
        assert 20 < found.pop("psnr") < 45
        assert found == {
            "file": str(out), "seed": 0, "attack": "jpeg:80", "family": "jpeg",
            "width": 64, "height": 48,
        }  # fmt: skip

    def test_sizes_that_changed_and_nothing_changed_have_no_psnr(self, cover, tmp_path, capsys):
        for text in ("resize:0.5", "none"):
            words = (cover, tmp_path / "a.png", text, "--json", "--force")
            assert json.loads(self.run(capsys, *words)[1])["psnr"] is None

    def test_notes_go_to_stderr(self, colour, tmp_path, capsys):
        path = tmp_path / "alpha.png"
        Image.fromarray(np.dstack([colour, colour[..., 0]])).save(path)
        code, _, said = self.run(capsys, path, tmp_path / "a.png", "hflip")
        assert code == 0
        assert "alpha is left out" in said

    @pytest.mark.parametrize(
        ("name", "words", "message"),
        [
            ("a.png", ["jpg:50"], "unknown attack 'jpg'"),
            ("a.png", ["jpeg:500"], "1 to 100"),
            ("a.png", ["crop:0.001"], "nothing is left"),
            ("a.jpg", ["crop:0.5"], "end the attack with it"),
            ("a.png", ["crop:0.5", "--seed", "-1"], "at least 0"),
            ("a.xyz", ["crop:0.5"], "suffix"),
            ("no/a.png", ["crop:0.5"], "folder"),
            ("a.png", [], "requires an argument"),
        ],
    )
    def test_wrong_use(self, cover, tmp_path, capsys, name, words, message):
        code, printed, said = self.run(capsys, cover, tmp_path / name, *words)
        assert (code, printed, said.count("\n")) == (2, "", 1)
        assert message in said
        assert not (tmp_path / name).exists()
