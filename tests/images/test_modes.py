"""Pictures of every mode and kind: read with the samples that they have, or refused by us."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from morebits import images
from morebits.errors import ImageError
from morebits.images import Picture

sys.path.insert(0, str(Path(__file__).parent))
from picture_strategies import KINDS, MODES, PLAIN, pictures, written


def sound(picture: Picture, size: tuple[int, int]) -> None:
    """Whatever was read is a picture as the rest of the program wants it."""
    height, width, channels = picture.array.shape
    assert (width, height) == size
    assert channels in (1, 3)
    assert picture.array.dtype in (np.uint8, np.uint16)
    assert picture.depth == 8 * picture.array.dtype.itemsize
    assert not picture.array.flags.writeable
    if picture.alpha is not None:
        assert picture.alpha.shape == (height, width)
        assert picture.alpha.dtype == picture.array.dtype


def together(picture: Picture) -> np.ndarray:
    parts = [picture.array] + ([] if picture.alpha is None else [picture.alpha[..., None]])
    return np.concatenate(parts, axis=2)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=20)
@given(data=st.data())
def test_an_image_of_any_mode(mode, data):
    image = data.draw(pictures(mode))
    try:
        found = images.read(image)
    except ImageError:
        assert mode not in PLAIN
        return
    sound(found, image.size)
    if mode in PLAIN:
        assert (together(found) == np.atleast_3d(np.asarray(image))).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=5)
@given(data=st.data())
def test_a_file_of_any_mode(tmp_path_factory, mode, kind, data):
    image = data.draw(pictures(mode))
    content = written(image, kind)
    if content is None:
        return
    path = tmp_path_factory.mktemp("modes") / "picture"
    path.write_bytes(content)
    try:
        found = images.read(path)
    except ImageError:
        return
    sound(found, image.size)
    with Image.open(path) as again:
        if kind == "PNG" and again.mode in PLAIN:
            assert (together(found) == np.atleast_3d(np.asarray(again))).all()
