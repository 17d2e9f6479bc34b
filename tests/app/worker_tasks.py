"""Tasks for the tests of workers, where processes can import them."""

from __future__ import annotations

import os
import time

from morebits.errors import InputError


def double(report, *, number):
    report(0.5, "half of it", [number])
    return 2 * number


def process(report):
    return os.getpid()


def sleep(report, *, mark):
    report(None, "sleeping", None)
    mark.write_text(str(os.getpid()))
    time.sleep(60)


def chatter(report):
    while True:
        report(None, str(time.monotonic_ns()), None)  # a new stage each time, so all are sent


def die(report):
    os._exit(9)


def refuse(report):
    raise InputError("number", 3, "give another one")


def break_down(report):
    raise ZeroDivisionError("a bug")


def no_memory(report):
    raise MemoryError
