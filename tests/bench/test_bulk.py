"""`morebits hide` and `reveal` on folders and patterns."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest

from morebits import cli, hiding, images

PAYLOAD = b"the same for all of them"
TRELLIS = ("--codec", "trellis", "--states", "16")


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """Three pictures, a broken one, one too small, and a text."""
    monkeypatch.chdir(tmp_path)
    Path("note.txt").write_bytes(PAYLOAD)
    folder = Path("photos")
    folder.mkdir()
    for number, name in enumerate(("a.png", "b.tif", "c.ppm")):
        cover = np.random.default_rng(number).integers(0, 256, (48, 64, 3), np.uint8)
        images.write(folder / name, cover)
    from PIL import Image

    Image.fromarray(images.read(folder / "a.png").array).save(folder / "d.jpg")
    images.write(folder / "small.png", np.zeros((2, 2, 3), np.uint8))
    (folder / "broken.png").write_bytes((folder / "a.png").read_bytes()[:300])
    (folder / "readme.txt").write_text("no picture")
    return folder


@pytest.fixture
def run(capsys):
    def run(*words, code=0):
        assert cli.main([*map(str, words), "--jobs", "1"]) == code
        out, err = capsys.readouterr()
        return [json.loads(line) for line in out.splitlines()], err

    return run


def by_name(lines, word):
    found = {line[word]: line for line in lines}
    assert len(found) == len(lines)
    return found


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


HIDE = ("hide", "photos", "-o", "marked", "--file", "note.txt", *TRELLIS)


def test_a_folder_there_and_back(photos, run):
    before = contents(photos)
    lines, err = run(*HIDE, code=1)
    found = by_name(lines, "cover")
    assert {name: line["status"] for name, line in found.items()} == {
        "a.png": "hidden", "b.tif": "hidden", "c.ppm": "hidden", "d.jpg": "hidden",
        "small.png": "error", "broken.png": "error",
    }  # fmt: skip
    assert "2 of 6 pictures failed" in err
    assert found["d.jpg"]["file"] == "marked/d.png"
    assert sorted(each.name for each in Path("marked").iterdir()) == [
        "a.png", "b.tif", "c.ppm", "d.png",
    ]  # fmt: skip
    assert "broken.png" in found["broken.png"]["error"]
    assert contents(photos) == before
    for line in lines:
        if line["status"] == "hidden":
            assert hiding.reveal(line["file"]).payload == PAYLOAD
            assert line["psnr"] > 42
            assert line["payload_bytes"] == len(PAYLOAD)

    lines, err = run("reveal", "marked", "-o", "notes")
    assert err == ""
    assert {line["status"] for line in lines} == {"found"}
    assert contents(Path("notes")) == dict.fromkeys(
        ["a.png.bin", "b.tif.bin", "c.ppm.bin", "d.png.bin"], PAYLOAD
    )


def test_robust_marks_keep_lossy_names(photos, run):
    """Their quality is for those files that have one."""
    from PIL import Image

    textured = np.random.default_rng(0).integers(80, 176, (120, 160, 3)).astype(np.uint8)
    for name in ("large.png", "large.gif"):
        Image.fromarray(textured).save(photos / name)
    Image.fromarray(textured[::-1]).save(photos / "other.jpg")
    words = ("photos/large.*", "photos/other.jpg", "-o", "marked", "--text", "x", "--psnr", "45")
    lines, _ = run("hide", *words, "--quality", "85", "--survive", "jpeg:80", code=1)
    found = by_name(lines, "cover")
    assert found["other.jpg"]["file"] == "marked/other.jpg"
    assert found["other.jpg"]["survives"] == ["none", "jpeg:80"]
    assert "large.png is where large.gif goes already" in found["large.png"]["error"]
    for name in ("large.png", "other.jpg"):
        assert hiding.reveal(Path("marked") / name).payload == b"x"
    lines, _ = run("reveal", "marked", "--seconds", "5")
    assert {line["status"] for line in lines} == {"found"}
    assert [line["undone"] for line in lines] == [[], []]


def test_the_same_with_processes(photos, capsys):
    assert cli.main([*HIDE, "--jobs", "2"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["status"] for line in lines].count("hidden") == 4
    for line in lines:
        if line["status"] == "hidden":
            assert hiding.reveal(line["file"]).payload == PAYLOAD


def test_patterns_files_and_payloads_in_the_lines(photos, run):
    run("hide", "photos/[ab].*", "-o", "marked", "--text", "word", "--key", "k", *TRELLIS)
    lines, err = run("reveal", "marked/a.png", "photos/c.ppm", "--key", "k", code=1)
    found = by_name(lines, "picture")
    assert base64.b64decode(found["marked/a.png"]["payload_base64"]) == b"word"
    assert found["photos/c.ppm"]["status"] == "nothing"
    assert "1 of 2 pictures failed" in err
    lines, _ = run("reveal", "marked", "--key", "other", code=1)
    assert {line["status"] for line in lines} == {"nothing"}


def test_what_exists_is_skipped_or_replaced(photos, run):
    Path("marked").mkdir()
    Path("marked/a.png").write_bytes(b"mine")
    words = ("hide", "photos/a.png", "photos/b.tif", "-o", "marked", "--text", "x", *TRELLIS)
    lines, err = run(*words)
    found = by_name(lines, "cover")
    assert found["a.png"]["status"] == "skipped"
    assert "--force" in found["a.png"]["notes"][0]
    assert found["b.tif"]["status"] == "hidden"
    assert (Path("marked/a.png").read_bytes(), err) == (b"mine", "")
    lines, _ = run(*words, "--force")
    assert [line["status"] for line in lines] == ["hidden", "hidden"]
    assert hiding.reveal("marked/a.png").payload == b"x"


def test_no_cover_is_ever_overwritten(photos, run):
    """Neither by its own mark, nor by that of another picture with the same stem."""
    Path("photos/d.png").write_bytes(Path("photos/a.png").read_bytes())
    before = contents(photos)
    words = ("hide", "photos/d.*", "photos/a.png", "-o", "photos", "--text", "x", "--force")
    lines, _ = run(*words, code=1)
    assert {line["status"] for line in lines} == {"error"}
    assert contents(photos) == before


def test_two_covers_with_one_name(photos, run):
    Path("photos/d.png").write_bytes(Path("photos/a.png").read_bytes())
    lines, _ = run("hide", "photos/d.*", "-o", "marked", "--text", "x", *TRELLIS, code=1)
    found = by_name(lines, "cover")
    assert found["d.jpg"]["status"] == "hidden"
    assert "d.png is where d.jpg goes already; rename" in found["d.png"]["error"]


def test_folders_below_are_kept(photos, run):
    Path("photos/deep").mkdir()
    Path("photos/deep/a.png").write_bytes(Path("photos/a.png").read_bytes())
    run("hide", "photos/**/a.png", "-o", "marked", "--text", "x", *TRELLIS)
    assert hiding.reveal("marked/deep/a.png").payload == b"x"
    assert hiding.reveal("marked/a.png").payload == b"x"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("hide", "photos", "-o", "a.png", "--text", "x"), "give a folder for the outputs"),
        (("hide", "photos", "-o", "note.txt", "--text", "x"), "note.txt: cannot be a folder"),
        (("hide", "photos/*.gif", "-o", "m", "--text", "x"), "has no pictures"),
        (("hide", "empty", "-o", "m", "--text", "x"), "empty: has no pictures"),
        (("hide", "photos", "-o", "m", "--text", "x", "--psnr", "nan"), "psnr"),
        (("hide", "photos", "-o", "m", "--text", "x", "--states", "7", *TRELLIS[:2]), "states"),
        (("hide", "photos", "-o", "m", "--text", "x", "--quality", "0"), "quality is 0"),
        (("hide", "photos", "-o", "m", "--text", "x", "--survive", "magic"), "magic"),
        (("reveal", "photos", "--seconds", "0"), "seconds is 0"),
        (("hide", "photos", "-o", "m", "--text", "x", "--max-megapixels", "0"), "above 0"),
        (("hide", "photos", "-o", "m"), "give one of --text and --file"),
        (("reveal", "photos", "-o", "a.png"), "give a folder for the outputs"),
        (("reveal", "photos/a.png"), "--jobs is 1: leave it out"),
    ],
)
def test_wrong_use(photos, run, monkeypatch, words, message):
    monkeypatch.setattr("sys.stdin", None)
    Path("empty").mkdir()
    before = sorted(Path().rglob("*"))
    lines, err = run(*words, code=2)
    assert (lines, err.count("\n")) == ([], 1)
    assert message in err
    assert sorted(Path().rglob("*")) == before
