"""`morebits sign` and `morebits verify`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from PIL import Image

from morebits import cli, hiding
from morebits.errors import DoesNotFit
from morebits.provenance import trial


class Shell:
    """The command line in a folder of its own, which holds `photo.jpg`."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]):
        self.folder, self.capsys = folder, capsys

    def __call__(self, *words: str | Path) -> tuple[int, str, str]:
        """Exit code, stdout and stderr."""
        code = cli.main([str(word) for word in words])
        out, err = self.capsys.readouterr()
        return code, out, err

    def fails(self, *words: str | Path, code: int = 2) -> str:
        """The one line that it prints; no file is written."""
        before = sorted(self.folder.rglob("*"))
        found, out, err = self(*words)
        assert (found, out, err.count("\n")) == (code, "", 1), err
        assert sorted(self.folder.rglob("*")) == before
        return err.removeprefix("morebits: ").rstrip()


@pytest.fixture
def shell(tmp_path, photo, monkeypatch, capsys) -> Shell:
    shutil.copy(photo, tmp_path / "photo.jpg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return Shell(tmp_path, capsys)


@pytest.fixture
def own(tmp_path) -> list[str]:
    made = trial.write(tmp_path / "own", trial.make("Ann Example"))
    return ["--cert", str(made.cert), "--key", str(made.key)]


def test_from_the_cover_to_the_verdict(shell):
    words = ["--title", "Grace Hopper", "--creator", "US Navy", "--action", "c2pa.cropped"]
    code, out, err = shell("sign", "photo.jpg", "-o", "signed.jpg", *words,
                           "--test-certificate", "try")  # fmt: skip
    assert (code, err) == (
        0, "morebits: note: try/authority.pem: the authority of the test certificate\n"
    )  # fmt: skip
    assert "bytes, with the certificate" in out
    assert "'morebits test certificate'" in out

    assert shell("attack", "signed.jpg", "edited.jpg", "crop:0.8|jpeg:70")[0] == 0
    code, out, err = shell("verify", "edited.jpg", "--trust", "try/authority.pem")
    assert (code, err) == (0, "")
    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    assert lines[0][0] == "verdict"
    assert lines[0][1].startswith("trusted: signed by somebody you trust")
    for words in ("'Grace Hopper'", "'US Navy'", "c2pa.cropped", "it was stripped", "revoked"):
        assert words in out

    code, out, _ = shell("verify", "edited.jpg", "--json")
    plain = json.loads(out)
    assert (code, plain["verdict"]) == (1, "untrusted")
    assert plain["claim"]["title"] == "Grace Hopper"


def test_a_reference_as_json(shell, own):
    words = ["--certificate", "reference", "--survive", "none", "--json", *own]
    code, out, err = shell("sign", "photo.jpg", "-o", "signed.png", *words)
    assert (code, err) == (0, "")
    plain = json.loads(out)
    assert (plain["certificate"], plain["signer"]) == ("reference", "Ann Example")
    assert plain["survives"] == ["none"]
    code, out, _ = shell("verify", "signed.png")
    assert code == 1
    assert "could not be checked" in out
    assert shell("verify", "signed.png", "--trust", own[1])[0] == 0
    words.remove("--json")
    said = shell("sign", "photo.jpg", "-o", "again.png", *words)[1]
    assert "certificate by reference: verify with --trust CERT" in " ".join(said.split())


def test_nothing_to_find(shell):
    Image.open("photo.jpg").crop((0, 0, 80, 80)).save("small.png")
    code, out, err = shell("verify", "small.png", "--seconds", "1")
    assert (code, err) == (1, "")
    assert out.startswith("verdict  nothing: no manifest was found in the pixels")


def test_a_key_with_a_password(shell, own, monkeypatch):
    key = Path(own[3])
    plain = load_pem_private_key(key.read_bytes(), None)
    lock = BestAvailableEncryption(b"sw\xc3\xb6rdfish")
    key.write_bytes(plain.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock))
    Path("right").write_text("swördfish\n")
    Path("wrong").write_text("other\n")
    monkeypatch.setattr(hiding, "hide", lambda *_args, **_options: 1 / 0)
    words = ["sign", "photo.jpg", "-o", "out.jpg", *own]
    assert "the key is encrypted; give its password (--password-file)" in shell.fails(*words)
    assert "the password is wrong" in shell.fails(*words, "--password-file", "wrong")
    with pytest.raises(ZeroDivisionError):
        shell(*words, "--password-file", "right")


def test_what_does_not_fit_is_one_line(shell, own, monkeypatch):
    def hide(*_args, **_options):
        raise DoesNotFit("the payload, at 45 dB,", 600, 90, "bytes", "shorten the payload")

    monkeypatch.setattr(hiding, "hide", hide)
    said = shell.fails("sign", "photo.jpg", "-o", "out.jpg", *own, "--title", "Long", code=1)
    assert said.startswith("the manifest (certificate by reference), at 45 dB, needs 2")
    assert "90 fit; leave out the title (4 bytes), ask for milder edits" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "out.jpg"], "--cert is None: give a file, or try it out with --test-certificate"),
        (["-o", "out.jpg", "--cert", "c.pem"], "--key is None: give a file"),
        (["-o", "out.jpg", "--cert", "c.pem", "--key", "k.pem"], "c.pem: cannot be read (No such"),
        (["-o", "out.jpg", "--key", "k", "--test-certificate", "try"], "--test-certificate is"),
        (["-o", "out.gif", "--test-certificate", "try"], "unknown suffix of a signed picture"),
        (["-o", "photo.jpg", "--test-certificate", "try"], "photo.jpg: is the cover itself"),
        (["-o", "out.jpg", "--test-certificate", "no/such"], "no/such: cannot be made"),
        (["-o", "out.jpg", "--quality", "0", "--test-certificate", "t"], "quality is 0"),
    ],
)
def test_wrong_use_of_sign(shell, words, said):
    assert shell.fails("sign", "photo.jpg", *words).startswith(said)


def test_wrong_use_of_verify(shell):
    assert shell.fails("verify", "none.jpg").startswith("none.jpg: no such file")
    assert "c.pem: cannot be read" in shell.fails("verify", "photo.jpg", "--trust", "c.pem")
    assert "seconds is -1" in shell.fails("verify", "photo.jpg", "--seconds", "-1")


def test_help_has_examples(capsys):
    for verb in ("sign", "verify"):
        assert cli.main([verb, "--help"]) == 0
        assert "morebits verify edited.jpg --trust authority.pem" in capsys.readouterr().out
