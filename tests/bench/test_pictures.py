from __future__ import annotations

import os
from pathlib import Path

import pytest

from morebits.bench.pictures import collect, is_many
from morebits.errors import ImageError, InputError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("b.PNG", "a.jpg", ".hidden.png", "note.txt", "deep/c.tif", "empty/x.md"):
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    (tmp_path / "photos" / "folder.png").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        ("photos", ["a.jpg", "b.PNG"]),
        ("photos/", ["a.jpg", "b.PNG"]),
        (Path("photos"), ["a.jpg", "b.PNG"]),
        ("photos/../photos", ["a.jpg", "b.PNG"]),
        ("photos/*", ["a.jpg", "b.PNG"]),
        ("photos/**/*", ["a.jpg", "b.PNG", "deep/c.tif"]),
        ("photos/*.jpg", ["a.jpg"]),
        ("photos/a.jpg", ["a.jpg"]),
        (["photos/b.PNG", "photos/a.jpg", "./photos/a.jpg"], ["a.jpg", "b.PNG"]),
        (["photos", "photos/deep"], ["a.jpg", "b.PNG", "deep/c.tif"]),
        (["photos/note.txt"], ["note.txt"]),  # who names a file means it
    ],
)
def test_which_files(folder, sources, names):
    found = collect(sources)
    assert list(found.files) == names
    assert all(path.is_absolute() and path.is_file() for path in found.files.values())


def test_names_do_not_depend_on_where_one_stands(folder, monkeypatch):
    here = collect("photos").files
    monkeypatch.chdir("photos")
    assert collect(".").files == here
    assert collect(folder / "photos").files == here


def test_a_name_with_brackets_is_a_name(folder):
    Path("photos/a[1].png").write_bytes(b"")
    assert list(collect("photos/a[1].png").files) == ["a[1].png"]
    assert not is_many("photos/a[1].png")


def test_links_keep_their_names(folder):
    Path("links").mkdir()
    Path("links/z.png").symlink_to(folder / "photos" / "b.PNG")
    assert list(collect("links").files) == ["z.png"]


@pytest.mark.parametrize("sources", ["photos/empty", "photos/*.gif", [], "photos/empty/*"])
def test_no_pictures(folder, sources):
    with pytest.raises(ImageError, match="has no pictures; give a folder with some"):
        collect(sources)


@pytest.mark.parametrize("sources", ["nowhere", ["photos", "photos/no.png"], ""])
def test_no_such_file(folder, sources):
    with pytest.raises(ImageError, match=r"no such file or folder; check|has no pictures"):
        collect(sources)


def test_limit(folder):
    assert list(collect("photos", limit=1).files) == ["a.jpg"]
    assert len(collect("photos", limit=99).files) == 2
    for bad in (0, -1, 1.5, True):
        with pytest.raises(InputError, match="at least 1"):
            collect("photos", limit=bad)


def test_digests_tell_pictures_apart(folder):
    before = collect("photos").digests()
    assert len(set(before.values())) == 2
    Path("photos/a.jpg").write_bytes(b"another")
    after = collect("photos").digests()
    assert before["a.jpg"] != after["a.jpg"]
    assert before["b.PNG"] == after["b.PNG"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_file_that_cannot_be_read_has_no_digest(folder):
    Path("photos/a.jpg").chmod(0)
    assert collect("photos").digests()["a.jpg"] is None


def test_many_or_one(folder):
    assert is_many("photos")
    assert is_many("photos/*.png")
    assert not is_many("photos/a.jpg")
    assert not is_many("no.png")
