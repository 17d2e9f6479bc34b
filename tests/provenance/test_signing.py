from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from PIL import Image

import morebits as mb
from morebits import hiding, images
from morebits.errors import (
    CertificateError,
    DoesNotFit,
    FileNotWritten,
    ImageError,
    InputError,
    UnknownName,
)
from morebits.provenance import embedded, sealed, signing, trial


@pytest.fixture
def own(tmp_path, ann):
    files = trial.write(tmp_path / "ann", ann)
    return {"cert": files.cert, "key": files.key}


@pytest.fixture
def never(monkeypatch):
    """What is wrong is said before any work is done."""

    def fail(*_args, **_options):
        raise AssertionError("too late")

    monkeypatch.setattr(hiding, "hide", fail)


def test_what_comes_back(whole):
    done = whole.signed
    assert done.certificate == "whole"
    assert done.signer == "Ann Example"
    assert done.psnr == pytest.approx(45, abs=0.05)
    assert done.survives == ("none", "jpeg:70|crop:0.8")
    assert (done.claim.title, done.claim.creator) == ("Grace Hopper", "US Navy")
    assert done.claim.actions == ("c2pa.cropped",)
    assert abs(datetime.now(UTC) - done.claim.time) < timedelta(minutes=10)
    assert 500 < done.hidden_bytes < 720 < done.file_bytes


def test_the_manifest_itself_is_in_the_pixels(whole):
    """Not a number that some registry would have to know."""
    payload = mb.reveal(whole.signed.path, codec="robust").payload
    assert payload is not None
    assert len(payload) == whole.signed.hidden_bytes
    manifest = sealed.unseal(payload)
    assert manifest.claim == whole.signed.claim
    assert manifest.made_with(whole.signer.certificate)


def test_a_reference_is_shorter_and_names_the_signer(reference):
    assert reference.signed.certificate == "reference"
    assert reference.signed.claim.signer == "Bob Example"
    assert 150 < reference.signed.hidden_bytes < 250


def test_the_soft_binding_is_declared(whole):
    found = embedded.read(whole.signed.path)
    assert found is not None
    assert found.state == "Valid"
    assert len(found.marks) == 1


def test_the_cover_stays_as_it_is(photo, whole):
    cover, made = images.read(photo), images.read(whole.signed.path)
    assert cover.array.shape == made.array.shape
    assert not np.array_equal(cover.array, made.array)
    assert embedded.read(photo) is None


class TestFits:
    """What is hidden, without really hiding it."""

    @pytest.fixture
    def room(self, monkeypatch):
        def with_room(capacity):
            def hide(_picture, data, **_options):
                if len(data) > capacity:
                    fix = "shorten"
                    what = "the payload, at 45 dB and after jpeg:70,"
                    raise DoesNotFit(what, len(data), capacity, "bytes", fix)
                return data

            monkeypatch.setattr(hiding, "hide", hide)

        return with_room

    def hidden(self, ann, claim, certificate="auto"):
        return signing._hidden(images.read(np.zeros((9, 9), np.uint8)), claim, ann, certificate, {})

    def test_the_whole_certificate_if_it_fits(self, room, ann, claim):
        room(1000)
        assert self.hidden(ann, claim)[0] == "whole"
        assert self.hidden(ann, claim, "reference")[0] == "reference"

    def test_a_reference_if_not(self, room, ann, claim):
        room(300)
        kind, data, _ = self.hidden(ann, claim)
        assert (kind, sealed.unseal(data).claim.signer) == ("reference", "Ann Example")

    def test_the_whole_one_was_insisted_on(self, room, ann, claim):
        room(300)
        message = (
            r"the manifest \(whole certificate\), at 45 dB and after jpeg:70, needs \d+ bytes, "
            r"300 fit; give the certificate by reference \(.*\), leave out the title \(7 bytes\)"
        )
        with pytest.raises(DoesNotFit, match=message):
            self.hidden(ann, claim, "whole")

    def test_not_even_that(self, room, ann, claim):
        room(100)
        with pytest.raises(DoesNotFit) as error:
            self.hidden(ann, claim)
        assert error.value.capacity == 100
        assert error.value.needed == 243 + 13  # the signer's name
        assert "creator (3 bytes), the actions (26 bytes), ask for milder" in error.value.fix


def test_a_picture_that_is_too_small(own, tmp_path, photo):
    small = images.read(photo).array[100:200, 100:200]
    with pytest.raises(DoesNotFit, match=r"the manifest \(certificate by reference\), at 45 dB"):
        mb.sign(small, tmp_path / "out.png", certificate="reference", survive=(), **own)
    assert not (tmp_path / "out.png").exists()


@pytest.mark.parametrize("suffix", [".png", ".webp", ".tif", ".avif"])
def test_other_files(tmp_path, photo, own, suffix, bob):
    """Of a picture that is in no file, too."""
    cover = np.ascontiguousarray(images.read(photo).array[:400, :400])
    out = tmp_path / f"out{suffix}"
    mb.sign(cover, out, certificate="reference", survive=(), **own)
    found = mb.verify(out, trust=[own["cert"]])
    assert (found.verdict, found["file"].holds) == ("trusted", True)


def test_covers_that_c2pa_does_not_know(tmp_path, photo, own):
    cover = tmp_path / "cover.bmp"
    Image.open(photo).crop((0, 0, 400, 400)).save(cover)
    mb.sign(cover, tmp_path / "out.jpg", certificate="reference", survive=(), **own)
    found = embedded.read(tmp_path / "out.jpg")
    assert found is not None
    assert found.state == "Valid"


@pytest.mark.usefixtures("never")
class TestRefused:
    def test_other_suffixes(self, photo, tmp_path, own):
        with pytest.raises(UnknownName, match=r"suffix of a signed picture '.bmp': .*\.avif, "):
            mb.sign(photo, tmp_path / "out.bmp", **own)

    def test_files_that_exist(self, photo, tmp_path, own):
        out = tmp_path / "out.jpg"
        out.write_text("mine")
        with pytest.raises(FileNotWritten, match="exists"):
            mb.sign(photo, out, **own)
        assert out.read_text() == "mine"

    def test_the_cover_itself(self, tmp_path, photo, own):
        out = tmp_path / "photo.jpg"
        out.write_bytes(photo.read_bytes())
        with pytest.raises(FileNotWritten, match="is the cover itself"):
            mb.sign(out, out, force=True, **own)

    def test_words(self, photo, tmp_path, own):
        out = tmp_path / "out.jpg"
        with pytest.raises(InputError, match="title"):
            mb.sign(photo, out, title="x" * 201, **own)
        with pytest.raises(InputError, match="give a list of names"):
            mb.sign(photo, out, actions="c2pa.cropped", **own)
        with pytest.raises(InputError, match="as in C2PA"):
            mb.sign(photo, out, actions=["cropped"], **own)
        with pytest.raises(UnknownName, match="unknown certificate"):
            mb.sign(photo, out, certificate="some", **own)

    def test_certificates(self, photo, tmp_path, own):
        with pytest.raises(CertificateError, match="cannot be read"):
            mb.sign(photo, tmp_path / "out.jpg", **(own | {"key": tmp_path / "none"}))

    def test_what_is_no_picture(self, tmp_path, own):
        with pytest.raises(ImageError):
            mb.sign(own["cert"], tmp_path / "out.jpg", **own)


def test_a_file_whose_pixels_changed_is_not_written(tmp_path, photo, own, monkeypatch):
    """Whatever c2pa-python may do one day."""

    def add(path, *_rest):
        other = io.BytesIO()
        Image.open(path).transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(other, "PNG")
        return other.getvalue(), 1

    monkeypatch.setattr(embedded, "add", add)
    cover = np.ascontiguousarray(images.read(photo).array[:400, :400])
    with pytest.raises(ImageError, match="are others"):
        mb.sign(cover, tmp_path / "out.png", certificate="reference", survive=(), **own)
    assert not (tmp_path / "out.png").exists()
