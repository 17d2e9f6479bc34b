"""Mosaic where the robust codec gives up."""

from __future__ import annotations

import numpy as np
import pytest

import morebits as mb
from morebits import cli, images
from morebits.attacks import parse
from morebits.codecs.robust import Robust
from morebits.errors import DoesNotFit
from morebits.neural.mosaic import instead

EDIT = "resize:0.71|jpeg:60"
PAYLOAD = np.random.default_rng(1).bytes(400)
BITS = np.unpackbits(np.frombuffer(PAYLOAD, np.uint8))


def test_hide_takes_it_and_reveal_finds_it(photo):
    """The robust codec alone loses 400 bytes there."""
    marked = mb.hide(photo, PAYLOAD, psnr=45, key="key", survive=EDIT, seconds=2)
    assert (marked.codec, marked.fragile) == ("mosaic", False)
    assert marked.psnr >= 45
    assert EDIT in marked.survives
    found = mb.reveal(parse(EDIT)(marked.image, seed=9), key="key", seconds=2)
    assert (found.codec, found.payload) == ("mosaic", PAYLOAD)
    assert not mb.reveal(parse(EDIT)(marked.image, seed=9), key="another", seconds=2)


def test_a_file_is_checked_with_it(photo, tmp_path):
    marked = mb.hide(photo, PAYLOAD, psnr=45, key="key", survive=EDIT, seconds=2)
    marked.save(tmp_path / "marked.jpg", quality=90)
    assert mb.reveal(tmp_path / "marked.jpg", key="key", codec="mosaic").payload == PAYLOAD


def test_the_command_line_says_who_took_over(photo, tmp_path, capsys):
    (tmp_path / "note.bin").write_bytes(PAYLOAD)
    words = ["hide", photo, "-o", tmp_path / "marked.png", "--file", tmp_path / "note.bin"]
    words += ["--psnr", 45, "--survive", EDIT]
    assert cli.main([str(word) for word in words]) == 0
    assert "note: mosaic took over" in capsys.readouterr().err


def test_what_neither_survives_is_refused(photo):
    with pytest.raises(DoesNotFit, match="bytes"):
        mb.hide(photo, PAYLOAD, psnr=45, survive="resize:0.3|jpeg:40", seconds=1)


def test_not_where_reveal_would_not_look_for_it(photo):
    """A small picture has a pilot too faint to be found after such an edit, though tiles are."""
    small = images.read(images.read(photo).array[:288, :288])
    bits = BITS[:800]
    robust = Robust(psnr=45, key="k", survive=EDIT)
    codec = mb.codec("mosaic", psnr=45, key="k")
    edited = parse(EDIT)(codec.embed(small, bits).image)
    assert codec.extract(edited).payload == PAYLOAD[:100]
    assert not mb.locate(edited, "k")
    assert instead.embed(small, bits, robust) is None


def test_not_without_edits(photo, monkeypatch):
    """A message that is too long for the untouched picture is refused at once."""
    monkeypatch.setattr(instead, "embed", lambda *_: pytest.fail("it was tried"))
    with pytest.raises(DoesNotFit):
        mb.hide(photo, np.random.default_rng(1).bytes(20_000), psnr=45, seconds=1)
