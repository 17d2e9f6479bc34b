"""A second reader of the format, written from docs/container.md alone, in plain Python."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest

from morebits.codecs.keys import derive, keystream
from morebits.codecs.trellis import Trellis


def columns(length):
    stream = hashlib.shake_128(f"morebits trellis columns {length}".encode()).digest(8 * 1024)
    inner = sum(1 << place for place in range(2, length - 1))
    table = []
    for t in range(1024):
        one = int.from_bytes(stream[8 * t : 8 * t + 4], "little") & inner
        two = int.from_bytes(stream[8 * t + 4 : 8 * t + 8], "little") & inner
        one |= 1 << (length - 1) | 1
        two |= 1 << (length - 2) | 2
        table.append((0, one, two, one ^ two))
    return table


def segment(samples, length, plain, coded):
    table, register, bits, rest = columns(length), 0, [], []
    span = len(samples) - length
    for t, sample in enumerate(samples):
        register ^= table[t % 1024][(sample >> plain) & 3]
        i = t - length
        leaving = 0 if i < 0 else (i + 1) * coded // span - i * coded // span
        for _ in range(leaving):
            bits.append(register >> (length - 1))
            register = (register << 1) % (1 << length)
        rest += [(sample >> place) & 1 for place in reversed(range(plain))]
    assert len(bits) == coded
    return bits + rest


def to_bytes(bits):
    return np.packbits(np.array(bits, np.uint8)).tobytes()


def read(image, key):
    samples = [int(v) for v in image.reshape(-1)]
    n = len(samples)
    starts = [0] if n < 2**20 else [0, (n - 137) // 2, n - 137]
    head = to_bytes(segment(samples[:137], 9, 0, 192))
    lead = head[:12]
    fields = bytes(
        a ^ b for a, b in zip(head[12:], derive(key, lead, b"trellis-head", 12), strict=True)
    )
    secret = derive(key, lead, b"trellis-check", 32)
    check = hashlib.blake2b(lead + fields[:6], digest_size=6, key=secret).digest()
    assert check == fields[6:]
    number = f"{int.from_bytes(fields[:6], 'big'):048b}"
    version, length, plain, white, count = (
        int(number[a:b], 2) for a, b in ((0, 2), (2, 7), (7, 11), (11, 15), (15, 48))
    )
    assert version == 0
    taken = {place for start in starts for place in range(start, start + 137)}
    body = [sample for place, sample in enumerate(samples) if place not in taken]
    m = len(body)
    stride = m * 618033988749895 // 10**15
    while math.gcd(stride, m) > 1:
        stride += 1
    cut = 1 if n < 8192 else 16 * math.ceil(m / 2**18)
    steps = m // cut
    share = math.ceil(max(0, count - 96) / cut)
    bits = []
    for s in range(cut):
        piece = [body[(s * steps + t) * stride % m] for t in range(steps)]
        bits += segment(piece, length, plain, share - plain * steps)
    bits = bits[: max(0, count - 96)]
    stream = keystream(derive(key, lead, b"trellis-body%d" % white, 32), len(bits) // 8 + 1)
    white_bits = np.unpackbits(np.frombuffer(stream, np.uint8))[: len(bits)]
    first = np.unpackbits(np.frombuffer(lead, np.uint8))[: min(96, count)]
    return np.concatenate([first, np.array(bits, np.uint8) ^ white_bits])


@pytest.mark.parametrize(
    ("shape", "bits", "depth"),
    [((20, 20, 3), 50, 8), ((20, 20, 3), 2000, 8), ((60, 60, 3), 30_000, 8),
     ((50, 50, 1), 9000, 16), ((400, 900, 3), 500, 8)],
)  # fmt: skip
def test_reads_what_the_codec_wrote(shape, bits, depth):
    rng = np.random.default_rng(bits)
    kind = np.uint8 if depth == 8 else np.uint16
    cover = rng.integers(0, 2**depth, shape).astype(kind)
    message = rng.integers(0, 2, bits).astype(np.uint8)
    image = Trellis(psnr=20, key="k", states=64).embed(cover, message).image
    assert (read(image, "k") == message).all()
