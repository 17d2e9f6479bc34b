"""What is compiled once: the clock of a time budget stands still for it."""

from __future__ import annotations

import threading
import time

from numba import njit

from morebits.codecs.compiled import clock


def compile_something() -> float:
    """Compile two loops, one of which needs the other; how long it took."""

    @njit
    def inner(x):
        return x * 3 + 1

    @njit
    def outer(x):
        return inner(x) + inner(x + 1)

    started = time.perf_counter()
    assert outer(2) == 17
    return time.perf_counter() - started


def test_the_clock_stands_still_while_something_is_compiled():
    started = clock()
    took = compile_something()
    assert took > 0.02
    assert clock() - started < 0.5 * took


def test_the_clock_goes_on_otherwise():
    started = clock(), time.perf_counter()
    time.sleep(0.05)
    assert abs((clock() - started[0]) - (time.perf_counter() - started[1])) < 0.01


def test_what_another_thread_compiles_does_not_count():
    other = threading.Thread(target=compile_something)
    before = time.perf_counter() - clock()
    other.start()
    other.join()
    assert abs(time.perf_counter() - clock() - before) < 0.01
