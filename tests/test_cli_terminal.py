"""What people see on stderr while they wait."""

from __future__ import annotations

import io
import logging
import sys
import time

import pytest

from morebits import cli
from morebits.cli import measuring, terminal


class Screen(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def look(monkeypatch: pytest.MonkeyPatch, *, patience: float) -> Screen:
    """A person in front of the screen; pytest would take it away again from a fixture."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(terminal, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def wait_for(screen: Screen, text: str) -> None:
    for _ in range(1000):
        if text in screen.getvalue():
            return
        time.sleep(0.01)
    pytest.fail(f"never shown: {text}")


class TestWorking:
    def test_a_bar_that_moves(self, monkeypatch):
        screen = look(monkeypatch, patience=0)
        with terminal.working("hiding 5 bytes") as update:
            wait_for(screen, "hiding 5 bytes")
            assert "%" not in screen.getvalue()
            update(0.25)
            wait_for(screen, "25%")

    def test_nothing_for_what_is_quick(self, monkeypatch):
        screen = look(monkeypatch, patience=3600)
        with terminal.working("hiding") as update:
            update(0.5)
        assert screen.getvalue() == ""

    def test_nothing_where_nobody_looks(self, capsys, monkeypatch):
        monkeypatch.setattr(terminal, "PATIENCE", 0)
        with terminal.working("hiding") as update:
            update(0.5)
            time.sleep(0.05)
        assert capsys.readouterr().err == ""

    def test_it_goes_away_with_an_error(self, monkeypatch):
        screen = look(monkeypatch, patience=0)

        def fail() -> None:
            with terminal.working("hiding"):
                wait_for(screen, "hiding")
                raise RuntimeError

        with pytest.raises(RuntimeError):
            fail()
        length = len(screen.getvalue())
        time.sleep(0.3)
        assert len(screen.getvalue()) == length


class TestAnnouncements:
    def test_the_library_speaks_on_stderr(self, capsys, monkeypatch):
        def parse(*_):
            logging.getLogger("morebits").info("compiling, once")
            return [42.0]

        monkeypatch.setattr(measuring.arguments, "parse_psnr", parse)
        for _ in range(2):
            assert cli.main(["capacity", "--size", "8x8", "--psnr", "42"]) == 0
            assert capsys.readouterr().err == "morebits: compiling, once\n"

    def test_and_is_silent_again_afterwards(self):
        log = logging.getLogger("morebits")
        before = log.level, list(log.handlers)
        cli.main(["models"])
        cli.main(["no-such-verb"])
        assert (log.level, log.handlers) == before
