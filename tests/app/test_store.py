from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from morebits.app import store as module
from morebits.app.store import NotKept, Store, shown_name


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, monkeypatch, clock):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = Store(keep_seconds=60, max_bytes=1000, clock=clock)
    yield made
    made.close()


def filled(store, size, **options):
    kept = store.new("picture", "a.png", **options)
    (kept.folder / "upload").write_bytes(bytes(size))
    return kept


def test_the_folder_is_private_and_goes_with_everything_in_it(store):
    kept = filled(store, 10)
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert kept.folder.parent == store.folder
    store.close()
    assert not store.folder.exists()


def test_names_cannot_be_guessed_and_are_not_paths(store):
    first, second = store.new("picture", "../../x"), store.new("picture", "../../x")
    assert first.id != second.id
    assert len(first.id) >= 22
    assert first.name == "x"
    assert first.folder.parent == store.folder


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a/b/c.png", "c.png"),
        ("..\\..\\c.png", "c.png"),
        ("two\nlines\x00.png", "twolines.png"),
        ("...", "picture"),
        ("ü und 猫.jpg", "ü und 猫.jpg"),
    ],
)
def test_shown_names(given, shown):
    assert shown_name(given) == shown
    assert len(shown_name("long" * 100)) <= 120


def test_what_is_not_used_goes(store, clock):
    old, used = filled(store, 1), filled(store, 1)
    clock.now = 50
    store.get(used.id)
    clock.now = 70
    store.sweep()
    assert store.get(used.id) is used
    assert not old.folder.exists()
    with pytest.raises(NotKept, match="it is no longer kept, give it again"):
        store.get(old.id)


def test_what_is_needed_stays_with_what_needs_it(store, clock):
    cover = filled(store, 1)
    marked = filled(store, 1, needs=(cover.id,))
    clock.now = 50
    store.get(marked.id)
    clock.now = 70
    store.sweep()
    assert store.get(cover.id) is cover


def test_the_oldest_go_when_there_is_too_much(store, clock):
    kept = []
    for clock.now in range(3):
        kept.append(filled(store, 450))
    store.sweep()
    assert not kept[0].folder.exists()
    assert kept[1].folder.exists()
    assert kept[2].folder.exists()


def test_secrets_count_and_are_forgotten(store, clock):
    kept = store.new("payload", "a")
    kept.secret["payload"] = bytes(2000)
    store.sweep()
    assert kept.secret == {}


@pytest.mark.parametrize("id", [None, 3, "", "nobody", ["a"]])
def test_unknown_names(store, id):
    with pytest.raises(NotKept):
        store.get(id)


def test_another_kind_is_as_good_as_nothing(store):
    kept = store.new("payload", "a")
    with pytest.raises(NotKept):
        store.get(kept.id, "picture", "marked")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX processes")
def test_folders_of_dead_pages_are_removed_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                          capture_output=True, text=True, check=True).stdout.strip()  # fmt: skip
    names = [f"morebits-app-{dead}-a", f"morebits-app-{os.getpid()}-b", "morebits-app-x-c", "other"]
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / f"morebits-app-{dead}-link").symlink_to(tmp_path / "other")
    module.remove_orphans()
    left = {path.name for path in Path(tmp_path).iterdir()}
    assert left == {*names[1:], f"morebits-app-{dead}-link"}
