"""Sixteen trellises at once: one vector instruction a state.

A path metric is 16 bits, so a register of 256 bits holds the same state of 16 independent
segments. LLVM does not find that by itself (it cannot prove that numba's arrays do not
overlap), hence these intrinsics, which say it in its own language. They are plain LLVM
vectors: any processor runs them, and the results are the same integers everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

#: Segments that share a register.
LANES = 16

_METRICS = ir.VectorType(ir.IntType(16), LANES)
_MASK = ir.IntType(LANES)


def _vector(function: Callable[..., Any]) -> Any:
    """An instruction for numba; literal arguments keep their values."""
    return intrinsic(prefer_literal=True)(function)


def _row(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Pointer to the vector `array[index, :]`."""
    data = context.make_array(kind)(context, builder, array).data
    offset = builder.mul(index, ir.Constant(index.type, LANES))
    return builder.bitcast(builder.gep(data, [offset]), _METRICS.as_pointer())


def _sum(context: Any, builder: Any, signature: Any, args: Any, state: int, symbol: int) -> Any:
    """Metric of a state plus the cost of a symbol; operands are named by their place in args."""
    old_kind, cost_kind = signature.args[0], signature.args[3]
    old = builder.load(_row(context, builder, old_kind, args[0], args[state]), align=2)
    row = ir.Constant(args[state].type, symbol)
    return builder.add(old, builder.load(_row(context, builder, cost_kind, args[3], row), align=2))


def _smaller(builder: Any, left: Any, right: Any) -> tuple[Any, Any]:
    """The smaller of two vectors, and the mask of lanes where it is the right one."""
    less = builder.icmp_signed("<", right, left)
    return builder.select(less, right, left), less


def _put(builder: Any, context: Any, kind: Any, array: Any, index: Any, mask: Any) -> None:
    data = context.make_array(kind)(context, builder, array).data
    builder.store(builder.bitcast(mask, _MASK), builder.gep(data, [index]), align=2)


@_vector
def relax_one(
    _typing: Any, old: Any, new: Any, marks: Any, costs: Any, to: Any, a: Any, z: Any
) -> Any:
    """`new[to] = old[a] + costs[z]`: a step without a choice; z is a literal."""
    symbol = z.literal_value

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        best = _sum(context, builder, signature, args, 5, symbol)
        builder.store(best, _row(context, builder, new, args[1], args[4]), align=2)
        return context.get_dummy_value()

    return types.void(old, new, marks, costs, to, a, z), code


@_vector
def relax_two(
    _typing: Any, old: Any, new: Any, marks: Any, costs: Any, to: Any, a: Any, b: Any, z: Any
) -> Any:
    """`new[to] = min(old[a] + costs[z], old[b] + costs[z + 2])`; `marks[to]` says which."""
    symbol = z.literal_value

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left = _sum(context, builder, signature, args, 5, symbol)
        right = _sum(context, builder, signature, args, 6, symbol + 2)
        best, mask = _smaller(builder, left, right)
        builder.store(best, _row(context, builder, new, args[1], args[4]), align=2)
        _put(builder, context, marks, args[2], args[4], mask)
        return context.get_dummy_value()

    return types.void(old, new, marks, costs, to, a, b, z), code


@_vector
def relax_four(
    _typing: Any, old: Any, new: Any, marks: Any, costs: Any, to: Any, a: Any, b: Any, c: Any,
    d: Any,
) -> Any:  # fmt: skip
    """The best of four: `marks[2 to]` is the low bit of the symbol, `marks[2 to + 1]` the high."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sums = [_sum(context, builder, signature, args, 5 + z, z) for z in range(4)]
        low, odd_low = _smaller(builder, sums[0], sums[1])
        high, odd_high = _smaller(builder, sums[2], sums[3])
        best, upper = _smaller(builder, low, high)
        builder.store(best, _row(context, builder, new, args[1], args[4]), align=2)
        odd = builder.select(upper, odd_high, odd_low)
        twice = builder.shl(args[4], ir.Constant(args[4].type, 1))
        _put(builder, context, marks, args[2], twice, odd)
        after = builder.add(twice, ir.Constant(twice.type, 1))
        _put(builder, context, marks, args[2], after, upper)
        return context.get_dummy_value()

    return types.void(old, new, marks, costs, to, a, b, c, d), code


@_vector
def lower(_typing: Any, metrics: Any, floor: Any, to: Any) -> Any:
    """`floor[0] = min(floor[0], metrics[to])`, lane by lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, floor_kind = signature.args[:2]
        least = _row(context, builder, floor_kind, args[1], ir.Constant(args[2].type, 0))
        value = builder.load(_row(context, builder, kind, args[0], args[2]), align=2)
        best, _ = _smaller(builder, builder.load(least, align=2), value)
        builder.store(best, least, align=2)
        return context.get_dummy_value()

    return types.void(metrics, floor, to), code


@_vector
def subtract(_typing: Any, metrics: Any, floor: Any, to: Any) -> Any:
    """`metrics[to] -= floor[0]`, lane by lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, floor_kind = signature.args[:2]
        least = _row(context, builder, floor_kind, args[1], ir.Constant(args[2].type, 0))
        place = _row(context, builder, kind, args[0], args[2])
        value = builder.sub(builder.load(place, align=2), builder.load(least, align=2))
        builder.store(value, place, align=2)
        return context.get_dummy_value()

    return types.void(metrics, floor, to), code
