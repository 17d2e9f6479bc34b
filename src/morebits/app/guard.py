"""Who may ask: no other web site, and nobody who only pretends to be this machine.

A page of another site can send requests to a server on this machine, and by DNS rebinding it can
even make its own name mean this machine. Hence three rules: the name that the browser asks for is
an address, `localhost` or one that was allowed; whatever comes from another site is refused; and
requests that change something carry a header that no other site can send without asking first.
"""

from __future__ import annotations

import ipaddress
import re

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

#: The header of every request that changes something.
OWN_HEADER = "x-morebits"
_SAFE = ("GET", "HEAD")

#: With every answer. The page has no inline script and no inline style.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
        "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Guard:
    """Refuses requests that are not the page's own, and adds headers to all answers."""

    def __init__(self, app: Starlette, names: frozenset[str]):
        self.app, self.names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        problem = refusal(Headers(scope=scope), scope["method"], scope["path"], self.names)
        if problem is None:
            await self.app(scope, receive, answer)
        else:
            plain = {"error": {"kind": "Refused", "message": problem}}
            await JSONResponse(plain, 403)(scope, receive, answer)


def refusal(headers: Headers, method: str, path: str, names: frozenset[str]) -> str | None:
    """Why a request is refused; None when it is the page's own.

    >>> own = Headers({"host": "127.0.0.1:8642"})
    >>> refusal(own, "GET", "/", frozenset()) is None
    True
    >>> refusal(Headers({"host": "evil.example"}), "GET", "/", frozenset())
    'evil.example is not a name of this page: open it by its address, or allow the name ...'
    """
    hosts = headers.getlist("host")
    if len(hosts) != 1:
        return "a request names one host"
    name = hostname(hosts[0])
    if not (name in names or name == "localhost" or _is_address(name)):
        fix = "open it by its address, or allow the name (--allow-host)"
        return f"{name} is not a name of this page: {fix}"
    reads = method in _SAFE
    site = headers.get("sec-fetch-site", "same-origin")
    if site not in ("same-origin", "none") and not (reads and path == "/"):
        return "this comes from another site: use the page itself"
    if reads:
        return None
    origin = headers.get("origin")
    if origin is not None and origin not in (f"http://{hosts[0]}", f"https://{hosts[0]}"):
        return "this comes from another site: use the page itself"
    if OWN_HEADER not in headers:
        return f"the header {OWN_HEADER} is missing: use the page itself"
    return None


def hostname(host: str) -> str:
    """The name or address in a Host header, without its port.

    >>> hostname("localhost:8642"), hostname("[::1]:8642"), hostname("Photos.Local")
    ('localhost', '::1', 'photos.local')
    >>> hostname("[::1].evil.example")  # no name at all: as it is, which nobody allows
    '[::1].evil.example'
    """
    parts = re.fullmatch(r"(?:\[([^\[\]]+)\]|([^:\[\]]+))(?::\d*)?", host)
    return (parts[1] or parts[2]).lower().rstrip(".") if parts else host


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
