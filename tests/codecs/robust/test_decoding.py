"""From an edited picture to its message, and to nothing where there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter

from morebits.attacks import parse
from morebits.codecs import pilot
from morebits.codecs.compact import Opener
from morebits.codecs.robust import Robust, colour, decoding, equalising
from morebits.codecs.robust.attempts import Map
from morebits.codecs.robust.decoding import Found
from morebits.codecs.robust.gain import Step

FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = json.loads((FOLDER / "robust-marks-1.json").read_text())


def payload_of(found: Found) -> bytes | None:
    return None if found.decoded is None else found.decoded.opened.payload


@pytest.mark.parametrize(
    ("whole", "score", "shows"), [(True, 4.2, True), (False, 4.2, False), (False, 9.0, True)]
)
def test_a_large_picture_shows_plainly_that_a_map_is_right(marked, whole, score, shows):
    best = decoding.decode(marked, "key", seconds=30).best
    assert best is not None
    read = replace(best.read, step=Step(best.read.step.levels, score))
    rectified = replace(best.rectified, whole=whole)
    assert replace(best, read=read, rectified=rectified).shows is shows


def nowhere(*_: object) -> np.ndarray:
    """No place, or no size, that the pilot suspects."""
    return np.zeros((0, 2), np.int64)


class TestWithoutPilot:
    """What the tiles find by themselves, where the pilot names no map at all."""

    @pytest.fixture(autouse=True)
    def _silent(self, monkeypatch):
        monkeypatch.setattr(pilot, "candidates", lambda *_, **__: iter(()))

    @pytest.mark.parametrize("edit", ["hue:0.2", "hue:-0.1", "rotate:30", "rotate:-8|jpeg:70"])
    def test_comes_back(self, marked, payload, edit):
        found = decoding.decode(parse(edit)(marked), "key", seconds=30)
        assert payload_of(found) == payload

    def test_nothing_in_a_cover(self, cover):
        assert decoding.decode(parse("rotate:30")(cover), "key", seconds=30).decoded is None


class TestFound:
    @pytest.mark.parametrize(
        ("edit", "geometry"),
        [
            ("none", "identity"),
            ("jpeg:50", "identity"),
            ("webp:80", "identity"),
            ("blur:7", "identity"),
            ("median:3", "identity"),
            ("noise:4", "identity"),
            ("brightness:0.5", "identity"),
            ("brightness:1.5", "identity"),
            ("contrast:1.5", "identity"),
            ("grayscale", "identity"),
            ("hflip", "flip"),
            ("rotate:90", "turn"),
            ("rotate:180|jpeg:70", "turn"),
            ("rotate:7", "rotation"),
            ("rotate:30|jpeg:80", "rotation"),
            ("crop:0.6", "crop"),
            ("crop:0.7|brightness:1.2|jpeg:60", "crop"),
            ("resize:0.6", "resize"),
            ("resize:1.4", "resize"),
            ("resize:0.71|jpeg:70", "resize"),
        ],
    )
    def test_after(self, marked, payload, edit, geometry):
        found = decoding.decode(parse(edit)(marked, seed=3), "key", seconds=30)
        assert payload_of(found) == payload
        assert found.details["geometry"] == geometry

    @pytest.mark.parametrize("turn", [0.1, -0.2])
    def test_after_another_hue(self, marked, payload, turn):
        found = decoding.decode(parse(f"hue:{turn}")(marked), "key", seconds=30)
        assert payload_of(found) == payload
        assert found.details["undone"] == f"hue {turn}"

    def test_after_light_that_burns_out(self, scene, payload):
        """Highlights of coloured surfaces come back from the channels that are left."""
        bits = np.unpackbits(np.frombuffer(payload, np.uint8))
        marked = Robust(psnr=45, key="key").embed(scene(240, 336, 5), bits).image
        bright = parse("brightness:1.8")(marked)
        assert (bright == 255).any(axis=2).mean() > 0.3
        assert payload_of(decoding.decode(bright, "key", seconds=30)) == payload

    def test_in_gray(self, cover, payload):
        bits = np.unpackbits(np.frombuffer(payload, np.uint8))
        gray = Robust(psnr=45, key="key").embed(cover[..., 1], bits).image
        gray = gray.reshape(240, 336, 1)
        assert payload_of(decoding.decode(gray, "key", seconds=30)) == payload
        received = parse("jpeg:60")(gray[40:, 30:])
        assert payload_of(decoding.decode(received, "key", seconds=30)) == payload

    def test_with_the_map_that_was_undone(self, marked):
        found = decoding.decode(marked[50:230, 60:], "key", seconds=30)
        assert found.best is not None
        assert found.best.map.matrix == pytest.approx(np.array([[1, 0, -60], [0, 1, -50]]))
        assert found.details["matrix"] == [[1, 0, -60], [0, 1, -50]]

    def test_with_the_step_after_a_change_of_light(self, marked):
        plain = decoding.decode(marked, "key", seconds=30).details
        dark = decoding.decode(parse("brightness:0.5")(marked), "key", seconds=30).details
        assert dark["step"] == pytest.approx(plain["step"] / 2, rel=0.01)
        assert dark["information"] > 0.9 * plain["information"]

    def test_details_are_plain(self, marked):
        details = decoding.decode(marked, "key", seconds=30).details
        assert json.loads(json.dumps(details)) == details
        assert set(details) >= {"geometry", "matrix", "undone", "step", "score", "information"}

    def test_in_a_real_photo_after_a_social_network(self, photo, payload):
        bits = np.unpackbits(np.frombuffer(payload, np.uint8))
        original = np.asarray(Image.open(photo).convert("RGB"))
        marked = Robust(psnr=45, key="key").embed(original, bits).image
        received = parse("fit:480|jpeg:70")(marked)[10:, 8:]
        assert payload_of(decoding.decode(received, "key", seconds=30)) == payload


class TestHypotheses:
    """What is tried when the picture as it is gives no message."""

    def test_a_strong_blur_is_undone(self, cover):
        bits = np.random.default_rng(1).integers(0, 2, 8 * 32, np.uint8)
        marked = Robust(psnr=45, key="key").embed(cover, bits).image
        found = decoding.decode(parse("blur:13")(marked), "key", seconds=30)
        assert payload_of(found) == np.packbits(bits).tobytes()
        assert found.details["undone"].startswith("blur")

    @pytest.mark.parametrize("cut", [True, False])
    def test_of_a_blur_that_shows_the_better_kernel_is_taken(self, photo, cut):
        """In a photo: the soft shapes of the scene do not tell one from the other."""
        cover = np.asarray(Image.open(photo).convert("RGB"))[:360, :480]
        marked = Robust(psnr=45, key="key").embed(cover, np.ones(1024, np.uint8)).image
        whole = gaussian_filter(marked.astype(float), (1.1, 1.1, 0), mode="mirror")
        blurred = parse("blur:5")(marked) if cut else np.rint(whole).astype(np.uint8)
        search = decoding._Search(blurred, "key", seconds=30)
        search.opener = Opener("another key")  # so that it does not end with the first message
        attempt = search._try(decoding._UNMOVED, "copied", "", "blur", equalising.blur(1.1))
        assert attempt is not None
        best = search._uncut(attempt)
        assert best.equaliser == equalising.Equaliser(1.1, cut=cut)

    def test_the_filter_of_a_resize_is_undone(self, marked):
        found = decoding.decode(parse("resize:0.5")(marked), "key", seconds=30)
        assert found.best is not None
        assert found.best.equaliser is not None
        assert found.best.equaliser.ratios == pytest.approx((0.5, 0.5), abs=0.01)
        enlarged = decoding.decode(parse("resize:1.3")(marked), "key", seconds=30)
        assert enlarged.best is not None
        assert enlarged.best.equaliser is None

    def test_a_map_that_is_a_little_off_is_mended(self, marked, monkeypatch):
        """As long as no message opens; here none ever does."""
        small = parse("resize:0.75")(marked)
        true = pilot.locate(small, "key")
        wrong = replace(true, matrix=true.matrix + np.array([[0, 0, 0.25], [0, 0, -0.2]]))
        monkeypatch.setattr(decoding.pilot, "candidates", lambda *_, **__: iter([wrong]))
        monkeypatch.setattr(decoding.pilot.Suspects, "crops", nowhere)
        monkeypatch.setattr(decoding.pilot.Suspects, "sizes", nowhere)
        monkeypatch.setattr(decoding.reading, "decode", lambda *_: None)
        found = decoding.decode(small, "key", seconds=30)
        assert found.best is not None
        assert np.abs(found.best.map.matrix - true.matrix)[:, 2].max() < 0.1

    def test_the_angle_of_a_rotation_is_made_exact(self, marked, monkeypatch):
        turned = parse("rotate:6.5")(marked)
        true = pilot.locate(turned, "key")
        cos, sin = np.cos(np.radians(6.5) + 0.0012), np.sin(np.radians(6.5) + 0.0012)
        middle = np.array([335, 239]) / 2
        linear = np.array([[cos, sin], [-sin, cos]])
        wrong = replace(true, matrix=np.column_stack([linear, middle - linear @ middle]))
        monkeypatch.setattr(decoding.pilot, "candidates", lambda *_, **__: iter([wrong]))
        monkeypatch.setattr(decoding, "_PLAIN", np.inf)  # no angle is good enough to stop at
        found = decoding.decode(turned, "key", seconds=30)
        assert found.best is not None
        assert found.best.way == "nearest"
        here = np.arctan2(found.best.map.matrix[0, 1], found.best.map.matrix[0, 0])
        assert here == pytest.approx(np.radians(6.5), abs=0.0004)

    @pytest.mark.parametrize("edit", ["resize:0.71", "resize:1.3", "resize:0.5|jpeg:80"])
    def test_sizes_that_the_pilot_only_suspects(self, marked, payload, monkeypatch, edit):
        monkeypatch.setattr(decoding.pilot, "candidates", lambda *_, **__: iter([]))
        found = decoding.decode(parse(edit)(marked), "key", seconds=30)
        assert payload_of(found) == payload
        assert found.details["geometry"] == "resize"

    def test_crops_that_the_pilot_only_suspects(self, marked, payload, monkeypatch):
        monkeypatch.setattr(decoding.pilot, "candidates", lambda *_, **__: iter([]))
        found = decoding.decode(marked[31:, 47:], "key", seconds=30)
        assert payload_of(found) == payload
        assert found.details["geometry"] == "crop"

    def test_parts_that_the_pilot_does_not_even_suspect(self, marked, payload, monkeypatch):
        monkeypatch.setattr(decoding.pilot, "candidates", lambda *_, **__: iter([]))
        monkeypatch.setattr(decoding.pilot.Suspects, "crops", nowhere)
        found = decoding.decode(parse("jpeg:70")(marked[31:, 47:]), "key", seconds=30)
        assert payload_of(found) == payload
        assert found.details["matrix"] == [[1, 0, -47], [0, 1, -31]]

    def test_a_small_part_is_read_from_its_tints_too(self, cover):
        """More bits than the luma of its tiles has numbers."""
        bits = np.random.default_rng(3).integers(0, 2, 8 * 90, np.uint8)
        marked = Robust(psnr=45, key="key").embed(cover, bits).image
        part = marked[60:160, 100:224]
        found = decoding.decode(part, "key", seconds=30)
        assert payload_of(found) == np.packbits(bits).tobytes()
        assert found.best is not None
        assert len(found.best.tints) == 2
        gray = part @ np.array([0.299, 0.587, 0.114])
        grays = np.rint(gray).astype(np.uint8)[..., None].repeat(3, axis=2)
        assert decoding.decode(grays, "key", seconds=30).decoded is None

    @pytest.mark.parametrize(("edit", "times"), [("none", 0), ("brightness:1.5", 1)])
    def test_clipped_colours_are_rebuilt_once_where_there_are_any(
        self, cover, edit, times, monkeypatch
    ):
        calls: list[int] = []
        rebuild = colour.restored

        def restored(image: np.ndarray) -> object:
            calls.append(1)
            return rebuild(image)

        monkeypatch.setattr(decoding.colour, "restored", restored)
        monkeypatch.setattr(decoding.pilot, "candidates", lambda *_, **__: iter([]))
        monkeypatch.setattr(decoding.pilot.Suspects, "crops", nowhere)
        decoding.decode(parse(edit)(cover.clip(1, 254)), "key", seconds=30)
        assert len(calls) == times


class TestNothing:
    def test_in_a_picture_without_a_mark(self, cover):
        found = decoding.decode(cover[:192, :192], "key", seconds=30)
        assert found.decoded is None

    @pytest.mark.parametrize("key", ["another", None])
    def test_with_another_key(self, marked, key):
        assert payload_of(decoding.decode(marked[:168, :168], "key", seconds=30))
        assert decoding.decode(marked[:168, :168], key, seconds=30).decoded is None

    @pytest.mark.parametrize(("value", "channels"), [(0, 3), (128, 1), (255, 3)])
    def test_in_one_colour(self, value, channels):
        plain = np.full((72, 96, channels), value, np.uint8)
        assert decoding.decode(plain, "key", seconds=30).decoded is None

    @pytest.mark.parametrize("size", [(1, 1), (1, 300), (24, 24), (47, 25)])
    def test_in_tiny_pictures(self, size):
        picture = np.random.default_rng(0).integers(0, 256, (*size, 3), np.uint8)
        assert decoding.decode(picture, "key", seconds=30).decoded is None


class TestTime:
    """A clock of our own: nothing here waits."""

    def test_no_time_is_one_try(self, marked, payload):
        """The picture as it is gets its chance, whatever the time."""
        assert payload_of(decoding.decode(marked, "key", seconds=1e-6)) == payload

    def test_no_time_leaves_edits_undone(self, marked, monkeypatch):
        turned = parse("rotate:7")(marked)
        asked: list[float] = []
        monkeypatch.setattr(decoding.pilot, "candidates", lambda *_, **__: asked.append(1))
        found = decoding.decode(turned, "key", seconds=1e-6)
        assert found.decoded is None
        assert not asked

    def test_the_search_ends_when_the_time_is_up(self, cover, monkeypatch):
        """Every look at the clock takes a second; ten seconds are few looks."""
        looks: list[float] = []

        def clock() -> float:
            looks.append(1.0)
            return float(len(looks))

        monkeypatch.setattr(decoding, "clock", clock)
        found = decoding.decode(cover[:192, :192], "key", seconds=10)
        assert found.decoded is None
        assert found.seconds > 10
        assert len(looks) < 60


class TestGolden:
    """Pictures that were marked when the format was made: every later version reads them."""

    @pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["file"])
    def test_is_still_read(self, case):
        found = Robust(key=case["key"]).extract(FOLDER / case["file"])
        assert found.status == "found"
        assert found.payload is not None
        assert found.payload.hex() == case["payload"]
        assert found.details["geometry"] == case["geometry"]

    def test_a_map_that_shows_nothing_does_not_keep_the_right_one_waiting(
        self, marked, payload, monkeypatch
    ):
        """A wrong map beyond doubt comes first; its hues and blurs are left for the end."""
        right = Map(np.array([[1, 0, -30], [0, 1, -20]], float), "crop", 1e-12)
        wrong = Map(np.array([[0, 1, 5], [1, 0, -9]], float), "crop", 1e-7)
        tried = []
        plain = decoding._Search._try

        def spy(self, map_, way, look, undone, equaliser, most=48):
            tried.append((map_.p_value, undone))
            return plain(self, map_, way, look, undone, equaliser, most)

        monkeypatch.setattr(decoding._Search, "_try", spy)
        monkeypatch.setattr(decoding, "_maps", lambda *_: iter([wrong, right]))
        assert payload_of(decoding.decode(marked[20:, 30:], "key", seconds=60)) == payload
        assert tried == [(1e-7, ""), (1e-12, "")]
        tried.clear()
        monkeypatch.setattr(decoding, "_maps", lambda *_: iter([wrong]))
        assert payload_of(decoding.decode(marked[20:, 30:], "key", seconds=60)) is None
        assert (1e-7, "hue 0.1") in tried
