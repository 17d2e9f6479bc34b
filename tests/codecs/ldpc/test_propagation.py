"""The rule at a check against its exact form."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.ldpc.propagation import _combine, _layer

VALUES = st.floats(-30, 30, width=32)


def exact(values):
    """2 artanh(prod tanh(v / 2)), in a form that does not overflow."""
    result = float(values[0])
    for value in map(float, values[1:]):
        result = float(np.logaddexp(0, result + value) - np.logaddexp(result, value))
    return result


@given(VALUES, VALUES)
@settings(max_examples=300, deadline=None)
def test_two_values(a, b):
    assert abs(_combine(np.float32(a), np.float32(b)) - exact([a, b])) < 0.03


@given(VALUES)
def test_nothing_known_about_one_is_nothing_known_about_the_sum(a):
    assert _combine(np.float32(a), np.float32(0)) == 0


@given(st.lists(VALUES, min_size=3, max_size=19), st.integers(0, 6))
@settings(max_examples=100, deadline=None)
def test_a_row_tells_each_bit_what_the_others_say(values, turn):
    degree, Z = len(values), 7
    total = np.tile(np.array(values, np.float32)[:, None], (1, Z))
    messages = np.zeros((degree, Z), np.float32)
    cells = np.arange(degree, dtype=np.int32)
    scratch = np.empty((2, degree, Z), np.float32)
    shifts = np.full(degree, turn, np.int32)
    behind = np.empty(Z, np.float32)
    _layer(total, messages, cells, shifts, 0, degree, scratch[0], scratch[1], behind)
    for k in range(degree):
        others = values[:k] + values[k + 1 :]
        assert np.abs(messages[k] - exact(others)).max() < 0.15
        assert np.allclose(total[k], values[k] + messages[k], atol=1e-4)
