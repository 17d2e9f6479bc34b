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

    started = time.thread_time()
    assert outer(2) == 17
    return time.thread_time() - started


def test_the_clock_stands_still_while_something_is_compiled():
    started = clock()
    took = compile_something()
    assert took > 0.02
    assert clock() - started < 0.5 * took


def test_the_clock_goes_on_while_this_thread_works():
    started = clock(), time.thread_time()
    while time.thread_time() - started[1] < 0.05:
        pass
    assert abs((clock() - started[0]) - (time.thread_time() - started[1])) < 0.01


def test_the_clock_stands_still_while_this_thread_waits():
    """As it does when others have the processor: a busy machine finds the same."""
    started = clock()
    time.sleep(0.1)
    assert clock() - started < 0.05


def test_what_another_thread_compiles_does_not_count():
    other = threading.Thread(target=compile_something)
    before = time.thread_time() - clock()
    other.start()
    other.join()
    assert abs(time.thread_time() - clock() - before) < 0.01
