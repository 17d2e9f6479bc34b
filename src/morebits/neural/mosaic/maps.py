"""The map itself, without code and container: what the network is trained and measured with.

A map is any number of blocks of 9 bits. Where it is smaller than the picture its blocks are there
several times, and the soft values of the copies are added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import images
from morebits.attacks.attack import eight_bits
from morebits.codecs import keys
from morebits.codecs.budget import allowed_error
from morebits.neural.mosaic import network as networks
from morebits.neural.mosaic import reading
from morebits.neural.mosaic.layout import SLOTS, Layout
from morebits.neural.mosaic.network import Network
from morebits.neural.mosaic.reading import Read
from morebits.neural.mosaic.searching import Search
from morebits.neural.mosaic.writing import Canvas

#: The density of one bit a number.
_ONE_BIT = 0


def write(
    cover: Any, bits: NDArray[np.uint8], *, psnr: float, key: keys.Key = None,
    network: Network | None = None,
) -> NDArray[Any]:  # fmt: skip
    """The samples of a picture with a map in it; `bits` are a multiple of 9."""
    picture = images.read(cover)
    chosen = network or networks.trained()
    canvas = Canvas.of(picture, chosen, key, psnr)
    window = Layout.of(key).window(0, 0, *canvas.shape)
    places = window.places(_ONE_BIT, np.zeros(canvas.shape, np.bool_), bits)
    budget = allowed_error(picture.format, psnr, peak=None, samples=picture.array.size)
    alphas = window.shares(_ONE_BIT, networks.ALPHA)
    return canvas.write(window.dither + places, alphas, budget)[0]


def read(
    image: Any, *, key: keys.Key = None, network: Network | None = None, seconds: float = 10.0
) -> Read | None:
    """The reading of a picture in which the known numbers agree best; None when none do.

    >>> cover = np.random.default_rng(1).integers(60, 190, (160, 160, 3), np.uint8)
    >>> bits = np.arange(18, dtype=np.uint8) % 2
    >>> marked = write(cover, bits, psnr=42)
    >>> found = read(marked)
    >>> ((soft_values(found, 18) > 0) == bits).all()
    np.True_
    """
    array = eight_bits(images.read(image).array)
    look = Search(array, key, network or networks.trained(), seconds).best_look()
    return None if look is None else reading.read(look.numbers)


def soft_values(read: Read, bits: int) -> NDArray[np.float32]:
    """Soft values of a map of so many bits, its copies added up."""
    return read.map(_ONE_BIT, bits // SLOTS)


def each_soft(read: Read) -> NDArray[np.float32]:
    """Soft values of every tile's block, (rows, columns, 9): copies apart."""
    return read.soft(_ONE_BIT)
