"""Hot loops through numba: compiled once a machine, kept on disk, and announced.

The first use of a loop takes seconds; a message on the logger `morebits` says so, and the
command line shows it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core import event

_F = TypeVar("_F", bound=Callable[..., Any])

_log = logging.getLogger("morebits")


def compiled(function: _F) -> _F:
    """The function as machine code, without Python's lock, the same integers everywhere."""
    compile_kept: Any = njit(cache=True, nogil=True)
    compile_anew: Any = njit(nogil=True)
    try:
        return compile_kept(function)
    except RuntimeError:  # no folder to keep it in: compiled again in every run
        return compile_anew(function)


class _Announce(event.Listener):
    """Says once that something is being compiled; numba tells of nothing that it finds on disk."""

    said = False

    def on_start(self, event: Any) -> None:
        if not self.said and event.data["dispatcher"].py_func.__module__.startswith("morebits."):
            self.said = True
            _log.info("compiling the codec, once on this machine: some 10 seconds")

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announce())
