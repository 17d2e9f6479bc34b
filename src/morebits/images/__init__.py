"""Read and write pictures: 8 and 16 bits, pixels as they are stored, nothing lost in silence.

Samples are what counts, so whatever would change them is either refused with a fix or written
down in `Picture.notes`. Alpha is set aside and written back untouched, and so are ICC profile,
EXIF and resolution. `docs/pictures.md` has the tables.

The EXIF orientation is not applied when reading: capacity does not depend on it, and hidden
bits live in the pixels as stored.
"""

from morebits.images.histogram import histogram
from morebits.images.metadata import MAX_METADATA
from morebits.images.picture import Picture, Samples
from morebits.images.reading import MAX_PIXELS, read
from morebits.images.turns import upright
from morebits.images.writing import check_write, write

__all__ = [
    "MAX_METADATA",
    "MAX_PIXELS",
    "Picture",
    "Samples",
    "check_write",
    "histogram",
    "read",
    "upright",
    "write",
]
