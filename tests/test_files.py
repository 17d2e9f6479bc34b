"""Files appear whole or not at all; the faults are real ones of the system where possible."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from morebits import files
from morebits.errors import FileNotWritten, ImageError, MorebitsError

not_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


def refused(path, data=b"new", **options) -> str:
    """The message for a write that is refused: one line, and the folder is as it was."""
    with pytest.raises(FileNotWritten) as caught:
        files.write_bytes(path, data, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert isinstance(caught.value, MorebitsError)
    assert isinstance(caught.value, OSError)
    return message


def listing(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


class TestWritten:
    @pytest.mark.parametrize("data", [b"", b"a", bytes(range(256)) * 1000])
    @pytest.mark.parametrize("force", [False, True])
    def test_new_file(self, tmp_path, data, force):
        files.write_bytes(tmp_path / "a", data, force=force)
        assert listing(tmp_path) == {"a": data}

    def test_text_paths_and_the_current_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        files.write_bytes("a", b"1")
        assert listing(tmp_path) == {"a": b"1"}

    def test_permissions_follow_the_umask(self, tmp_path):
        before = os.umask(0o027)
        try:
            files.write_bytes(tmp_path / "a", b"")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640

    def test_force_replaces_and_keeps_the_permissions(self, tmp_path):
        path = tmp_path / "a"
        path.write_bytes(b"old")
        path.chmod(0o600)
        files.write_bytes(path, b"new", force=True)
        assert listing(tmp_path) == {"a": b"new"}
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_force_follows_a_link(self, tmp_path):
        inner = tmp_path / "inner"
        inner.mkdir()
        (inner / "real").write_bytes(b"old")
        (tmp_path / "link").symlink_to(inner / "real")
        files.write_bytes(tmp_path / "link", b"new", force=True)
        assert (tmp_path / "link").is_symlink()
        assert listing(inner) == {"real": b"new"}

    def test_the_longest_name(self, tmp_path):
        files.write_bytes(tmp_path / ("a" * 255), b"1")
        assert listing(tmp_path) == {"a" * 255: b"1"}

    @pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP])
    def test_without_hard_links(self, tmp_path, monkeypatch, number):
        def no_links(source, target):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "link", no_links)
        files.write_bytes(tmp_path / "a", b"1")
        assert listing(tmp_path) == {"a": b"1"}
        assert "exists" in refused(tmp_path / "a")


class TestRefused:
    def test_an_existing_file(self, tmp_path):
        (tmp_path / "a").write_bytes(b"old")
        message = refused(tmp_path / "a")
        assert message.endswith(
            "a: exists; choose another name, or overwrite it with force (--force)"
        )
        assert listing(tmp_path) == {"a": b"old"}

    def test_a_dangling_link_is_a_file_in_the_way(self, tmp_path):
        (tmp_path / "a").symlink_to(tmp_path / "b")
        assert "exists" in refused(tmp_path / "a")
        files.write_bytes(tmp_path / "a", b"1", force=True)
        assert (tmp_path / "b").read_bytes() == b"1"

    @pytest.mark.parametrize("links", [True, False], ids=["link", "no-link"])
    def test_a_file_that_appears_meanwhile(self, tmp_path, monkeypatch, links):
        sync = os.fsync

        def someone_else(handle):
            (tmp_path / "a").write_bytes(b"theirs")
            sync(handle)

        def no_links(source, target):
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "fsync", someone_else)
        if not links:
            monkeypatch.setattr(os, "link", no_links)
        assert "exists" in refused(tmp_path / "a")
        assert listing(tmp_path) == {"a": b"theirs"}

    @pytest.mark.parametrize("force", [False, True])
    def test_directories_and_devices(self, tmp_path, force):
        assert "is a directory" in refused(tmp_path, force=force)
        assert "is not a regular file" in refused("/dev/null", force=force)
        assert Path("/dev/null").is_char_device()
        assert "its folder does not exist; make" in refused(tmp_path / "no" / "a", force=force)
        (tmp_path / "file").touch()
        assert "its folder does not exist" in refused(tmp_path / "file" / "a", force=force)

    def test_impossible_names(self, tmp_path):
        assert "choose a shorter name" in refused(tmp_path / ("a" * 300))
        assert "cannot be written (embedded null byte)" in refused("a\0b")
        (tmp_path / "a\nb").touch()
        assert r"a\nb" in refused(tmp_path / "a\nb")

    @not_root
    def test_no_permission(self, tmp_path):
        folder = tmp_path / "closed"
        folder.mkdir()
        folder.chmod(0o500)
        for force in (False, True):
            message = refused(folder / "a", force=force)
            assert "Permission denied" in message
            assert "choose a folder that you may write to" in message

    def test_no_permission_is_known_before(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(FileNotWritten, match="Permission denied"):
            files.check_target(tmp_path / "a")

    def test_the_check_alone_writes_nothing(self, tmp_path):
        files.check_target(tmp_path / "a")
        files.check_target(tmp_path / "a", force=True)
        assert listing(tmp_path) == {}


class TestCheck:
    def test_it_sees_the_whole_file_before_anyone_else(self, tmp_path):
        seen: list[bytes] = []

        def check(part):
            assert not (tmp_path / "a").exists()
            seen.append(part.read_bytes())

        files.write_bytes(tmp_path / "a", b"new", check=check)
        assert seen == [b"new"]
        assert listing(tmp_path) == {"a": b"new"}

    @pytest.mark.parametrize("error", [ImageError("a", "is bad", "fix it"), RuntimeError("bad")])
    def test_its_error_comes_out_and_leaves_what_was_there(self, tmp_path, error):
        def check(part):
            raise error

        (tmp_path / "a").write_bytes(b"old")
        with pytest.raises(type(error), match="bad"):
            files.write_bytes(tmp_path / "a", b"new", force=True, check=check)
        assert listing(tmp_path) == {"a": b"old"}


class TestFaults:
    @pytest.mark.parametrize("force", [False, True])
    def test_a_real_limit_on_the_size_of_files(self, tmp_path, force):
        """The system itself refuses to write more than 1000 bytes."""
        if force:
            (tmp_path / "a").write_bytes(b"old")
        code = (
            "import sys; from morebits import files\n"
            "try: files.write_bytes(sys.argv[1], bytes(99999), force=bool(int(sys.argv[2])))\n"
            "except files.FileNotWritten as error: sys.exit(str(error))"
        )

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        run = subprocess.run(
            [sys.executable, "-B", "-c", code, tmp_path / "a", str(int(force))],
            preexec_fn=limit,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "cannot be written (File too large); choose another disk" in run.stderr
        assert listing(tmp_path) == ({"a": b"old"} if force else {})

    @pytest.mark.parametrize("force", [False, True])
    @pytest.mark.parametrize("step", ["sync", "move"])
    def test_disk_full(self, tmp_path, monkeypatch, force, step):
        def full(*arguments):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        (tmp_path / "a").write_bytes(b"old")
        target = tmp_path / ("a" if force else "b")
        if step == "sync":
            monkeypatch.setattr(os, "fsync", full)
        else:
            monkeypatch.setattr(os, "link", full)
            monkeypatch.setattr(Path, "replace", full)
        message = refused(target, force=force)
        assert "cannot be written (No space left on device); make room" in message
        assert listing(tmp_path) == {"a": b"old"}

    def test_the_reserved_name_is_given_back(self, tmp_path, monkeypatch):
        def no_links(source, target):
            raise OSError(errno.EPERM, "no links here")

        def full(*arguments):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "link", no_links)
        monkeypatch.setattr(Path, "replace", full)
        assert "No space left" in refused(tmp_path / "a")
        assert listing(tmp_path) == {}

    def test_a_filler_may_put_another_file_in_place(self, tmp_path):
        """As safetensors does: the result still has the permissions of any new file."""

        def fill(part):
            other = part.with_suffix(".other")
            other.touch(0o600)
            other.write_bytes(b"new")
            other.replace(part)

        (tmp_path / "plain").touch()
        files.write_with(tmp_path / "out", fill)
        assert (tmp_path / "out").read_bytes() == b"new"
        modes = [(tmp_path / name).stat().st_mode for name in ("out", "plain")]
        assert modes[0] == modes[1]

    def test_ctrl_c_leaves_nothing(self, tmp_path, monkeypatch):
        def interrupted(handle):
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            files.write_bytes(tmp_path / "a", b"1")
        assert listing(tmp_path) == {}
