from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from morebits.app import serving
from morebits.app.settings import PORT, Settings
from morebits.cli import main
from morebits.errors import InputError


class TestListen:
    def test_a_port_that_is_taken_is_an_error_if_it_was_asked_for(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            with pytest.raises(InputError, match=rf"--port is {port}: is in use, give another one"):
                serving.listen(Settings(port=port))

    def test_any_free_port_otherwise(self, monkeypatch):
        with socket.create_server(("127.0.0.1", 0)) as other:
            taken = other.getsockname()[1]
            monkeypatch.setattr(serving, "PORT", taken)
            with serving.listen(Settings()) as found:
                assert found.getsockname()[0] == "127.0.0.1"
                assert found.getsockname()[1] not in (0, taken)

    @pytest.mark.parametrize("host", ["no such host", "203.0.113.7"])
    def test_addresses_that_are_not_here(self, host):
        with pytest.raises(InputError, match=r"--host is .* try 127\.0\.0\.1"):
            serving.listen(Settings(host=host, port=PORT))


class TestSettings:
    @pytest.mark.parametrize(
        "wrong",
        [{"port": 0}, {"port": 65536}, {"host": " "}, {"jobs": 0}, {"max_megabytes": 0},
         {"max_megabytes": float("nan")}, {"keep_minutes": -1}],
    )  # fmt: skip
    def test_wrong_values(self, wrong):
        option = f"--{next(iter(wrong)).replace('_', '-')}"
        with pytest.raises(InputError, match=option):
            Settings(**wrong)

    @pytest.mark.parametrize(
        ("host", "local"),
        [
            ("127.0.0.1", True),
            ("::1", True),
            ("localhost", True),
            ("0.0.0.0", False),
            ("photos.local", False),
        ],
    )
    def test_who_can_reach_it(self, host, local):
        assert Settings(host=host).local is local


class TestCommand:
    def test_it_serves_until_it_is_interrupted_and_leaves_nothing(self, tmp_path):
        command = [sys.executable, "-m", "morebits", "app", "--no-browser", "--jobs", "1"]
        environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONWARNINGS": "error"}
        with subprocess.Popen(
            command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as run:
            assert run.stdout is not None
            address = run.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert b"How many bits can your photo hide?" in answer.read()
            assert len(list(tmp_path.glob("morebits-app-*"))) == 1
            run.send_signal(signal.SIGINT)
            _, said = run.communicate(timeout=30)
        assert run.returncode == 0
        assert said == "morebits: the page is open at this address; Ctrl-C ends it\n"
        assert list(tmp_path.glob("morebits-app-*")) == []

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--port", "0"], "--port is 0: give a whole number from 1 to 65535"),
            (["--max-megapixels", "-3"], "--max-megapixels is -3"),
            (["--host", "no such host"], "--host is 'no such host': is no address"),
        ],
    )
    def test_wrong_use(self, capsys, words, message):
        assert main(["app", "--no-browser", *words]) == 2
        assert message in capsys.readouterr().err

    def test_without_the_extra(self, capsys, monkeypatch):
        for name in [name for name in sys.modules if name.startswith("morebits.app")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "uvicorn", None)
        assert main(["app"]) == 2
        said = capsys.readouterr().err
        assert said == "morebits: uvicorn is not installed: pip install 'morebits[app]'\n"
