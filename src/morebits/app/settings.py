"""What the page may do on this machine."""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass

from morebits.errors import InputError
from morebits.images import MAX_PIXELS

#: Where the page is served first; any free port when this one is taken.
PORT = 8642
#: Most worker processes: one computes while the other one answers.
_WORKERS = 64


@dataclass(frozen=True)
class Settings:
    """Options of `morebits app`, checked.

    `max_megabytes` is the largest upload and `max_pixels` the largest picture; what is not used for
    `keep_minutes` is removed, and the oldest go when everything together is over `store_megabytes`.

    >>> Settings(port=0)
    Traceback (most recent call last):
        ...
    morebits.errors.InputError: --port is 0: give a whole number from 1 to 65535
    """

    host: str = "127.0.0.1"
    port: int | None = None
    max_megabytes: float = 200.0
    max_pixels: int = MAX_PIXELS
    keep_minutes: float = 60.0
    jobs: int = 2
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.host.strip():
            raise InputError("--host", self.host, "give an address such as 127.0.0.1")
        if self.port is not None and not 1 <= self.port <= 65535:
            raise InputError("--port", self.port, "give a whole number from 1 to 65535")
        if not 1 <= self.jobs <= _WORKERS:
            raise InputError("--jobs", self.jobs, f"give a whole number from 1 to {_WORKERS}")
        for option, value in (
            ("--max-megabytes", self.max_megabytes),
            ("--keep-minutes", self.keep_minutes),
        ):
            if not (math.isfinite(value) and value > 0):
                raise InputError(option, value, "give a number above 0")

    @property
    def max_bytes(self) -> int:
        """The largest upload."""
        return math.ceil(self.max_megabytes * 1e6)

    @property
    def store_bytes(self) -> int:
        """Most that is kept in all: room for some pictures of the largest size, at least 4 GB."""
        return max(4_000_000_000, 10 * self.max_bytes)

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the page."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
