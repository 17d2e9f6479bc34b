from __future__ import annotations

import pytest

from morebits.errors import FileNotWritten
from morebits.provenance import trial
from morebits.provenance.certificates import load_certificates, load_signer


def test_the_key_is_for_nobody_else(tmp_path):
    made = trial.write(tmp_path / "new")
    assert made.key.stat().st_mode & 0o077 == 0
    assert made.key.parent.stat().st_mode & 0o077 == 0


def test_every_one_is_another(tmp_path):
    one, two = (trial.write(tmp_path / each) for each in "ab")
    assert one.key.read_bytes() != two.key.read_bytes()
    assert load_certificates(one.authority) == load_certificates(one.cert)[1:]
    assert load_signer(one.cert, one.key).certificate == load_certificates(one.cert)[0]


def test_only_new_folders(tmp_path):
    with pytest.raises(FileNotWritten, match="give the name of a new folder"):
        trial.write(tmp_path)
    with pytest.raises(FileNotWritten, match="cannot be made"):
        trial.write(tmp_path / "no" / "such")
