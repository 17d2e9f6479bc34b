"""Parts of `mosaic.py`: data for the reader, its training, and what was asked of it."""
