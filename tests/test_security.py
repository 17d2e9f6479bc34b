"""The claims of docs/security.md that no other test holds, and the page's links to its tests."""

from __future__ import annotations

import ast
import hashlib
import importlib
import re
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import morebits as mb
from morebits import attacks, images
from morebits.codecs import compact, container, keys
from morebits.codecs.robust.codec import Robust, mark
from morebits.codecs.robust.layout import Layout

SECRET = b"meet me at noon"
_Y, _X = np.mgrid[0:144, 0:168]


def cover(seed: int = 1):
    noise = np.random.default_rng(seed).normal(0, 8, (*_X.shape, 3))
    waves = 120 + 60 * np.sin((_X + 40 * seed) / 25) * np.cos(_Y / (30 + seed))
    return np.clip(np.rint(waves[..., None] + noise), 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def marked():
    """One picture of each codec, by its name, with a key."""
    return {
        name: mb.hide(cover(), SECRET, key="right", codec=name, psnr=42).image
        for name in ("robust", "trellis")
    }


class TestSecrecy:
    @pytest.mark.parametrize("name", ["robust", "trellis"])
    def test_only_the_key_opens_it(self, marked, name):
        assert mb.reveal(marked[name], key="right", codec=name).payload == SECRET
        for key in ("Right", b"right\0", None):
            found = mb.reveal(marked[name], key=key, codec=name, seconds=0.3)
            assert found.payload is None
            assert found.status == "nothing"

    def test_the_payload_is_nowhere_in_the_message(self):
        long = SECRET * 8
        for message in (
            container.pack(long, key="right", context=b""),
            compact.pack(long, key="right", size=200),
        ):
            assert all(long[at : at + 3] not in message for at in range(len(SECRET)))


class TestWrongKey:
    #: The best of what was tried with this key comes along where there was time for it, whether
    #: there is a mark or not; `benchmarks/attackers.py --part timing` compares its score.
    DETAILS = frozenset({
        "geometry", "information", "matrix", "score", "seconds", "step", "tried", "undone",
    })  # fmt: skip

    def test_is_the_same_answer_as_no_mark(self, marked):
        """Same status, same fields, same words; how long it took is not claimed to be the same."""
        answers = [mb.reveal(cover(), key="wrong", seconds=0.3)]
        answers += [mb.reveal(each, key="wrong", seconds=0.3) for each in marked.values()]
        answers += [mb.reveal(each, key=None, seconds=0.3) for each in marked.values()]
        first = answers[0]
        for each in answers:
            assert (each.status, each.codec, each.p_value) == ("nothing", first.codec, 1.0)
            assert each.payload is None
            assert each.bits is None
            assert set(each.details) <= self.DETAILS
            assert each.details["tried"] == first.details["tried"]
            assert repr(each) == repr(first)


class TestGuessing:
    def test_a_guess_needs_16_mib(self):
        """`derive` is scrypt with N = 2^14 and r = 8, which cannot be had with less memory."""
        password = hashlib.blake2b(b"guess", person=b"morebits key").digest()
        cost = {"salt": bytes(12), "n": 2**14, "r": 8, "p": 1, "dklen": 32}
        with pytest.raises(ValueError, match=r"(?i)memory"):
            hashlib.scrypt(password, **cost, maxmem=16 << 20)
        master = hashlib.scrypt(password, **cost, maxmem=18 << 20)
        block = hashlib.blake2b(bytes(8), key=master, person=b"purpose").digest()
        assert keys.derive("guess", bytes(12), b"purpose", 64) == block

    def test_a_guess_takes_milliseconds_each_time(self):
        start = time.perf_counter()
        for guess in range(5):
            keys.derive(f"guess {guess}", b"another salt", b"purpose", 32)
        assert time.perf_counter() - start > 5 * 0.005  # ten times less than it takes

    def test_one_table_of_guesses_is_good_for_all_robust_marks(self):
        """Said on the page, because it is a weakness: the salt of a compact message is constant."""
        first, second = (compact.pack(each, key="weak", size=20) for each in (b"one", b"two"))
        opener = compact.Opener("weak")
        assert opener.open(first)
        assert opener.open(second)
        salts = {container.pack(each, key="weak", context=b"")[:12] for each in (b"one", b"two")}
        assert len(salts) == 2


class TestNonces:
    """A stream cipher is used with a key of its own for every content."""

    def test_every_container_has_its_own_salt(self):
        salts = {container.pack(b"%d" % number, key=None, context=b"")[:12]
                 for number in range(1_000)}  # fmt: skip
        salts |= {container.pack(b"same", key=None, context=b"%d" % number)[:12]
                  for number in range(1_000)}  # fmt: skip
        assert len(salts) == 2_000

    def test_with_a_key_too(self):
        salts = {container.pack(b"%d" % number, key="right", context=b"")[:12]
                 for number in range(5)}  # fmt: skip
        salts |= {container.pack(b"0", key=f"right {number}", context=b"")[:12]
                  for number in range(3)}  # fmt: skip
        assert len(salts) == 8

    def test_every_compact_message_has_its_own_tag(self):
        secrets = compact._secrets("right")
        tags = {compact._seal(0, b"%d" % number, 20, secrets)[:6] for number in range(20_000)}
        tags |= {compact._seal(0, b"0", size, secrets)[:6] for size in range(21, 200)}
        assert len(tags) == 20_000 + 179

    def test_the_same_content_is_the_same_message_and_so_tells_nothing_new(self):
        packed = {container.pack(SECRET, key="right", context=b"a cover") for _ in range(3)}
        assert len(packed) == 1


class TestTwoPicturesOfOneKey:
    def test_fragile_messages_have_nothing_in_common(self):
        long = bytes(range(256)) * 3
        packed = [container.pack(long, key="right", context=each) for each in (b"1", b"2", b"3")]
        bits = [np.unpackbits(np.frombuffer(each, np.uint8)) for each in packed]
        for one, other in combinations(bits, 2):
            length = min(one.size, other.size)
            assert abs(np.mean(one[:length] ^ other[:length]) - 0.5) < 0.05

    def test_robust_messages_of_equal_payloads_are_equal(self):
        """Said on the page: there is no room for a salt. Another payload has nothing in common."""
        same = {compact.pack(SECRET, key="right", size=40) for _ in range(2)}
        assert len(same) == 1
        other = compact.pack(SECRET[:-1] + b"!", key="right", size=40)
        bits = [np.unpackbits(np.frombuffer(each, np.uint8)) for each in (*same, other)]
        assert abs(np.mean(bits[0] ^ bits[1]) - 0.5) < 0.15

    def test_photos_of_one_key_tell_its_dither(self, monkeypatch):
        """Said on the page: a few that were never moved are enough, and no cover is needed."""
        monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
        dither = importlib.import_module("schemes.dither")
        covers = [images.read(cover(seed)) for seed in range(9)]
        marks = [mark(each, bytes([seed] * 8), "right", 42) for seed, each in enumerate(covers)]
        guess = dither.guess(marks[:8])
        for key, least, most in (("right", 0.85, 1), ("other", 0.45, 0.55)):
            truth = Layout.of(key).window(0, 0, 6, 7).dither
            assert least < dither.right(guess, truth) <= most
        assert Robust(key="right").extract(marks[8]).payload == bytes([8] * 8)
        cleaned = dither.erased(marks[8], guess, 1.5)
        assert Robust(key="right", seconds=1).extract(cleaned).status == "nothing"


class TestCopying:
    def test_what_a_robust_mark_added_says_nothing_in_another_photo(self):
        first, second = cover(1), cover(2)
        once = mark(images.read(first), SECRET, "right", 42)
        forged = np.clip(second + (once.astype(int) - first), 0, 255).astype(np.uint8)
        assert Robust(key="right").extract(once).payload == SECRET
        assert Robust(key="right", seconds=2).extract(forged).status == "nothing"

    def test_what_a_fragile_mark_added_says_nothing_either(self, marked):
        change = marked["trellis"].astype(int) - cover(1)
        forged = np.clip(cover(2) + change, 0, 255).astype(np.uint8)
        assert mb.reveal(forged, key="right", codec="trellis").status == "nothing"

    def test_a_payload_without_a_key_can_be_moved_by_anyone(self):
        found = mb.reveal(mb.hide(cover(1), SECRET, codec="trellis").image).payload
        moved = mb.hide(cover(2), found or b"", codec="trellis").image
        assert mb.reveal(moved).payload == SECRET

    def test_the_whole_marked_picture_is_not_bound_to_its_owner(self, marked):
        """A mark says what was hidden, not by whom: a copied file is as good as the first."""
        assert mb.reveal(marked["trellis"].copy(), key="right").payload == SECRET


class TestForging:
    def test_without_a_key_anyone_can_write_a_mark(self):
        forged = mb.hide(cover(), b"signed: somebody else", codec="trellis").image
        assert mb.reveal(forged).status == "found"

    def test_a_mark_without_a_key_is_none_of_a_key(self):
        for name in ("trellis", "robust"):
            forged = mb.hide(cover(), SECRET, codec=name, psnr=42).image
            assert mb.reveal(forged, key="right", seconds=0.3).status == "nothing"

    def test_messages_made_up_are_never_accepted(self):
        opener, rng = compact.Opener("right"), np.random.default_rng(5)
        assert not any(opener.open(rng.bytes(24)) for _ in range(20_000))


class TestRemoving:
    @pytest.mark.parametrize("edit", ["jpeg:95", "noise:1", "resize:0.9", "crop:0.99"])
    def test_any_edit_destroys_a_fragile_mark(self, marked, edit):
        edited = attacks.parse(edit)(marked["trellis"])
        assert not mb.reveal(edited, key="right", codec="trellis")

    def test_strong_noise_removes_a_robust_one(self, marked):
        edited = attacks.parse("noise:60")(marked["robust"])
        assert mb.reveal(edited, key="right", codec="robust", seconds=2).status == "nothing"


class TestThePage:
    PAGE = Path(__file__).parents[1] / "docs" / "security.md"

    def test_every_test_that_it_names_exists(self, root):
        page = self.PAGE.read_text("utf-8")
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?(?:::(\w+))?`", page)
        assert len(named) >= 20
        for path, *names in named:
            tree = ast.parse((root / path).read_text("utf-8"))
            known = {each.name for each in ast.walk(tree)
                     if isinstance(each, (ast.FunctionDef, ast.ClassDef))}  # fmt: skip
            assert {name for name in names if name} <= known, (path, names)

    def test_every_class_here_is_named_there(self):
        page = self.PAGE.read_text("utf-8")
        tree = ast.parse(Path(__file__).read_text("utf-8"))
        for each in tree.body:
            if isinstance(each, ast.ClassDef) and each.name != "TestThePage":
                assert f"tests/test_security.py::{each.name}" in page
