from __future__ import annotations

import io
import json
import socket
from pathlib import Path

import numpy as np
import pytest
from app_client import Failed, running
from PIL import Image

import morebits as mb
from morebits import images


@pytest.fixture(scope="module")
def cover(page, small):
    return page.upload(small)


@pytest.fixture(scope="module")
def marked(page, cover):
    return page.run(
        task="hide", picture=cover["picture"], text="made by me", key="secret", codec="robust",
        psnr=42,
    )  # fmt: skip


def download(page, made):
    return page.ask("GET", f"/api/files/{made['file']}")


def samples(answer):
    return np.asarray(Image.open(io.BytesIO(answer.body)))


class TestUpload:
    def test_facts_and_a_preview(self, page, cover):
        assert (cover["width"], cover["height"], cover["name"]) == (320, 288, "small.png")
        answer = page.ask("GET", f"/api/pictures/{cover['picture']}/preview")
        assert answer.headers["content-type"] == "image/jpeg"
        assert samples(answer).shape == (288, 320, 3)

    def test_previews_of_large_pictures_are_small(self, page, tmp_path):
        path = tmp_path / "wide.png"
        Image.fromarray(np.full((100, 4000, 3), 90, np.uint8)).save(path)
        wide = page.upload(path)
        answer = page.ask("GET", f"/api/pictures/{wide['picture']}/preview")
        assert samples(answer).shape == (40, 1600, 3)

    def test_gray_16_bits_and_lying_on_its_side(self, page, tmp_path):
        gray = tmp_path / "gray.png"
        Image.fromarray(np.full((30, 40), 40_000, np.uint16)).save(gray)
        found = page.upload(gray)
        assert (found["channels"], found["depth"]) == (1, 16)
        lying = tmp_path / "lying.jpg"
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.fromarray(np.zeros((30, 40, 3), np.uint8)).save(lying, exif=exif)
        turned = page.upload(lying)
        assert (turned["width"], turned["height"]) == (30, 40)
        assert turned["notes"] == ["EXIF orientation 6 applied"]

    def test_a_text_with_the_name_of_a_picture_gets_the_error_of_the_command_line(
        self, page, tmp_path
    ):
        path = tmp_path / "note.png"
        path.write_text("not a picture at all")
        with pytest.raises(Failed) as told:
            page.upload(path)
        with pytest.raises(mb.MorebitsError) as known:
            images.read(path)
        assert str(told.value) == str(known.value).replace(str(path), "note.png")

    @pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n broken"])
    def test_broken_files(self, page, tmp_path, content):
        path = tmp_path / "broken.png"
        path.write_bytes(content)
        with pytest.raises(Failed, match=r"^broken\.png: "):
            page.upload(path)

    def test_names_are_only_shown(self, page, small):
        found = page.upload(small, "../../../tmp/evil<script>.png")
        assert found["name"] == "evil<script>.png"

    def test_too_many_pixels(self, small):
        with running(jobs=1, max_pixels=1000) as page, pytest.raises(Failed) as told:
            page.upload(small)
        assert "small.png: has 92,160 pixels, the limit is 1,000" in str(told.value)
        assert "--max-megapixels" in str(told.value)

    def test_too_many_bytes_are_refused_before_they_are_sent(self, small):
        with running(jobs=1, max_megabytes=0.01) as page:
            with pytest.raises(
                Failed, match=r"the limit is 10,000; .* raise the limit with --max-meg"
            ):
                page.upload(small)
            assert page.ask("POST", "/api/payloads?name=a", bytes(10_001)).status == 413
            assert page.ask("POST", "/api/payloads?name=a", bytes(10_000)).json["bytes"] == 10_000

    def test_too_many_bytes_are_refused_while_they_come(self):
        """Without a length, in chunks that never end."""
        with (
            running(jobs=1, max_megabytes=0.01) as page,
            socket.create_connection(("127.0.0.1", page.port), timeout=20) as plain,
        ):
            plain.sendall(
                b"POST /api/pictures?name=endless HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                b"x-morebits: test\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            for _ in range(4):
                plain.sendall(b"1000\r\n" + bytes(0x1000) + b"\r\n")
            assert b" 413 " in plain.recv(65536)


class TestCapacity:
    def test_the_curve_is_that_of_the_library(self, page, cover, small):
        found = page.run(task="capacity", picture=cover["picture"])
        known = dict(found["exact"])
        assert known[42.0] == mb.capacity(small, psnr=42).bits
        gray, corner = dict(found["gray"]), dict(found["corner"])
        assert corner[42.0] < known[42.0] < gray[42.0]
        assert found["bounds"] == {"exact": "8", "gray": "4", "corner": "8"}
        assert dict(found["trellis"])[42.0] == 8 * mb.room(small, codec="trellis", psnr=42)

    @pytest.mark.parametrize(("certified", "bound"), [(False, "11"), (True, "certified")])
    def test_what_an_edit_leaves(self, page, cover, certified, bound):
        found = page.run(
            task="under", picture=cover["picture"], edit="grayscale", certified=certified
        )
        fmt = mb.ImageFormat(width=320, height=288)
        known = mb.capacity(
            fmt, psnr=42, under="grayscale", bound="certified" if certified else None
        )
        assert dict(found["line"])[42.0] == known.bits
        assert (found["bound"], found["measured_at"]) == (bound, None)

    def test_large_pictures_are_measured_smaller_and_say_so(self, page, tmp_path):
        path = tmp_path / "large.png"
        Image.fromarray(np.full((600, 800, 3), 128, np.uint8)).save(path)
        large = page.upload(path)
        found = page.run(task="under", picture=large["picture"], edit="crop:0.5")
        exact = mb.capacity(mb.ImageFormat(width=800, height=600), psnr=42, under="crop:0.5").bits
        assert found["measured_at"] == "384x288"
        assert dict(found["line"])[42.0] == pytest.approx(exact, rel=0.01)

    def test_unknown_edits_get_the_list(self, page, cover):
        with pytest.raises(Failed, match="unknown edit 'melt': use one of blur, "):
            page.run(task="under", picture=cover["picture"], edit="melt")

    def test_room_is_that_of_the_library(self, page, cover, small):
        found = page.run(task="room", picture=cover["picture"], codec="trellis", psnr=42)
        assert found["bytes"] == mb.room(small, codec="trellis", psnr=42)


class TestHide:
    def test_it_is_the_same_as_in_the_library(self, page, marked, small):
        known = mb.hide(small, b"made by me", psnr=42, key="secret")
        assert marked["psnr"] == known.psnr
        assert (marked["payload_bytes"], marked["encrypted"], marked["fragile"]) == (
            10,
            True,
            False,
        )
        made = page.run(task="save", picture=marked["picture"], suffix=".png")
        assert (samples(download(page, made)) == known.image).all()

    def test_neither_key_nor_payload_is_told(self, page, marked):
        assert "secret" not in json.dumps(marked)
        assert "made by me" not in json.dumps(marked)

    def test_the_difference(self, page, marked, small):
        known = mb.hide(small, b"made by me", psnr=42, key="secret")
        true = np.abs(known.image.astype(int) - np.asarray(Image.open(small)).astype(int))
        shown = samples(page.ask("GET", f"/api/pictures/{marked['picture']}/changes"))
        assert (shown == true).all()
        assert shown.max() > 0
        box = "left=100&top=50&width=64&height=48"
        path = f"/api/pictures/{marked['picture']}/detail?{box}"
        assert (samples(page.ask("GET", path)) == known.image[50:98, 100:164]).all()
        cover = samples(page.ask("GET", f"{path}&of=cover"))
        assert (cover == np.asarray(Image.open(small))[50:98, 100:164]).all()

    @pytest.mark.parametrize(
        "box",
        [
            "left=-1&top=0&width=9&height=9",
            "left=0&top=0&width=0&height=9",
            "left=0&top=0&width=9999&height=9",
            "left=0",
            "left=a",
        ],
    )
    def test_impossible_details(self, page, marked, box):
        assert page.ask("GET", f"/api/pictures/{marked['picture']}/detail?{box}").status == 400

    @pytest.mark.parametrize(
        ("suffix", "quality"), [(".jpg", 90), (".webp", None), (".avif", 90), (".tif", None)]
    )
    def test_files_that_can_be_revealed(self, page, marked, tmp_path, suffix, quality):
        made = page.run(task="save", picture=marked["picture"], suffix=suffix, quality=quality)
        answer = download(page, made)
        assert answer.headers["content-disposition"].startswith("attachment;")
        path = tmp_path / f"marked{suffix}"
        path.write_bytes(answer.body)
        assert made["bytes"] == len(answer.body)
        assert mb.reveal(path, key="secret").payload == b"made by me"

    def test_a_file_in_a_fragile_mark(self, page, cover, tmp_path):
        payload = np.random.default_rng(7).bytes(20_000)
        sent = page.ask("POST", "/api/payloads?name=report.pdf", payload).json
        fragile = page.run(
            task="hide", picture=cover["picture"], payload=sent["payload"], codec="trellis", psnr=42
        )
        assert (fragile["fragile"], fragile["payload_bytes"]) == (True, 20_000)
        with pytest.raises(Failed, match="JPEG changes samples and would destroy the mark"):
            page.run(task="save", picture=fragile["picture"], suffix=".jpg")
        made = page.run(task="save", picture=fragile["picture"], suffix=".png")
        path = tmp_path / "fragile.png"
        path.write_bytes(download(page, made).body)
        found = page.run(task="reveal", picture=page.upload(path)["picture"])
        assert (found["status"], found["text"]) == ("found", None)
        answer = page.ask("GET", f"/api/files/{found['payload']}?name=r%C3%A9port.pdf")
        assert answer.body == payload
        assert answer.headers["content-type"] == "application/octet-stream"
        assert "r%C3%A9port.pdf" in answer.headers["content-disposition"]

    def test_what_does_not_fit_says_how_much_does(self, page, cover):
        payload = np.random.default_rng(7).bytes(300_000)
        sent = page.ask("POST", "/api/payloads", payload).json
        with pytest.raises(Failed, match=r"needs 300,000 bytes, [\d,]+ fit; "):
            page.run(
                task="hide", picture=cover["picture"], payload=sent["payload"],
                codec="trellis", psnr=42,
            )  # fmt: skip

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"codec": "magic"}, "use one of robust, trellis"),
            ({"psnr": "high"}, "give a number from 0 to 200"),
            ({"psnr": True}, "give a number from 0 to 200"),
            ({"text": ""}, "text is '': give a text"),
            ({"payload": "nobody"}, "payload is 'gone'"),
            ({"picture": "nobody"}, "it is no longer kept, give it again"),
            ({"survive": "all"}, "give a list of edits"),
            ({"survive": ["melt:3"]}, "unknown attack"),
            ({"mask": True}, "leave it out, robust has a mask of its own"),
            ({"codec": "trellis", "survive": ["quick"]}, "leave it out, no edit leaves"),
            ({"key": 5}, "give a text"),
        ],
    )
    def test_wrong_requests(self, page, cover, fields, message):
        good = {
            "task": "hide",
            "picture": cover["picture"],
            "text": "a",
            "codec": "robust",
            "psnr": 42,
        }
        with pytest.raises(Failed, match=message):
            page.run(**{**good, **fields})


class TestAttack:
    def test_an_edit_is_that_of_the_library_and_is_read(self, page, marked, small):
        edits = "crop:0.8|rotate:4|jpeg:70"
        edited = page.run(task="attack", picture=marked["picture"], edits=edits, seed=3)
        known = mb.attacks.parse(edits)(
            mb.hide(small, b"made by me", psnr=42, key="secret").image, seed=3
        )
        assert (edited["height"], edited["width"]) == known.shape[:2]
        found = page.run(task="reveal", picture=edited["picture"], key="secret", traces=True)
        assert (found["status"], found["text"]) == ("found", "made by me")
        assert "rotation 4.0 degrees" in found["edits"]
        assert found["seconds"] > 0
        made = page.run(task="save", picture=edited["picture"])
        assert made["name"].endswith(".jpg")
        assert (samples(download(page, made)) == known).all()

    def test_what_is_left_of_a_lost_mark(self, page, marked):
        edited = page.run(task="attack", picture=marked["picture"], edits="resize:0.05|jpeg:10")
        lost = page.run(
            task="reveal", picture=edited["picture"], key="secret", seconds=1, traces=True
        )
        assert (lost["status"], lost["trace"]) == ("nothing", None)
        assert "payload" not in lost

    def test_a_suite(self, page, marked):
        rows = page.run(task="trials", picture=marked["picture"], suite="quick", seconds=5)
        assert [row["edits"] for row in rows] == list(mb.attacks.SUITES["quick"])
        assert {row["edits"] for row in rows if row["survived"]} >= {"none", "jpeg:50"}

    @pytest.mark.parametrize(
        ("edits", "message"),
        [
            ("melt", "unknown attack 'melt': use one of none, hflip"),
            ("jpeg:0", "give as quality"),
            ("", "give a text"),
        ],
    )
    def test_wrong_edits(self, page, marked, edits, message):
        with pytest.raises(Failed, match=message):
            page.run(task="attack", picture=marked["picture"], edits=edits)

    def test_the_cover_has_nothing_to_save(self, page, cover):
        with pytest.raises(Failed, match="hide something in it first"):
            page.run(task="save", picture=cover["picture"])


class TestReveal:
    def test_a_wrong_key_and_no_key(self, page, marked):
        wrong = page.run(task="reveal", picture=marked["picture"], key="another", seconds=1)
        assert wrong["why"].startswith("Nothing found with this key (trellis, ")
        none = page.run(task="reveal", picture=marked["picture"], seconds=1)
        assert "Nothing found without a key" in none["why"]
        assert {wrong["status"], none["status"]} == {"nothing"}

    def test_a_changed_fragile_mark(self, page, small, tmp_path):
        image = mb.hide(small, b"x" * 4000, codec="trellis").image.copy()
        image[100:110, 100:110] ^= 255
        path = tmp_path / "changed.png"
        Image.fromarray(image).save(path)
        found = page.run(task="reveal", picture=page.upload(path)["picture"], seconds=1)
        assert found["status"] == "altered"
        assert "the picture was changed after that" in found["why"]


class TestRequests:
    @pytest.mark.parametrize(
        ("body", "message"),
        [
            (b"{", "send a JSON object"),
            (b"[]", "send a JSON object"),
            (b"[" * 100_000, "send a JSON object"),
            (b'{"task": "format the disk"}', "use one of capacity, under"),
            (b"{}", "give a text"),
        ],
    )
    def test_nonsense(self, page, body, message):
        answer = page.ask("POST", "/api/jobs", body)
        assert answer.status == 400
        assert message in answer.error

    def test_a_long_request(self, page):
        assert page.ask("POST", "/api/jobs", b" " * (2 << 20)).status == 413

    @pytest.mark.parametrize(
        ("method", "path"),
        [("GET", "/api/jobs/x"), ("DELETE", "/api/jobs/x"), ("GET", "/api/files/x"),
         ("GET", "/api/pictures/x/preview"), ("GET", "/api/pictures/x/changes")],
    )  # fmt: skip
    def test_unknown_things(self, page, method, path):
        answer = page.ask(method, path)
        assert answer.status == 404
        assert "no longer kept" in answer.error

    def test_a_picture_is_forgotten(self, page, small):
        found = page.upload(small)
        assert page.ask("DELETE", f"/api/kept/{found['picture']}").status == 204
        assert page.ask("GET", f"/api/pictures/{found['picture']}/preview").status == 404

    def test_a_job_is_cancelled_while_others_are_answered(self, page, cover):
        job = page.start(
            task="hide", picture=cover["picture"], text="a", codec="robust", survive=["paper"]
        )
        assert page.ask("GET", "/api/about").status == 200
        assert page.ask("GET", f"/api/jobs/{job['job']}").json["state"] in ("waiting", "running")
        assert page.ask("DELETE", f"/api/jobs/{job['job']}").json["state"] == "cancelled"
        with pytest.raises(Failed, match="cancelled"):
            page.follow(job)
        assert page.run(task="capacity", picture=cover["picture"])["exact"]


def test_the_end_leaves_no_files(small, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with running(jobs=1) as page:
        page.upload(small)
        assert len(list(Path(tmp_path).rglob("upload"))) == 1
    assert list(Path(tmp_path).iterdir()) == []
