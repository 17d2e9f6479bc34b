"""What is trusted, and all that is not: the attacks of somebody who wants to be believed."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from PIL import Image

import morebits as mb
from morebits import hiding, images
from morebits.attacks import parse
from morebits.errors import CertificateError, InputError, MorebitsError
from morebits.provenance import embedded, sealed, trial
from morebits.provenance.description import Likeness, describe
from morebits.provenance.verifying import judge
from morebits.types import Extraction

SAME = Likeness("same", 190, 0, 0.99, 0.0)
NOW = datetime.now(UTC)


@pytest.fixture
def found_in(monkeypatch):
    """Pixels that hold given bytes, without hiding them: the reader is tested elsewhere."""

    def hold(payload: bytes):
        details = {"edits": [], "matrix": np.eye(2, 3).tolist()}
        found = Extraction("found", "robust", payload=payload, details=details)
        monkeypatch.setattr(hiding, "reveal", lambda *_args, **_options: found)

    return hold


def edited(case, tmp_path, edit: str, seed: int = 3):
    """A copy after an edit, in a file without any metadata."""
    out = tmp_path / "edited.png"
    Image.fromarray(parse(edit)(images.read(case.signed.path).array, seed=seed)).save(out)
    assert embedded.read(out) is None
    return out


class TestReal:
    """With photos that were really signed, edited and read."""

    def test_the_signed_file(self, whole):
        found = mb.verify(whole.signed.path, trust=[whole.files.authority])
        assert found
        assert (found.verdict, found.signer) == ("trusted", "Ann Example")
        assert found.claim == whole.signed.claim
        assert found.fingerprint == whole.signed.fingerprint
        assert all(each.holds for each in found.checks)
        assert "agrees with the pixels" in found["file"].words

    @pytest.mark.parametrize("edit", ["jpeg:70|crop:0.8", "crop:0.8|jpeg:70", "resize:0.8|jpeg:80"])
    def test_stripped_compressed_and_cut(self, whole, tmp_path, edit):
        found = mb.verify(edited(whole, tmp_path, edit), trust=[whole.files.authority])
        assert found.verdict == "trusted"
        assert found.claim == whole.signed.claim
        assert found.edits
        assert (found["file"].holds, found.embedded) == (None, None)

    def test_without_anybody_to_trust(self, whole, tmp_path):
        found = mb.verify(edited(whole, tmp_path, "jpeg:70"))
        assert not found
        assert found.verdict == "untrusted"
        assert "calls itself 'Ann Example', and nobody vouches" in found["signer"].words

    def test_with_somebody_else_to_trust(self, whole, bob):
        found = mb.verify(whole.signed.path, trust=bob.chain)
        assert found.verdict == "untrusted"

    def test_a_reference_without_its_certificate(self, reference):
        for trust in ([], [reference.files.authority]):
            found = mb.verify(reference.signed.path, trust=trust)
            assert (found.verdict, found["signature"].holds) == ("unchecked", None)
            assert (found.claim, found.signer) == (None, None)
            assert "could not be checked" in found["signature"].words
            assert "said to be that of 'Bob Example'" in found["signature"].words

    def test_a_reference_with_its_certificate(self, reference, tmp_path):
        found = mb.verify(edited(reference, tmp_path, "jpeg:80"), trust=[reference.files.cert])
        assert (found.verdict, found.signer) == ("trusted", "Bob Example")

    def test_transplanted_into_another_picture(self, whole, tmp_path, photo):
        """Anyone can read a mark and hide it again, elsewhere."""
        payload = mb.reveal(whole.signed.path, codec="robust").payload
        assert payload is not None
        other = np.ascontiguousarray(images.read(photo).array[::-1, ::-1])
        out = tmp_path / "other.png"
        mb.hide(other, payload, psnr=42, survive=()).save(out)
        found = mb.verify(out, trust=[whole.files.authority])
        assert (found.verdict, found["signature"].holds) == ("invalid", True)
        assert "not the signed one, or hardly to be recognised" in found["picture"].words

    def test_changed_in_one_place(self, whole, tmp_path):
        picture = images.read(whole.signed.path).array.copy()
        picture[40:120, 40:120] = 255 - picture[40:120, 40:120]
        out = tmp_path / "changed.png"
        Image.fromarray(picture).save(out)
        found = mb.verify(out, trust=[whole.files.authority])
        assert (bool(found), found.verdict) == (False, "changed")
        assert "parts look different" in found["picture"].words

    def test_edited_with_its_metadata_kept(self, whole, tmp_path):
        """The manifest of the file does not fit any more; that of the pixels does."""
        data = bytearray(whole.signed.path.read_bytes())
        out = tmp_path / "kept.jpg"
        data[-3000] ^= 4
        out.write_bytes(data)
        found = mb.verify(out, trust=[whole.files.authority])
        assert "does not fit the file" in found["file"].words
        assert found["file"].holds is None
        assert found["signature"].holds

    def test_the_metadata_of_another_signed_picture(self, whole, reference, tmp_path):
        """Pixels of one, manifest of the other."""
        picture = tmp_path / "picture.jpg"
        Image.open(whole.signed.path).save(picture, quality=90)
        foreign = reference.signed.path.read_bytes()
        begin = foreign.index(b"\xff\xeb")  # APP11, where JPEG keeps C2PA
        length = int.from_bytes(foreign[begin + 2 : begin + 4], "big") + 2
        plain = picture.read_bytes()
        picture.write_bytes(plain[:2] + foreign[begin : begin + length] + plain[2:])
        found = mb.verify(picture, trust=[whole.files.authority])
        assert (found.verdict, found["file"].holds) == ("invalid", False)
        assert "belongs to another mark" in found["file"].words

    def test_a_picture_that_was_never_signed(self, photo):
        found = mb.verify(images.read(photo).array[:90, :90], seconds=0.5)
        assert (found.verdict, found.claim, found.signer) == ("nothing", None, None)
        assert "nothing found in the pixels in 0.5 seconds" in found["hidden"].words


class TestForged:
    """No byte, no part and no mixture of a manifest is ever reported as trusted."""

    @pytest.fixture(params=[True, False], ids=["whole", "reference"])
    def payload(self, request, claim, ann):
        named = claim if request.param else replace(claim, signer="Ann Example")
        return sealed.seal(named, ann, whole=request.param)

    def test_as_it_was_signed(self, payload, small, ann, found_in):
        found_in(payload)
        assert mb.verify(small, trust=ann.chain).verdict == "trusted"

    def test_every_byte(self, payload, small, ann, found_in):
        for place in range(len(payload)):
            other = bytearray(payload)
            other[place] ^= 1 << place % 8
            found_in(bytes(other))
            assert self.refused(small, ann.chain), place

    def test_every_length(self, payload, small, ann, found_in):
        for length in range(len(payload)):
            found_in(payload[:length])
            assert mb.verify(small, trust=ann.chain).verdict == "invalid"

    def test_something_else_is_hidden(self, small, ann, found_in):
        found_in(b"made by me")
        found = mb.verify(small, trust=ann.chain)
        assert (found.verdict, found["hidden"].holds) == ("invalid", False)
        assert "10 bytes are hidden, but no manifest" in found["hidden"].words

    def test_every_other_picture(self, payload, small, ann, found_in):
        found_in(payload)
        for other in (small[::-1], small[:, ::-1], 255 - small, np.full_like(small, 90)):
            found = mb.verify(np.ascontiguousarray(other), trust=ann.chain)
            assert found.verdict == "invalid"

    def test_the_description_of_another_picture(self, claim, small, ann, found_in):
        """A signer who describes another size: the parts do not fit its description."""
        found_in(sealed.seal(replace(claim, width=1000, height=7), ann, whole=True))
        assert mb.verify(small, trust=ann.chain).verdict == "invalid"

    def test_a_name_that_is_not_that_of_the_certificate(self, claim, small, ann, found_in):
        found_in(sealed.seal(replace(claim, signer="Somebody Famous"), ann, whole=False))
        found = mb.verify(small, trust=ann.chain)
        assert (found.verdict, found.claim, found.signer) == ("invalid", None, None)
        assert "the name is not that" in found["signature"].words

    def test_a_certificate_of_the_same_name(self, claim, small, ann, found_in):
        """Mallory calls herself Ann."""
        mallory = trial.make("Ann Example")
        found_in(sealed.seal(claim, mallory, whole=True))
        assert mb.verify(small, trust=ann.chain).verdict == "untrusted"

    def refused(self, image, trust) -> bool:
        try:
            found = mb.verify(image, trust=trust)
            assert (found.claim, found.signer, found.fingerprint) == (None, None, None)
            return found.verdict in ("invalid", "unchecked")
        except MorebitsError:  # of a version that does not exist
            return True


class TestTimes:
    def seen(self, claim, small, signer, found_in, trust=None):
        found_in(sealed.seal(claim, signer, whole=True))
        return mb.verify(small, trust=signer.chain if trust is None else trust)

    def test_an_expired_certificate(self, claim, small, found_in):
        """Nobody can say that it was signed before: without a timestamp it ends with it."""
        begin = NOW - timedelta(days=60)
        old = trial.make("Old", start=begin)
        found = self.seen(replace(claim, time=begin + timedelta(days=3)), small, old, found_in)
        assert (found.verdict, found["time"].holds) == ("untrusted", True)
        assert "the certificate expired on" in found["signer"].words

    @pytest.mark.parametrize("days", [-2, 2], ids=["before the certificate", "in the future"])
    def test_times_that_cannot_be(self, claim, small, ann, found_in, days):
        when = (NOW + timedelta(days=days)).replace(microsecond=0)
        found = self.seen(replace(claim, time=when), small, ann, found_in)
        assert (found.verdict, found["time"].holds) == ("invalid", False)


class TestWords:
    def test_of_strangers_cannot_reach_a_terminal(self, claim, small, found_in):
        evil = trial.make("A\x1b[2J\u202ennA")
        found_in(sealed.seal(claim, evil, whole=True))
        found = mb.verify(small)
        assert all(each.words.isprintable() for each in found.checks)
        assert "\\x1b" in found["signer"].words

    def test_as_json(self, claim, small, ann, found_in):
        found_in(sealed.seal(claim, ann, whole=True))
        plain = json.loads(json.dumps(mb.verify(small, trust=ann.chain).to_dict()))
        assert plain["verdict"] == "trusted"
        assert plain["claim"]["actions"] == ["c2pa.cropped", "com.acme.blur"]
        assert plain["checks"]["signature"]["holds"] is True
        assert len(plain["unchecked"]) == 4

    def test_too_little_to_compare(self, claim, ann, found_in, small):
        flat = np.full_like(small, 100)
        found_in(sealed.seal(replace(claim, description=describe(flat)), ann, whole=True))
        found = mb.verify(flat, trust=ann.chain)
        assert (found.verdict, found["picture"].holds) == ("unchecked", None)


class TestFile:
    """What the manifest of the file says beside that of the pixels."""

    def test_signed_by_somebody_else(self, claim, ann):
        data = sealed.seal(claim, ann, whole=True)
        mark = base64.b64encode(data).decode()
        own = str(ann.certificate.serial_number)
        cases = (
            ((), (mark, own), True, "trusted", "agrees"),
            ((), (mark, "123"), False, "invalid", "which another one signed"),
            ((), ("b3RoZXI=", own), False, "invalid", "another mark"),
            (("claimSignature.mismatch",), (mark, own), None, "trusted", "does not hold (claim"),
        )
        for problems, pair, holds, verdict, words in cases:
            file = embedded.Embedded("Valid", problems, "Ann Example", own, (pair,))
            found = judge(sealed.unseal(data), data, SAME, ann.chain, NOW, file=file)
            assert (found["file"].holds, found.verdict) == (holds, verdict)
            assert words in found["file"].words

    def test_the_mark_is_gone(self, whole, monkeypatch):
        """The file still says that there was one."""
        gone = Extraction("nothing", "robust", details={"tried": ["robust"]})
        monkeypatch.setattr(hiding, "reveal", lambda *_args, **_options: gone)
        found = mb.verify(whole.signed.path, trust=[whole.files.authority])
        assert (found.verdict, found["file"].holds) == ("nothing", None)
        assert "names a mark that was not found in the pixels" in found["file"].words


class TestArguments:
    def test_trust(self, small, tmp_path):
        for one in ("ca.pem", tmp_path / "ca.pem"):
            with pytest.raises(InputError, match="give a list of files"):
                mb.verify(small, trust=one)
        with pytest.raises(CertificateError, match="cannot be read"):
            mb.verify(small, trust=[tmp_path / "none.pem"])

    def test_seconds(self, small):
        with pytest.raises(InputError, match="seconds"):
            mb.verify(small, seconds=0)
