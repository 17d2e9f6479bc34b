"""What all peers have in common: the pictures and messages that they take."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.bench.peers import PEERS
from morebits.codecs import registry
from morebits.errors import DoesNotFit, ImageError, InputError

NAMES = [each.name for each in PEERS if "weights" not in each.needs]


def test_every_peer_of_the_table_has_a_maker():
    for each in PEERS:
        assert callable(registry.maker(each.name))


@pytest.mark.parametrize("name", NAMES)
class TestCovers:
    """None of these reaches the peer's own package, so it need not be there."""

    def test_gray_is_refused(self, name):
        with pytest.raises(ImageError, match=r"is gray.*convert it to RGB"):
            registry.codec(name).embed(np.zeros((300, 300), np.uint8), np.zeros(32, np.uint8))
        with pytest.raises(ImageError, match="is gray"):
            registry.codec(name).capacity(np.zeros((300, 300), np.uint8))

    def test_sixteen_bits_are_refused(self, name):
        deep = np.zeros((300, 300, 3), np.uint16)
        with pytest.raises(ImageError, match=r"16 bits a sample.*8 bits first"):
            registry.codec(name).embed(deep, np.zeros(32, np.uint8))
        with pytest.raises(ImageError, match="16 bits a sample"):
            registry.codec(name).extract(deep)

    def test_too_small(self, name):
        small = np.zeros((40, 40, 3), np.uint8)
        codec = registry.codec(name)
        assert codec.capacity(small) == 0
        with pytest.raises(DoesNotFit, match="needs 32 bits, 0 fit"):
            codec.embed(small, np.zeros(32, np.uint8))
        assert codec.extract(small).status == "nothing"
        assert codec.extract(small).bits is None

    def test_capacity_is_what_was_asked_for(self, name):
        assert registry.codec(name).capacity(np.zeros((256, 256, 3), np.uint8)) == 32

    def test_a_message_has_exactly_that_length(self, name):
        large = np.zeros((256, 256, 3), np.uint8)
        with pytest.raises(DoesNotFit, match="33 bits, 32 fit"):
            registry.codec(name).embed(large, np.zeros(33, np.uint8))
        with pytest.raises(InputError, match="give exactly 32"):
            registry.codec(name).embed(large, np.zeros(31, np.uint8))

    @pytest.mark.parametrize("bits", [0, -1, 1.5, True, "32"])
    def test_wrong_counts(self, name, bits):
        with pytest.raises(InputError, match="bits is"):
            registry.codec(name, bits=bits)
