"""People who mean harm, and many at once: against a real server, on this machine only."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from app_client import Client, Failed, running
from PIL import Image

from morebits.app.guard import HEADERS

USERS = 20


def said(client: Client, request: bytes) -> bytes:
    """What the server answers to bytes that no client library would send."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer


def one_user(port: int, number: int, path: Path, answers: dict[int, object]) -> None:
    """Upload, hide, save, download, upload again and reveal; what came back, or what went wrong."""
    client = Client(port)
    try:
        cover = client.upload(path, f"user {number}.png")
        made = client.run(task="hide", picture=cover["picture"], text=f"text of {number}",
                          key=f"key {number}", codec="trellis")  # fmt: skip
        file = client.run(task="save", picture=made["picture"], suffix=".png")
        again = path.with_name(f"again {number}.png")
        again.write_bytes(client.ask("GET", f"/api/files/{file['file']}").body)
        found = client.run(task="reveal", picture=client.upload(again)["picture"],
                           key=f"key {number}", seconds=1)  # fmt: skip
        answers[number] = client.ask("GET", f"/api/files/{found['payload']}").body.decode()
    except (Failed, OSError, KeyError, ValueError) as error:
        answers[number] = error


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_twenty_users_at_once_get_what_is_theirs(tmp_path):
    command = [sys.executable, "-m", "morebits", "app", "--no-browser", "--jobs", "2"]
    own = tmp_path / "own"
    own.mkdir()
    with subprocess.Popen(
        command, env=os.environ | {"TMPDIR": str(own)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as run:  # fmt: skip
        assert run.stdout is not None
        port = int(run.stdout.readline().rpartition(":")[2].strip("/\n"))
        Client(port).wait_until_up()
        answers: dict[int, object] = {}
        users = list[threading.Thread]()
        for number in range(USERS):
            path = tmp_path / f"user {number}.png"
            pixels = np.random.default_rng(number).integers(0, 256, (64, 72, 3), np.uint8)
            Image.fromarray(pixels).save(path)
            users.append(threading.Thread(target=one_user, args=(port, number, path, answers)))
        for user in users:
            user.start()
        for user in users:
            user.join(300)
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=60)
    assert answers == {number: f"text of {number}" for number in range(USERS)}
    assert run.returncode == 0
    assert "Traceback" not in told
    assert list(own.iterdir()) == []


class TestNames:
    @pytest.mark.parametrize(
        "name",
        ["../../../../tmp/morebits-evil.png", "..\\..\\evil.png", "a\0b.png", "x" * 5000 + ".png",
         "a\r\nset-cookie: evil=1.png"],
    )  # fmt: skip
    def test_a_name_never_becomes_a_path_or_a_header(self, small, tmp_path, monkeypatch, name):
        import tempfile

        folder = tmp_path / "in" / "side"
        folder.mkdir(parents=True)
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        with running(jobs=1) as page:
            found = page.upload(small, name)
            made = page.run(task="hide", picture=found["picture"], text="a", codec="trellis")
            file = page.run(task="save", picture=made["picture"], suffix=".png")
            asked = page.ask("GET", f"/api/files/{file['file']}?name={quote(name)}")
            kept = [path for path in tmp_path.rglob("*") if path.is_file()]
            assert all(folder in path.parents for path in kept)
            assert not any("evil" in path.name or "passwd" in path.name for path in kept)
        assert "/" not in found["name"].replace("</", "")
        assert "\\" not in found["name"]
        assert found["name"].isprintable()
        assert len(found["name"]) <= 120
        assert asked.headers["content-disposition"].startswith("attachment; filename*=utf-8''")
        assert "set-cookie" not in asked.headers
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

    @pytest.mark.parametrize(
        "id", ["..", "../..", "..%2f..%2fetc%2fpasswd", "%2e%2e", "%00", ".", "a/../../b", "*"]
    )
    @pytest.mark.parametrize(
        ("method", "path"),
        [("GET", "/api/files/{}"), ("GET", "/api/pictures/{}/preview"), ("DELETE", "/api/kept/{}"),
         ("GET", "/api/jobs/{}"), ("GET", "/static/{}/server.py")],
    )  # fmt: skip
    def test_an_address_is_no_path_either(self, page, small, method, path, id):
        kept = page.upload(small)
        answer = page.ask(method, path.format(id))
        assert answer.status in (204, 404, 405)
        assert b"root:" not in answer.body
        assert page.ask("GET", f"/api/pictures/{kept['picture']}/preview").status == 200

    def test_fields_are_no_paths(self, page):
        for field in ("/etc/passwd", "../upload", "file:///etc/passwd"):
            with pytest.raises(Failed, match="no longer kept"):
                page.start(task="reveal", picture=field)


class TestMuch:
    def test_what_is_kept_in_all_is_limited_with_every_upload(self, small, monkeypatch):
        from morebits.app.settings import Settings

        monkeypatch.setattr(Settings, "store_bytes", property(lambda _: 3 * small.stat().st_size))
        with running(jobs=1) as page:
            kept = [page.upload(small)["picture"] for _ in range(5)]
            found = [page.ask("GET", f"/api/pictures/{each}/preview").status for each in kept]
            assert (found[0], found[-1]) == (404, 200)

    def test_payloads_count_too(self, monkeypatch):
        from morebits.app.settings import Settings

        monkeypatch.setattr(Settings, "store_bytes", property(lambda _: 100_000))
        with running(jobs=1) as page:
            kept = [page.ask("POST", "/api/payloads?name=a", bytes(60_000)).json for _ in range(3)]
            found = [page.ask("GET", f"/api/files/{each['payload']}").status for each in kept]
            assert found == [404, 404, 200]

    def test_a_length_that_lies(self, page):
        head = b"POST /api/pictures?name=a HTTP/1.1\r\nHost: 127.0.0.1\r\nx-morebits: a\r\n"
        assert b" 413 " in said(page, head + b"Content-Length: 99999999999999\r\n\r\n")
        assert b" 400 " in said(page, head + b"Content-Length: -5\r\n\r\n")
        assert b" 400 " in said(page, head + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n")

    def test_more_jobs_than_may_wait(self, page, small):
        picture = page.upload(small)["picture"]
        fields = {"task": "hide", "picture": picture, "text": "a", "codec": "robust"}
        answers = [page.ask("POST", "/api/jobs", json.dumps(fields)) for _ in range(40)]
        for answer in reversed(answers):  # the one that runs comes last: its process is ended
            if answer.status == 200:
                page.ask("DELETE", f"/api/jobs/{answer.json['job']}")
        refused = [answer for answer in answers if answer.status == 413]
        assert len(refused) >= 40 - 33 - 2  # one runs, 32 wait; others may have ended meanwhile
        assert "the queue needs 33 jobs, the limit is 32" in refused[0].error
        assert page.run(task="capacity", picture=picture)["exact"]


class TestOtherSites:
    def test_a_form_of_another_site(self, page):
        """What a browser sends without asking first: no header of ours, and its own origin."""
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            answer = page.ask(
                "POST", "/api/jobs", '{"task": "reveal"}', content_type=kind,
                origin="http://evil.example", sec_fetch_site="cross-site", x_morebits="",
            )  # fmt: skip
            assert answer.status == 403
            older = page.ask("POST", "/api/jobs", "{}", content_type=kind, x_morebits="")
            assert older.status == 403

    def test_nobody_is_allowed_in_by_cors(self, page):
        for method in ("OPTIONS", "GET", "POST"):
            answer = page.ask(
                method, "/api/about", origin="http://evil.example",
                access_control_request_method="POST", access_control_request_headers="x-morebits",
            )  # fmt: skip
            assert not [name for name in answer.headers if name.startswith("access-control")]

    @pytest.mark.parametrize(
        "host",
        ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "127.0.0.1@a.example",
         "evil.example:8642", "[::1].evil.example", "0x7f000001.evil.example", "LOCALHOST.evil"],
    )  # fmt: skip
    def test_a_name_that_was_made_to_mean_this_machine(self, page, host):
        request = f"GET /api/about HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        status = said(page, request.encode()).split(b"\r\n")[0]
        assert status.endswith(b"403 Forbidden") or b" 400 " in status

    def test_whole_addresses_and_two_hosts(self, page):
        for request in (
            b"GET http://evil.example/api/about HTTP/1.1\r\nHost: evil.example\r\n",
            b"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n",
            b"GET /api/about HTTP/1.0\r\n",
        ):
            status = said(page, request + b"Connection: close\r\n\r\n").split(b"\r\n")[0]
            assert b" 403 " in status or b" 400 " in status

    @pytest.mark.parametrize("method", ["TRACE", "PUT", "PATCH", "CONNECT", "PROPFIND"])
    def test_other_methods(self, page, method):
        assert page.ask(method, "/api/about").status in (403, 404, 405)

    def test_errors_have_the_headers_too(self, page):
        for method, path in (("GET", "/api/jobs/x"), ("POST", "/api/jobs"), ("PUT", "/")):
            answer = page.ask(method, path, "{")
            assert {name: answer.headers[name] for name in HEADERS} == HEADERS

    def test_the_page_runs_nothing_that_was_written_into_it(self, page):
        policy = HEADERS["content-security-policy"]
        assert "unsafe" not in policy
        html = page.ask("GET", "/").body.decode()
        assert "<script>" not in html
        assert "style=" not in html
        assert not re.search(r"<[^>]+ on\w+=", html)
