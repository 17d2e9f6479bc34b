"""The hot loop of the decoder: layered belief propagation over a lifted base graph.

Inside this module positive means 0, as in the literature, because the rule at a check is then a
product of signs. The rule for two values a and b is exact but for the last function:

    a [+] b = sign(a) sign(b) min(|a|, |b|) + f(|a + b|) - f(|a - b|),   f(x) = ln(1 + exp(-x))

f is replaced by ln 2 (1 - x / 5.7)^4 for x < 5.7 and 0 above: 0.015 off at most, no logarithm,
and the processor does eight at once. All loops run along Z for that reason.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled

_SLOPE = np.float32(1 / 5.7)
_SCALE = np.float32(np.log(2.0) / 16)  # a fourth power of twice a number
_HALF = np.float32(0.5)
_ZERO = np.float32(0)
_ONE = np.float32(1)

_Row: TypeAlias = NDArray[np.float32]


@compiled
def _combine(a: np.float32, b: np.float32) -> np.float32:
    """How sure the sum of two bits is: a [+] b."""
    same, other = abs(a + b), abs(a - b)  # half their difference is the smaller one, signed
    near, far = _ONE - same * _SLOPE, _ONE - other * _SLOPE
    near += abs(near)  # twice the positive part, without a branch
    far += abs(far)
    near *= near
    far *= far
    return _HALF * (same - other) + _SCALE * (near * near - far * far)


@compiled
def _join(a: _Row, b: _Row, into: _Row) -> None:
    for z in range(len(into)):
        into[z] = _combine(a[z], b[z])


@compiled
def _add(a: _Row, b: _Row, into: _Row) -> None:
    for z in range(len(into)):
        into[z] = a[z] + b[z]


@compiled
def _subtract(a: _Row, b: _Row, into: _Row) -> None:
    for z in range(len(into)):
        into[z] = a[z] - b[z]


@compiled
def _toggle(bits: _Row, parity: NDArray[np.uint8]) -> None:
    """Adds bits to sums modulo 2; the second bit of `parity` notes that one is not known."""
    for z in range(len(parity)):
        parity[z] = (parity[z] ^ np.uint8(bits[z] < _ZERO)) | (np.uint8(bits[z] == _ZERO) << 1)


@compiled
def _layer(
    total: NDArray[np.float32],
    messages: NDArray[np.float32],
    column: NDArray[np.int32],
    shift: NDArray[np.int32],
    begin: int,
    end: int,
    heard: NDArray[np.float32],
    ahead: NDArray[np.float32],
    behind: NDArray[np.float32],
) -> None:
    """One row of the base graph, Z checks at a time: `total` and `messages` are renewed.

    `heard`, `ahead` and `behind` are scratch: what each bit says without this row, and the
    combined opinion of all cells before and after one.
    """
    Z = total.shape[1]
    degree = end - begin
    for k in range(degree):
        bits, said, into = total[column[begin + k]], messages[begin + k], heard[k]
        turn = shift[begin + k]
        _subtract(bits[turn:], said[: Z - turn], into[: Z - turn])
        _subtract(bits[:turn], said[Z - turn :], into[Z - turn :])
    ahead[0, :] = heard[0]
    for k in range(1, degree):
        _join(ahead[k - 1], heard[k], ahead[k])
    behind[:] = heard[degree - 1]
    messages[end - 1, :] = ahead[degree - 2]
    for k in range(degree - 2, 0, -1):
        _join(ahead[k - 1], behind, messages[begin + k])
        _join(behind, heard[k], behind)
    messages[begin, :] = behind
    for k in range(degree):
        bits, said, mine = total[column[begin + k]], messages[begin + k], heard[k]
        turn = shift[begin + k]
        _add(mine[: Z - turn], said[: Z - turn], bits[turn:])
        _add(mine[Z - turn :], said[Z - turn :], bits[:turn])


@compiled
def _holds(
    total: NDArray[np.float32],
    column: NDArray[np.int32],
    shift: NDArray[np.int32],
    begin: int,
    end: int,
    parity: NDArray[np.uint8],
) -> bool:
    """Whether the signs satisfy the Z checks of one row; a bit with value 0 satisfies none."""
    Z = total.shape[1]
    parity[:] = 0
    for k in range(begin, end):
        bits, turn = total[column[k]], shift[k]
        _toggle(bits[turn:], parity[: Z - turn])
        _toggle(bits[:turn], parity[Z - turn :])
    return not parity.any()


@compiled
def propagate(
    total: NDArray[np.float32],
    first: NDArray[np.int32],
    column: NDArray[np.int32],
    shift: NDArray[np.int32],
    active: NDArray[np.bool_],
    iterations: int,
) -> tuple[bool, int]:
    """Turns `total` (columns x Z, positive means 0) into posterior values, in place.

    Only the rows in `active` take part: a row whose own parity bits were all lost says nothing.
    Stops as soon as all active checks hold. Afterwards the rows left out tell what their parity
    bits must be. Returns whether the checks hold, and the rounds used (0: they did at once).
    """
    rows, Z = len(first) - 1, total.shape[1]
    degree = 0
    for row in range(rows):
        degree = max(degree, first[row + 1] - first[row])
    messages = np.zeros((len(column), Z), np.float32)
    heard = np.empty((degree, Z), np.float32)
    ahead = np.empty((degree, Z), np.float32)
    behind = np.empty(Z, np.float32)
    parity = np.empty(Z, np.uint8)
    ok, used = False, 0
    for round in range(iterations + 1):
        used, ok = round, True
        for row in range(rows):
            begin, end = first[row], first[row + 1]
            if active[row] and not _holds(total, column, shift, begin, end, parity):
                ok = False
                break
        if ok or round == iterations:
            break
        for row in range(rows):
            begin, end = first[row], first[row + 1]
            if active[row]:
                _layer(total, messages, column, shift, begin, end, heard, ahead, behind)
    for row in range(rows):
        begin, end = first[row], first[row + 1]
        if not active[row]:
            _layer(total, messages, column, shift, begin, end, heard, ahead, behind)
    return ok, used
