"""Mosaic: a small network of our own whose message is a map, so that bits grow with the pixels.

Tiles of 16 x 16 pixels, 10 functions on each, a quantisation lattice on what they see,
and a small convolutional reader that tells how far each number can be trusted. Around it stand
the error correction, the container and the pilot of the robust codec. It runs in numpy: torch is
needed for training alone.
"""

from morebits.neural.mosaic.codec import Mosaic

__all__ = ["Mosaic"]
