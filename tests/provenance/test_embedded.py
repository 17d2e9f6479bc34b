"""The C2PA manifest of the file, as c2pa-python itself reads it."""

from __future__ import annotations

import http.server
import io
import json
import sys
import threading

import c2pa
import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from morebits.errors import BrokenPackage, CertificateError, ImageError, MissingExtra
from morebits.provenance import embedded


@pytest.fixture
def manifest():
    return embedded.definition(
        title="A title", creator="Ann", actions=["c2pa.cropped"], mark="bWFyaw==", version="1.2.3"
    )


def pem(signer) -> str:
    return "".join(each.public_bytes(Encoding.PEM).decode() for each in signer.chain)


@pytest.mark.parametrize("kind", ["ann", "bob"])
def test_there_and_back(photo, tmp_path, manifest, kind, request):
    signer = request.getfixturevalue(kind)
    data, length = embedded.add(photo, photo, "JPEG", manifest, signer)
    out = tmp_path / "out.jpg"
    out.write_bytes(data)
    found = embedded.read(out)
    assert found is not None
    assert (found.state, found.problems) == ("Valid", ())
    assert found.signer == signer.certificate.subject.rfc4514_string()[3:14]
    assert found.serial == str(signer.certificate.serial_number)
    assert found.marks == (("bWFyaw==", found.serial),)
    assert 1000 < length < len(data)


def test_what_the_manifest_says(photo, manifest, ann):
    data, _ = embedded.add(photo, photo, "JPEG", manifest, ann)
    with c2pa.Reader("image/jpeg", io.BytesIO(data)) as reader:
        active = reader.get_active_manifest()
    assert active is not None
    said = {each["label"]: each["data"] for each in active["assertions"]}
    actions = [each["action"] for each in said["c2pa.actions.v2"]["actions"]]
    assert actions == ["c2pa.opened", "c2pa.cropped", "c2pa.watermarked.bound"]
    assert said["c2pa.soft-binding"]["alg"] == "org.morebits.robust.1"
    assert said["cawg.metadata"]["dc:creator"] == ["Ann"]
    assert active["title"] == "A title"
    assert active["ingredients"][0]["relationship"] == "parentOf"
    assert "time" not in active["signature_info"]


def test_trusted_certificates_are_told(photo, tmp_path, manifest, ann):
    out = tmp_path / "out.jpg"
    out.write_bytes(embedded.add(photo, photo, "JPEG", manifest, ann)[0])
    found = embedded.read(out, ann.chain[1:])
    assert found is not None
    assert found.state == "Trusted"


def test_a_changed_file(photo, tmp_path, manifest, ann):
    data = bytearray(embedded.add(photo, photo, "JPEG", manifest, ann)[0])
    data[-1000] ^= 1
    (tmp_path / "out.jpg").write_bytes(data)
    found = embedded.read(tmp_path / "out.jpg")
    assert found is not None
    assert (found.state, found.problems) == ("Invalid", ("assertion.dataHash.mismatch",))


def test_the_manifest_of_the_cover_is_kept(photo, tmp_path, manifest, ann, bob):
    """Signed twice: the first manifest is that of an ingredient of the second."""
    first, second = tmp_path / "first.jpg", tmp_path / "second.jpg"
    first.write_bytes(embedded.add(photo, photo, "JPEG", manifest, ann)[0])
    text = json.dumps(manifest).replace(embedded.ALGORITHM, "com.example.other")
    other = json.loads(text)
    second.write_bytes(embedded.add(photo, first, "JPEG", other, bob)[0])
    found = embedded.read(second)
    assert found is not None
    assert found.serial == str(bob.certificate.serial_number)
    assert found.marks == (("bWFyaw==", str(ann.certificate.serial_number)),)


def test_files_without(photo, tmp_path):
    assert embedded.read(photo) is None
    (tmp_path / "text.jpg").write_text("no picture")
    assert embedded.read(tmp_path / "text.jpg") is None


def test_a_broken_manifest(photo, tmp_path, manifest, ann):
    data = embedded.add(photo, photo, "JPEG", manifest, ann)[0]
    begin = data.index(b"jumd")
    (tmp_path / "out.jpg").write_bytes(data[: begin - 2] + b"\xff" * 40 + data[begin + 38 :])
    found = embedded.read(tmp_path / "out.jpg")
    assert found is None or found.state == "Invalid"


def test_errors_of_c2pa(photo, tmp_path, manifest, ann):
    with pytest.raises(CertificateError, match=r"does not take the manifest \(.*\); check the"):
        embedded.add(photo, photo, "JPEG", manifest | {"assertions": 7}, ann)
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(ImageError, match="C2PA cannot take it as an ingredient"):
        embedded.add(photo, tmp_path / "text.png", "PNG", manifest, ann)


def test_nobody_is_asked(photo, tmp_path, ann):
    """A file that names a server for its manifest: c2pa-python would ask it by default."""
    asked: list[str] = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format, *args):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        source = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"
        created = {"action": "c2pa.created", "digitalSourceType": source}
        actions = [{"label": "c2pa.actions.v2", "data": {"actions": [created]}}]
        out = tmp_path / "out.jpg"
        with (
            c2pa.Builder(json.dumps({"title": "x", "assertions": actions})) as builder,
            c2pa.Signer.from_callback(ann.sign, c2pa.C2paSigningAlg.ES256, pem(ann)) as signer,
            photo.open("rb") as file,
            out.open("w+b") as target,
        ):
            builder.set_no_embed()
            builder.set_remote_url(f"http://127.0.0.1:{server.server_port}/manifest")
            builder.sign(signer, "image/jpeg", file, target)
        found = embedded.read(out)
        assert found is not None
        assert (found.state, asked) == ("Elsewhere", [])
        with pytest.raises(c2pa.C2paError), out.open("rb") as file:
            c2pa.Reader("image/jpeg", file)
        assert asked == ["/manifest"]  # else the test would prove nothing
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_without_the_package(monkeypatch, photo):
    monkeypatch.setitem(sys.modules, "c2pa", None)
    with pytest.raises(MissingExtra, match=r"c2pa-python is not installed: .*morebits\[c2pa\]"):
        embedded.read(photo)


def test_a_package_that_does_not_load(monkeypatch, photo, tmp_path):
    (tmp_path / "c2pa.py").write_text("raise OSError('no library')")
    monkeypatch.delitem(sys.modules, "c2pa")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BrokenPackage, match="no library"):
        embedded.read(photo)
