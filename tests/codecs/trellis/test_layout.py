"""Every sample of a picture has one use."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from morebits.codecs.trellis.lanes import LANES
from morebits.codecs.trellis.layout import HEAD_SAMPLES, Layout
from morebits.codecs.trellis.plan import most_bits, plan, register_length


@given(st.one_of(st.integers(160, 30_000), st.integers(2**20 - 5, 2**20 + 5)))
def test_no_sample_is_used_twice(samples):
    layout = Layout(samples)
    used = np.zeros(samples, int)
    for head in layout.heads:
        used[head : head + HEAD_SAMPLES] += 1
    for group in range(layout.groups):
        lanes = min(LANES, layout.segments - group * LANES)
        np.add.at(used, layout.places(group)[:, :lanes], 1)
    assert used.max() == 1
    assert (used == 0).sum() < layout.segments


def test_every_segment_sees_every_part_of_the_picture():
    layout = Layout(256 * 256 * 3)
    places = layout.places(0)
    tenths = places * 10 // layout.samples
    for lane in range(LANES):
        share = np.bincount(tenths[:, lane], minlength=10) / layout.steps
        assert np.abs(share - 0.1).max() < 0.002


def test_lanes_without_a_segment_repeat_the_last():
    layout = Layout(1000)
    places = layout.places(0)
    assert layout.segments == 1
    assert (places == places[:, :1]).all()


@given(st.integers(200, 50_000), st.sampled_from([8, 16]), st.sampled_from([4, 256]), st.data())
def test_a_plan_carries_what_it_is_asked(samples, depth, states, data):
    layout = Layout(samples)
    length = register_length(states, layout.steps)
    most = most_bits(layout, depth=depth, length=length)
    bits = data.draw(st.integers(0, most))
    found = plan(layout, bits, depth=depth, length=length)
    assert found is not None
    assert found.bits(layout.steps) * layout.segments >= bits
    assert found.plain <= depth - 2
    assert 2 * found.coded <= 3 * (layout.steps - length)
    assert plan(layout, most + layout.segments, depth=depth, length=length) is None
