"""`morebits hide`, `reveal` and `models`."""

from __future__ import annotations

import base64
import errno
import inspect
import io
import json
import math
import os
import subprocess
import sys
import typing
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from morebits import cli, hiding, images, neural
from morebits.cli import models
from morebits.codecs import fixed, registry
from morebits.codecs.robust import planning
from morebits.codecs.trellis import Trellis
from morebits.errors import MissingExtra
from morebits.images import lossy
from morebits.images.formats import FORMATS, LOSSY_FORMATS

PAYLOAD = np.random.default_rng(7).bytes(250)


class Shell:
    """The command line in a folder of its own, which holds `photo.png`, a part of a photo."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[bytes]):
        self.folder, self.capsys = folder, capsys

    def __call__(self, *words: str | Path) -> tuple[int, bytes, str]:
        """Exit code, stdout and stderr."""
        code = cli.main([str(word) for word in words])
        out, err = self.capsys.readouterr()
        return code, out, err.decode()

    def works(self, *words: str | Path) -> bytes:
        """What it prints; nothing on stderr."""
        code, out, err = self(*words)
        assert (code, err) == (0, "")
        return out

    def fails(self, *words: str | Path, code: int = 2) -> str:
        """The one line that it prints; no file is written or changed."""
        before = self.files()
        found, out, err = self(*words)
        assert (found, out) == (code, b"")
        assert err.startswith("morebits: ")
        assert err.count("\n") == 1
        assert self.files() == before
        return err

    def files(self) -> dict[str, bytes]:
        return {each.name: each.read_bytes() for each in self.folder.iterdir() if each.is_file()}

    def picture(self, name: str, array: np.ndarray, **options: object) -> Path:
        Image.fromarray(array).save(self.folder / name, **options)
        return self.folder / name


@pytest.fixture(scope="module")
def pixels(photo) -> np.ndarray:
    with Image.open(photo) as image:
        return np.array(image)[100:148, 200:240]


@pytest.fixture
def shell(tmp_path, monkeypatch, capsysbinary, pixels) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOREBITS_KEY", raising=False)
    made = Shell(tmp_path, capsysbinary)
    made.picture("photo.png", pixels)
    (tmp_path / "payload.bin").write_bytes(PAYLOAD)
    return made


PLAIN = ("hide", "photo.png", "-o", "marked.png")
TRELLIS = ("--codec", "trellis")
HIDE = (*PLAIN, *TRELLIS)
TEXT = (*HIDE, "--text", "hi")


@contextmanager
def piped(monkeypatch: pytest.MonkeyPatch, data: bytes) -> Generator[None]:
    """Something that is piped in."""
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    with io.TextIOWrapper(os.fdopen(reader, "rb")) as stdin, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        yield


class TestHide:
    def test_a_file_goes_in_and_comes_back(self, shell, pixels):
        out = shell.works(*HIDE, "--file", "payload.bin").decode()
        for words in ("hidden", f"{len(PAYLOAD)} bytes", "no key", "dB", "marked.png", "yes"):
            assert words in out
        marked = np.array(Image.open("marked.png"))
        assert marked.shape == pixels.shape
        assert 0 < np.abs(marked.astype(int) - pixels).max() < 16
        assert shell.works("reveal", "marked.png") == PAYLOAD

    def test_a_pdf_into_a_jpeg(self, shell, photo):
        pdf = b"%PDF-1.7\n" + np.random.default_rng(1).bytes(20_000)
        Path("report.pdf").write_bytes(pdf)
        words = ("-o", "marked.png", "--file", "report.pdf", "--key", "k")
        shell.works("hide", photo, *words, *TRELLIS)
        shell.works("reveal", "marked.png", "-o", "back.pdf", "--key", "k")
        assert Path("back.pdf").read_bytes() == pdf

    def test_text_is_utf_8(self, shell):
        shell.works(*HIDE, "--text", "-Grüße")
        assert shell.works("reveal", "marked.png") == "-Grüße".encode()

    @pytest.mark.parametrize("words", [(), ("--file", "-")])
    def test_piped_in(self, shell, monkeypatch, words):
        with piped(monkeypatch, PAYLOAD):
            shell.works(*HIDE, *words)
        assert shell.works("reveal", "marked.png") == PAYLOAD

    def test_no_bytes_at_all_are_a_payload_where_that_is_said(self, shell, monkeypatch):
        with piped(monkeypatch, b""):
            assert "an empty stdin" in shell.fails(*HIDE)
        for words in (("--text", ""), ("--file", "-")):
            with piped(monkeypatch, b""):
                shell.works(*HIDE, *words, "--force")
            assert shell.works("reveal", "marked.png") == b""

    def test_json(self, shell, pixels):
        found = json.loads(shell.works(*HIDE, "--file", "payload.bin", "--key", "k", "--json"))
        change = np.array(Image.open("marked.png")).astype(float) - pixels
        psnr = 10 * math.log10(255**2 / np.mean(change**2))
        assert found.pop("psnr") == pytest.approx(psnr)
        assert found.pop("bound_bits") == pytest.approx(
            float(shell.works("capacity", "photo.png", "--psnr", "42", "--json").split()[2][:-1])
        )
        assert found == {
            "file": "marked.png",
            "payload_bytes": len(PAYLOAD),
            "message_bits": 8 * (len(PAYLOAD) + 39),
            "lowest_psnr": 42.0,
            "codec": "trellis",
            "survives": [],
            "encrypted": True,
            "revealed": True,
        }

    def test_what_is_short_costs_little(self, shell):
        few = json.loads(shell.works(*TEXT, "--json"))
        Path("long").write_bytes(np.random.default_rng(1).bytes(1500))
        many = json.loads(shell.works(*HIDE, "--file", "long", "--json", "--force"))
        assert few["psnr"] > many["psnr"] + 6 > 48

    def test_too_much_says_how_much_and_when(self, shell):
        data = np.random.default_rng(1).bytes(4000)
        Path("long").write_bytes(data)
        line = shell.fails(*HIDE, "--file", "long", code=1)
        assert "needs 4,000 bytes" in line
        words = line.split()
        fits = int(words[words.index("fit;") - 1].replace(",", ""))
        psnr = words[words.index("would") + 2]
        Path("fits").write_bytes(data[:fits])
        shell.works(*HIDE, "--file", "fits")
        shell.works(*HIDE, "--file", "long", "--psnr", psnr, "--force")
        assert shell.works("reveal", "marked.png") == data

    def test_fill_takes_what_the_picture_holds_at_all(self, shell):
        data = np.random.default_rng(1).bytes(4000)
        Path("long").write_bytes(data)
        out = shell.works(*HIDE, "--file", "long", "--fill").decode()
        assert "% of all its bits" in out
        assert shell.works("reveal", "marked.png") == data
        Path("long").write_bytes(np.random.default_rng(1).bytes(6000))
        assert "fit" in shell.fails(*HIDE, "--file", "long", "--fill", "--force", code=1)

    def test_states(self, shell):
        Path("long").write_bytes(np.random.default_rng(1).bytes(1500))
        few, many = (
            json.loads(
                shell.works(*HIDE, "--file", "long", "--states", states, "--json", "--force")
            )
            for states in ("4", "1024")
        )
        assert many["psnr"] > few["psnr"]

    def test_a_mask_steers_changes_to_busy_parts(self, shell):
        cover = np.full((48, 48, 3), 100, np.uint8)
        cover[:, 24:] = np.random.default_rng(1).integers(0, 256, (48, 24, 3))
        shell.picture("half.png", cover)
        calm = {}
        for words in ((), ("--mask",)):
            name = f"marked{len(words)}.png"
            shell.works("hide", "half.png", "-o", name, "--file", "payload.bin", *TRELLIS, *words)
            calm[words] = np.count_nonzero(np.array(Image.open(name))[:, :18] != 100)
            assert shell.works("reveal", name) == PAYLOAD
        assert calm["--mask",] < calm[()] / 2

    def test_box_takes_mid_gray(self, shell):
        shell.picture("solid.png", np.full((40, 40, 3), 128, np.uint8))
        shell.works("hide", "solid.png", "-o", "marked.png", "--text", "hi", "--codec", "box")
        found = json.loads(shell.works("reveal", "marked.png", "--json"))
        assert (found["codec"], base64.b64decode(found["payload_base64"])) == ("box", b"hi")

    def test_upright(self, shell, pixels):
        exif = Image.Exif()
        exif[274] = 6
        shell.picture("lying.png", pixels, exif=exif.tobytes())
        words = ("hide", "lying.png", "-o", "marked.png", "--text", "hi", *TRELLIS)
        assert "--upright" in shell.fails(*words)
        code, _, err = shell(*words, "--upright")
        assert (code, err) == (0, "")
        with Image.open("marked.png") as marked:
            assert marked.size == (48, 40)
            assert marked.getexif().get(274, 1) == 1
        assert shell.works("reveal", "marked.png") == b"hi"

    def test_notes_go_to_stderr(self, shell, pixels):
        alpha = np.arange(48 * 40, dtype=np.uint8).reshape(48, 40)
        shell.picture("a.png", np.dstack([pixels, alpha]))
        code, _, err = shell("hide", "a.png", "-o", "marked.png", "--text", "hi", *TRELLIS)
        assert (code, err) == (
            0,
            "morebits: note: a.png: alpha set aside: only colour channels count\n",
        )
        assert (np.array(Image.open("marked.png"))[..., 3] == alpha).all()
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        shell.picture("icc.png", pixels, icc_profile=profile)
        code, _, err = shell("hide", "icc.png", "-o", "marked.bmp", "--text", "hi", *TRELLIS)
        assert (code, err) == (
            0,
            "morebits: note: marked.bmp: BMP cannot hold the picture's ICC profile\n",
        )

    def test_an_existing_file_needs_force(self, shell, pixels):
        shell.works(*TEXT)
        assert "--force" in shell.fails(*TEXT)
        shell.works(*HIDE, "--text", "other", "--force")
        assert shell.works("reveal", "marked.png") == b"other"
        assert (np.array(Image.open("photo.png")) == pixels).all()

    def test_a_limit_that_can_be_raised(self, shell):
        assert "--max-megapixels 1" in shell.fails(*TEXT, "--max-megapixels", "0.001")
        shell.works(*TEXT, "--max-megapixels", "0.01")
        assert "--max-megapixels" in shell.fails("reveal", "marked.png", "--max-megapixels", "1e-3")
        line = shell.fails("capacity", "photo.png", "--psnr", "42", "--max-megapixels", "0.001")
        assert "--max-megapixels 1" in line

    def test_a_raised_limit_holds_for_the_file_that_is_read_again(self, shell, monkeypatch):
        monkeypatch.setattr(images.read, "__defaults__", (1000,))
        monkeypatch.setattr(images, "MAX_PIXELS", 1000)
        shell.fails(*TEXT)
        shell.works(*TEXT, "--max-megapixels", "0.01")
        assert shell.works("reveal", "marked.png", "--max-megapixels", "0.01") == b"hi"

    def test_a_full_disk_leaves_nothing(self, shell, monkeypatch):
        def full(_):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
        assert "marked.png: cannot be written (No space left" in shell.fails(*TEXT)
        monkeypatch.undo()


class TestRobust:
    """What `hide` does unless told otherwise."""

    @pytest.fixture
    def part(self, shell, photo) -> Path:
        """A part of the photo that is large enough."""
        with Image.open(photo) as image:
            return shell.picture("part.png", np.array(image)[100:356, 100:356])

    def hide(self, shell, part, *words):
        return shell.works("hide", part, "--text", "made by me", *words)

    def test_a_note_survives_a_jpeg_and_a_crop(self, shell, part):
        out = self.hide(shell, part, "-o", "marked.jpg", "--survive", "jpeg:60").decode()
        for words in ("10 bytes, no key", "survives", "jpeg:60", "marked.jpg", "yes"):
            assert words in out
        assert 45 < float(out.split("PSNR")[1].split()[0]) < 57
        with Image.open("marked.jpg") as image:
            image.crop((16, 24, 256, 240)).save("edited.jpg", quality=80)
        code, out, err = shell("reveal", "edited.jpg")
        assert (code, out) == (0, b"made by me")
        undone = "crop of 16 pixels at the left and 24 at the top"
        assert err == f"morebits: note: edited.jpg: undone: {undone}\n"
        code, out, err = shell("reveal", "edited.jpg", "-o", "note.txt")
        assert (code, out) == (0, b"wrote note.txt (10 bytes)\n")
        assert undone in err

    def test_json(self, shell, part):
        out = self.hide(shell, part, "-o", "a.png", "--psnr", "45", "--key", "k", "--json")
        found = json.loads(out)
        assert found.pop("psnr") == pytest.approx(45, abs=0.05)
        assert found.pop("bound_bits") > 10_000
        assert found == {
            "file": "a.png",
            "payload_bytes": 10,
            "message_bits": 80,
            "lowest_psnr": 45.0,
            "codec": "robust",
            "survives": ["none"],
            "encrypted": True,
            "revealed": True,
        }
        shell.picture("flipped.png", np.array(Image.open("a.png"))[:, ::-1])
        code, out, err = shell("reveal", "flipped.png", "--key", "k", "--json")
        found = json.loads(out)
        assert code == 0
        assert found["undone"] == ["horizontal flip"]
        assert np.shape(found["details"]["matrix"]) == (2, 3)
        assert err == "morebits: note: flipped.png: undone: horizontal flip\n"

    def test_several_edits(self, shell, part):
        words = ("-o", "a.png", "--survive", "jpeg:80", "--survive", "hflip|jpeg:90")
        found = json.loads(self.hide(shell, part, *words, "--psnr", "45", "--json"))
        assert found["survives"] == ["none", "jpeg:80", "hflip|jpeg:90"]

    def test_many_edits_are_counted(self, shell, part):
        words = ("-o", "a.png", "--psnr", "42")
        many = [word for light in range(90, 96) for word in ("--survive", f"jpeg:{light}")]
        assert (
            "jpeg:90, jpeg:91, jpeg:92 and 3 more edits"
            in self.hide(shell, part, *words, *many).decode()
        )
        assert "no edit was tried" in self.hide(shell, part, *words, "--force").decode()

    def test_quality(self, shell, part):
        for name in ("a.jpg", "b.avif", "c.webp"):
            self.hide(shell, part, "-o", name, "--psnr", "45", "--quality", "85")
            assert shell.works("reveal", name) == b"made by me"
        line = shell.fails(
            "hide", part, "-o", "d.jpg", "--text", "a", "--psnr", "50", "--quality", "1"
        )
        assert "d.jpg: the payload did not come back from the written file" in line

    def test_what_does_not_survive_is_refused(self, shell, part):
        words = ("-o", "a.jpg", "--text", "made by me", "--survive", "crop:0.05|jpeg:10")
        line = shell.fails("hide", part, *words, code=1)
        assert "the payload, at 45 dB and after crop:0.05|jpeg:10, needs 10 bytes" in line

    def test_seconds(self, shell, part):
        line = shell.fails("reveal", part, "--seconds", "0.2", code=1)
        assert "tried trellis, robust up to 0.2 seconds" in line
        assert "--seconds" in line
        assert "seconds is -1" in shell.fails("reveal", part, "--seconds", "-1")
        assert "seconds is nan" in shell.fails("reveal", part, "--seconds", "nan")

    def test_the_usual_seconds(self):
        default = inspect.signature(cli.revealing.reveal).parameters["seconds"].default
        assert default == hiding.DEFAULT_SECONDS


class TestWrongUse:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--text", "a", "--file", "b"), "both --text and --file"),
            (("--file", "missing"), "--file is 'missing': cannot be read (No such file"),
            (("--file", "."), "cannot be read (Is a directory)"),
            (("--text", "a", "--psnr", "nan"), "psnr is nan"),
            (("--text", "a", "--psnr", "-inf"), "psnr is -inf"),
            (("--text", "a", "--psnr", "x"), "try --help"),
            (("--text", "a", "--psnr", "42", "--fill"), "--fill has no lowest PSNR"),
            (("--text", "a", "--states", "100"), "give a power of two"),
            (("--text", "a", "--states", "2"), "states is 2"),
            (("--text", "a", "--key", ""), "--key is '': give at least one letter"),
            (("--text", "a", "--key", "a", "--key-file", "b"), "both --key and --key-file"),
            (("--text", "a", "--key-file", "missing"), "--key-file is 'missing': cannot be read"),
            (("--text", "a", "--max-megapixels", "nan"), "--max-megapixels is nan"),
            (("--text", "a", "--max-megapixels", "-1"), "--max-megapixels is -1"),
        ],
    )
    def test_one_line_that_says_what_to_do(self, shell, words, message):
        assert message in shell.fails(*HIDE, *words)

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--codec", "box"), "use the trellis codec"),
            (("--codec", "shaped"), '"robust", "trellis", "box"'),
            (("--codec", "box", "--states", "8"), "--states is 8: leave it out, box does not have"),
            (("--codec", "box", "--mask"), "--mask is True: leave it out, box does not have it"),
            (("--states", "8"), "robust does not have it, trellis does (--codec trellis)"),
            (("--mask",), "robust does not have it, trellis does (--codec trellis)"),
            (("--fill",), "robust does not have it, trellis does (--codec trellis)"),
            ((*TRELLIS, "--survive", "jpeg:50"), "trellis does not have it, robust does"),
            (("--codec", "box", "--quality", "80"), "box does not have it, robust does"),
            (("--quality", "80"), "leave it out, PNG keeps every sample as it is"),
            (("--survive", "jpeg"), "jpeg takes one value"),
            (("--survive", "magic"), "unknown attack or suite 'magic'"),
            (("--psnr", "nan"), "psnr is nan"),
        ],
    )
    def test_each_codec_has_its_own_options(self, shell, words, message):
        assert message in shell.fails(*PLAIN, "--text", "a", *words)

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("no.png", "-o", "a.png"), "no.png: no such file"),
            ((".", "-o", "a.png"), "give a folder for the outputs"),
            (("cut.png", "-o", "a.png"), "cut.png: "),
            (("payload.bin", "-o", "a.png"), "payload.bin: "),
            (("photo.png", "-o", "a.jpg", *TRELLIS), "write a.png instead, or hide it with codec"),
            (("photo.png", "-o", "a.jpg", "--quality", "0"), "quality is 0: give a whole number"),
            (("photo.png", "-o", "a.jpg", "--quality", "101"), "quality is 101: give a whole"),
            (("photo.png", "-o", "a.heic"), "HEIF cannot be written; write a.png instead"),
            (("photo.png", "-o", "a.gif"), "write a.png instead"),
            (("photo.png", "-o", "a.pdf"), "use one of .avif, .bmp"),
            (("photo.png", "-o", "a", *TRELLIS), "use one of .bmp"),
            (("photo.png", "-o", "no/a.png"), "its folder does not exist"),
            (("photo.png", "-o", "photo.png", "--force"), "is the cover itself"),
            (("photo.png", "-o", "folder.png"), "is a directory"),
            (("photo.png",), "--out"),
        ],
    )
    def test_checks_that_need_no_work_come_first(self, shell, monkeypatch, words, message):
        monkeypatch.setattr(hiding, "hide", None)
        Path("cut.png").write_bytes(Path("photo.png").read_bytes()[:-500])
        Path("folder.png").mkdir()
        assert message in shell.fails("hide", *words, "--text", "a")

    @pytest.mark.parametrize("kind", ["null", "none"])
    def test_no_payload(self, shell, monkeypatch, kind):
        """Neither /dev/null, as in a scheduled job, nor a closed stdin is a payload."""
        with Path(os.devnull).open() as null:
            monkeypatch.setattr(sys, "stdin", null if kind == "null" else None)
            assert "give one of --text and --file, or pipe" in shell.fails(*HIDE)

    def test_a_key_file_that_is_no_key(self, shell):
        Path("key").write_bytes(bytes(70_000))
        assert "not a key" in shell.fails(*TEXT, "--key-file", "key")
        Path("key").write_bytes(b"\n")
        assert "--key-file is ''" in shell.fails(*TEXT, "--key-file", "key")

    def test_no_memory(self, shell, monkeypatch):
        def too_much(*_, **__):
            raise MemoryError

        monkeypatch.setattr(hiding, "hide", too_much)
        assert "not enough memory; use a smaller picture" in shell.fails(*TEXT)

    def test_a_header_of_a_huge_picture(self, shell, monkeypatch):
        data = bytearray(Path("photo.png").read_bytes())
        data[16:24] = (30_000).to_bytes(4, "big") * 2
        data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
        Path("huge.png").write_bytes(data)
        line = shell.fails("hide", "huge.png", "-o", "a.png", "--text", "a")
        assert "900,000,000 pixels" in line
        assert "--max-megapixels 900" in line


class TestKeys:
    @pytest.mark.parametrize("content", [b"se cret", b"se cret\n", b"se cret\r\n"])
    def test_all_sources_are_the_same_key(self, shell, monkeypatch, content):
        Path("key").write_bytes(content)
        shell.works(*TEXT, "--key-file", "key")
        assert shell.works("reveal", "marked.png", "--key", "se cret") == b"hi"
        monkeypatch.setenv("MOREBITS_KEY", "se cret")
        assert shell.works("reveal", "marked.png") == b"hi"

    def test_an_option_wins_over_the_environment(self, shell, monkeypatch):
        monkeypatch.setenv("MOREBITS_KEY", "other")
        shell.works(*TEXT, "--key", "k")
        assert shell.works("reveal", "marked.png", "--key", "k") == b"hi"
        shell.fails("reveal", "marked.png", code=1)

    def test_an_empty_variable_is_no_key_by_mistake(self, shell, monkeypatch):
        monkeypatch.setenv("MOREBITS_KEY", "")
        assert "MOREBITS_KEY is ''" in shell.fails(*TEXT)

    def test_keys_that_are_no_text(self, shell):
        key = b"\xff\xfe\n"
        Path("key").write_bytes(key + b"\n")
        shell.works(*TEXT, "--key-file", "key")
        assert hiding.reveal("marked.png", key=key).payload == b"hi"
        assert shell.works("reveal", "marked.png", "--key", os.fsdecode(key)) == b"hi"

    def test_a_key_is_not_told(self, shell):
        out = shell.works(*TEXT, "--key", "swordfish", "--json")
        assert b"swordfish" not in out
        assert "swordfish" not in shell.fails(*TEXT, "--key", "swordfish")


class Terminal(io.TextIOWrapper):
    """A stdout that says it is one."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def isatty(self) -> bool:
        return True

    def shown(self) -> str:
        self.flush()
        return typing.cast("io.BytesIO", self.buffer).getvalue().decode()


class TestReveal:
    def test_to_a_file(self, shell):
        shell.works(*HIDE, "--file", "payload.bin")
        out = shell.works("reveal", "marked.png", "-o", "back.bin")
        assert out.decode() == f"wrote back.bin ({len(PAYLOAD)} bytes)\n"
        assert Path("back.bin").read_bytes() == PAYLOAD

    def test_an_existing_file_needs_force_and_is_checked_first(self, shell, monkeypatch):
        shell.works(*TEXT)
        Path("back").write_bytes(b"mine")
        with monkeypatch.context() as patch:
            patch.setattr(images, "read", None)
            assert "--force" in shell.fails("reveal", "marked.png", "-o", "back")
            assert "folder does not exist" in shell.fails("reveal", "marked.png", "-o", "no/back")
        shell.works("reveal", "marked.png", "-o", "back", "--force")
        assert Path("back").read_bytes() == b"hi"

    def test_not_over_the_picture(self, shell):
        shell.works(*TEXT)
        line = shell.fails("reveal", "marked.png", "-o", "./marked.png", "--force")
        assert "is the picture itself" in line

    def test_nothing_there(self, shell):
        line = shell.fails("reveal", "photo.png", "-o", "back", code=1)
        assert "photo.png: nothing found without a key (tried trellis, robust up to 10 s" in line
        shell.works(*TEXT, "--key", "k")
        line = shell.fails("reveal", "marked.png", "--key", "wrong", code=1)
        assert "marked.png: nothing found with this key" in line

    def test_altered(self, shell):
        shell.works(*HIDE, "--file", "payload.bin")
        marked = np.array(Image.open("marked.png"))
        marked[-20:-10] ^= 1
        shell.picture("edited.png", marked)
        Path("back").write_bytes(b"mine")
        line = shell.fails("reveal", "edited.png", "-o", "back", "--force", code=1)
        assert "edited.png: something is hidden here, but the picture was changed" in line
        code, out, err = shell("reveal", "edited.png", "--json")
        assert (code, json.loads(out)["status"], err) == (1, "altered", line)

    def test_json(self, shell):
        shell.works(*HIDE, "--file", "payload.bin")
        found = json.loads(shell.works("reveal", "marked.png", "--json"))
        assert found.pop("p_value") < 1e-30
        assert base64.b64decode(found.pop("payload_base64")) == PAYLOAD
        assert found == {
            "status": "found",
            "codec": "trellis",
            "payload_bytes": len(PAYLOAD),
            "undone": [],
            "details": {},
        }
        found = json.loads(shell.works("reveal", "marked.png", "--json", "-o", "back"))
        assert found["file"] == "back"
        assert "payload_base64" not in found
        code, out, _ = shell("reveal", "photo.png", "--json")
        assert (code, json.loads(out)) == (1, {"status": "nothing", "codec": None, "p_value": 1.0})

    def test_notes_only_where_they_may_explain(self, shell, pixels):
        shell.picture("a.png", np.dstack([pixels, pixels[..., 0]]))
        shell("hide", "a.png", "-o", "marked.png", "--text", "hi", *TRELLIS)
        assert shell.works("reveal", "marked.png") == b"hi"
        code, _, err = shell("reveal", "a.png")
        assert code == 1
        assert err.startswith("morebits: note: a.png: alpha set aside")

    @pytest.mark.parametrize(
        ("payload", "shown"),
        [
            (b"hi", "hi\n"),
            ("zwei\tWörter\r\nund mehr\n".encode(), "zwei\tWörter\nund mehr\n"),
            (b"", "\n"),
            (b"\xff\xfe", None),
            (b"\0", None),
            (b"\x1b]0;title\x07", None),
            (b"over\rwritten", None),
            ("\u202egnp.exe".encode(), None),
        ],
    )
    def test_a_terminal_gets_text_only(self, shell, monkeypatch, payload, shown):
        Path("payload").write_bytes(payload)
        shell.works(*HIDE, "--file", "payload")
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        code = cli.main(["reveal", "marked.png"])
        monkeypatch.undo()
        assert (code, terminal.shown()) == ((2, "") if shown is None else (0, shown))
        err = shell.capsys.readouterr().err.decode()
        assert ("write it to a file with -o" in err) == (shown is None)


class TestModels:
    def test_every_codec_of_ours_is_listed(self, shell):
        listed = [*(each.name for each in models.MODELS), *neural.card_names()]
        known = set(registry._HOMES)
        assert len(listed) == len(known)
        assert set(listed) == known
        out = shell.works("models").decode()
        assert all(name in out for name in known)

    def test_json(self, shell):
        found = json.loads(shell.works("models", "--json"))
        assert found[0] == {
            "name": "robust",
            "blind": True,
            "purpose": models.MODELS[0].purpose,
            "extra": None,
            "network": None,
        }

    def test_networks_have_their_parameters(self, shell):
        """Golden: counts from a study of the published code, made before ours was written."""
        found = {
            each["name"]: each["network"] for each in json.loads(shell.works("models", "--json"))
        }
        counts = {
            name: (found[name]["bits"], found[name]["embedder"], found[name]["extractor"])
            for name in ("videoseal-0.0", "videoseal-1.0", "chunkyseal")
        }
        assert counts == {
            "videoseal-0.0": (96, 16_635_891, 24_559_713),
            "videoseal-1.0": (256, 23_660_369, 33_372_545),
            "chunkyseal": (1024, 1_022_745_283, 773_715_209),
        }

    def test_networks_without_torch(self, shell, monkeypatch):
        def absent(*_: object) -> None:
            raise MissingExtra("torch", "neural")

        monkeypatch.setattr(fixed, "load", absent)
        for name in ("count", "build"):
            monkeypatch.delitem(vars(neural), name, raising=False)
        found = {
            each["name"]: each["network"] for each in json.loads(shell.works("models", "--json"))
        }
        assert found["linear"]["bits"] == 1024
        assert found["linear"]["embedder"] is None
        assert found["linear"]["needs"] == "torch is not installed: pip install 'morebits[neural]'"

    def test_blind_codecs_are_those_that_hide_takes(self, shell):
        """But for mosaic, whose marks `reveal` does not look for."""
        hints = typing.get_type_hints(cli.hiding.hide)
        blind = {each.name for each in models.MODELS if each.blind and each.extra is None}
        assert set(typing.get_args(hints["codec"])) == blind - {"mosaic"}


class TestHelp:
    def test_hide_alone_is_enough(self, shell):
        out = " ".join(shell.works("hide", "--help").decode().replace("│", " ").split())
        for words in (
            'morebits hide photo.jpg -o marked.jpg --text "made by me"',
            "morebits reveal edited.jpg",
            "MOREBITS_KEY",
            f"default {Trellis().psnr:g}",
            f"{planning.LOWEST:g} or more",
            f"default {lossy.QUALITY}",
            "paper-compact, the default",
            f"default {Trellis().states}",
            f"default {images.MAX_PIXELS // 10**6}",
            "[default: robust]",
        ):
            assert words in out
        assert hiding.DEFAULT_CODEC == "robust"
        for each in (*FORMATS, *LOSSY_FORMATS):
            assert each.suffixes[0] in out or each.name in ("PGM", "PNM")

    def test_every_option_is_explained(self, shell):
        for verb in ("hide", "reveal", "models", "capacity"):
            for argument in cli.app[verb].assemble_argument_collection(parse_docstring=True):
                assert argument.parameter.help, (verb, argument.name)


class TestProcess:
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_a_full_disk_behind_stdout(self):
        with Path("/dev/full").open("w") as full:
            command = [sys.executable, "-m", "morebits", "models"]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2
        assert done.stderr.decode() == "morebits: stdout: No space left on device\n"
