"""Where things are in a marked picture: the head's copies, and the order of the body.

The samples of a picture are numbered row by row, channels innermost. The head lies in runs of
neighbouring samples (in the first row; in large pictures also in the middle and in the last
row), so that an edit of one region most likely leaves a copy of it. The body takes all other
samples in steps of the golden section of their number: every piece of the message is spread
over the whole picture, and dark, bright or flat regions weigh on all pieces alike. It is cut
into segments, each a trellis of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled
from morebits.codecs.trellis.lanes import LANES

#: Bits of the head, and the samples that carry it: 1.5 bits each once the register is full.
HEAD_BITS = 192
HEAD_LENGTH = 9
HEAD_SAMPLES = HEAD_BITS * 2 // 3 + HEAD_LENGTH

#: Pictures with fewer samples carry one copy of the head: three would cost too much of them.
_MEDIUM = 1 << 20
#: The body of a picture with fewer samples is one segment.
_SMALL = 1 << 13
#: Samples of the body that one group of segments takes, at most.
GROUP = 1 << 18


@dataclass(frozen=True)
class Layout:
    """The places of head and body in a picture of `samples` samples.

    >>> layout = Layout(768 * 512 * 3)
    >>> layout.heads.tolist(), layout.segments, layout.steps
    ([0, 589755, 1179511], 80, 14740)
    """

    samples: int

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """First sample of each copy of the head, in ascending order."""
        if self.samples < _MEDIUM:
            return np.zeros(1, np.int64)
        last = self.samples - HEAD_SAMPLES
        return np.array([0, last // 2, last], np.int64)

    @property
    def body(self) -> int:
        """Samples that are not head."""
        return max(0, self.samples - HEAD_SAMPLES * len(self.heads))

    @property
    def segments(self) -> int:
        """One, or a multiple of 16."""
        return 1 if self.samples < _SMALL else LANES * -(-self.body // GROUP)

    @property
    def groups(self) -> int:
        """Sets of up to 16 segments that are searched together."""
        return -(-self.segments // LANES)

    @property
    def steps(self) -> int:
        """Samples of each segment; up to `segments - 1` samples of the picture stay unused."""
        return self.body // self.segments

    @property
    def stride(self) -> int:
        """Distance in the body from one sample of a segment to the next."""
        stride = max(1, self.body * 618_033_988_749_895 // 10**15)
        while math.gcd(stride, self.body) > 1:
            stride += 1
        return stride

    def places(self, group: int) -> NDArray[np.int64]:
        """Sample numbers (steps, LANES) of a group; lanes beyond the last segment repeat it."""
        return _places(group, self.segments, self.steps, self.stride, self.body, self.heads)

    def head_places(self) -> NDArray[np.int64]:
        """Sample numbers (HEAD_SAMPLES, LANES) of the copies; further lanes repeat the last."""
        lanes = np.minimum(np.arange(LANES), len(self.heads) - 1)
        return np.arange(HEAD_SAMPLES)[:, None] + self.heads[lanes]


@compiled
def _places(
    group: int, segments: int, steps: int, stride: int, body: int, heads: NDArray[Any]
) -> NDArray[Any]:
    places = np.empty((steps, LANES), np.int64)
    for lane in range(LANES):
        segment = min(group * LANES + lane, segments - 1)
        at = stride * (segment * steps) % body
        for t in range(steps):
            place = at
            for head in heads:  # jump over the copies of the head
                if place >= head:
                    place += HEAD_SAMPLES
            places[t, lane] = place
            at = (at + stride) % body
    return places
