"""Open the page: a socket, a server, a browser."""

from __future__ import annotations

import errno
import socket
import webbrowser
from collections.abc import Callable
from types import FrameType

import uvicorn

from morebits.app import server
from morebits.app.guard import Guard
from morebits.app.settings import PORT, Settings
from morebits.errors import InputError

#: Connections that may wait.
_BACKLOG = 128


def serve(settings: Settings, say: Callable[[str], None], *, browser: bool) -> None:
    """Serve the page until Ctrl-C; `say` gets its address first."""
    listening = listen(settings)
    address = url(settings.host, listening.getsockname()[1])
    app = server.make(settings)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, ws="none",
        http="h11", lifespan="on", timeout_graceful_shutdown=3, proxy_headers=False,
    )  # fmt: skip
    running = _Server(config, app)
    say(address)
    if browser:
        webbrowser.open(address)
    try:
        running.run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # the usual way to end it
    finally:
        listening.close()


class _Server(uvicorn.Server):
    """Answers that wait for a job do not hold up the end."""

    def __init__(self, config: uvicorn.Config, page: Guard):
        super().__init__(config)
        self._page = page

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        server.stop(self._page)
        super().handle_exit(sig, frame)


def listen(settings: Settings) -> socket.socket:
    """A socket at the port that was asked for; without one at the usual port, or any free one."""
    if settings.port is not None:
        return _bound(settings.host, settings.port)
    try:
        return _bound(settings.host, PORT)
    except _Taken:
        return _bound(settings.host, 0)


def url(host: str, port: int) -> str:
    """What to open in a browser.

    >>> url("127.0.0.1", 8642), url("::1", 80), url("0.0.0.0", 8642)
    ('http://127.0.0.1:8642/', 'http://[::1]:80/', 'http://127.0.0.1:8642/')
    """
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


class _Taken(InputError):
    """Somebody else has the port."""


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError("--host", host, f"is no address ({reason}), try 127.0.0.1") from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            expected = "is in use, give another one or leave it out"
            raise _Taken("--port", port, expected) from None
        if error.errno == errno.EACCES:
            raise InputError("--port", port, "may not be used, give one above 1023") from None
        expected = f"cannot be used here ({error.strerror}), try 127.0.0.1"
        raise InputError("--host", host, expected) from None
    return made
