"""Other people's watermarkers as codecs, so that they meet ours in the same benchmark.

| codec | what runs | bits |
|---|---|---|
| `invisible-watermark:dwtDct`, `:dwtDctSvd` | the files of `invisible-watermark` 0.2 | `bits=32` |
| `invisible-watermark:rivaGan` | the networks in its wheel, with onnxruntime | 32 |
| `blind-watermark` | `blind-watermark` 0.4 | `bits=32` |
| `trustmark:Q`, `:B`, `:C`, `:P` | the `trustmark` package, `weights=` a folder | 100 |

What they have in common, and where they differ from our own codecs:

- They take 8-bit colour. A gray cover is refused, because most of them mark the colour only;
  a gray picture is read as colour with three equal channels.
- They carry exactly `capacity` bits: a shorter message is refused, it has no end mark.
- They make no claim of presence: `extract` answers "found" with a p-value of 1 for every
  picture, marked or not. Only a picture that the peer refuses to read gives "nothing".
- Their distortion is their own: there is no `psnr` to ask for.

Networks (Video Seal, MBRS, Watermark Anything, ...) are in `morebits.neural`, with the same rules.

The names are entry points of this package (`pyproject.toml`), as anyone's codec can be.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """One line of `morebits models`: the name, what it is, and what has to be installed."""

    name: str
    purpose: str
    needs: str


PEERS = (
    Peer("invisible-watermark:dwtDct", "wavelets and DCT, 32 bits", "morebits[peers]"),
    Peer("invisible-watermark:dwtDctSvd", "wavelets, DCT and SVD, 32 bits", "morebits[peers]"),
    Peer("invisible-watermark:rivaGan", "a network, 32 bits", "morebits[peers]"),
    Peer("blind-watermark", "wavelets, DCT and SVD with a password", "morebits[peers]"),
    Peer("trustmark", "TrustMark with weights of yours, 100 bits", "trustmark, weights=FOLDER"),
)
