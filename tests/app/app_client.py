"""What a browser would send, without a browser."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import uvicorn

from morebits.app import server, serving
from morebits.app.settings import Settings


class Answer(NamedTuple):
    """Status, headers (small letters) and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return self.json["error"]["message"]


class Failed(Exception):
    """A job that failed: what the page would show."""


class Client:
    """Requests to a page at a port."""

    def __init__(self, port: int):
        self.port = port

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request; names of headers with _ for -."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if method not in ("GET", "HEAD"):
            sent.setdefault("x-morebits", "test")
        sent = {name: value for name, value in sent.items() if value}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            low = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, low, answer.read())
        finally:
            connection.close()

    def wait_until_up(self) -> None:
        for _ in range(200):
            try:
                self.ask("GET", "/api/about")
                return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError("the server did not come up")

    def follow(self, job: dict[str, Any]) -> Any:
        """The result of a job, once it is done."""
        while job["state"] in ("waiting", "running"):
            job = self.ask("GET", f"/api/jobs/{job['job']}?after={job['version']}").json
        if job["state"] != "done":
            raise Failed(job["error"]["message"] if job["error"] else job["state"])
        return job["result"]

    def start(self, **fields: Any) -> dict[str, Any]:
        answer = self.ask("POST", "/api/jobs", json.dumps(fields))
        if answer.status != 200:
            raise Failed(answer.error)
        return answer.json

    def run(self, **fields: Any) -> Any:
        """Start a job and wait for its result."""
        return self.follow(self.start(**fields))

    def upload(self, path: Path, name: str | None = None) -> Any:
        """Send a picture; the facts that the page gets."""
        shown = quote(name or path.name)
        answer = self.ask("POST", f"/api/pictures?name={shown}", path.read_bytes())
        if answer.status != 200:
            raise Failed(answer.error)
        return self.follow(answer.json)


@contextmanager
def running(**options) -> Generator[Client]:
    """A page that is served while the block runs, with these settings."""
    settings = Settings(**options)
    listening = serving.listen(settings)
    config = uvicorn.Config(
        server.make(settings), log_level="error", lifespan="on", ws="none", http="h11"
    )
    web = uvicorn.Server(config)
    thread = threading.Thread(target=web.run, kwargs={"sockets": [listening]})
    thread.start()
    client = Client(listening.getsockname()[1])
    try:
        client.wait_until_up()
        yield client
    finally:
        web.should_exit = True
        thread.join(60)
        listening.close()
        assert not thread.is_alive()
