"""Planning: what is asked for, what is tried, and what is said about it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.attacks import Attack, parse
from morebits.codecs import compact
from morebits.codecs.robust import decoding, planning, sizes
from morebits.codecs.robust.planning import Planner, Trial, edits, message_bits, payload_bytes
from morebits.errors import DoesNotFit, InputError, UnknownName


class Simulated(Planner):
    """Trials without pictures: an edit is survived up to a PSNR, and leaves so much information.

    `reach` has the highest PSNR of each edit for any message, `information` the bits at 45 dB,
    which fall by a tenth with every dB.
    """

    def __init__(self, reach, information=None, progress=None):
        self.reach, self.left = reach, information or {}
        self.tried: list[tuple[float, str, int]] = []
        names = tuple(parse(text) for text in reach)
        super().__init__(
            lambda payload, psnr: np.array([psnr]), None, names, seconds=1, progress=progress
        )

    def _try(self, marked, edit, limit=np.inf):
        self._steps.step()
        psnr, size = float(marked.image[0]), len(marked.payload)
        self.tried.append((psnr, edit.text, size))
        information = self.left.get(edit.text, 10_000) * 0.9 ** (psnr - 45)
        enough = message_bits(information) >= 8 * size + 56
        survived = psnr <= self.reach[edit.text] and enough
        return Trial(edit, survived, information if survived else 0.0, 0.01)


class TestEdits:
    def test_the_file_itself_is_always_among_them(self):
        assert edits("jpeg:50")[0] == Attack()
        assert edits(()) == edits([]) == edits("none") == (Attack(),)

    def test_a_chain_is_one_edit_and_a_list_several(self):
        assert [each.text for each in edits("jpeg:50|crop:0.8")] == ["none", "jpeg:50|crop:0.8"]
        assert [each.text for each in edits(["jpeg:50", "crop:0.8"])] == [
            "none", "jpeg:50", "crop:0.8",
        ]  # fmt: skip

    def test_takes_generators_and_attacks(self):
        assert edits(each for each in ("hflip", parse("hflip"))) == edits("hflip")
        assert edits(parse("hflip")) == edits("hflip")

    @pytest.mark.parametrize("wrong", [3, "sharpen", ["jpeg"], "jpeg:500"])
    def test_says_what_is_wrong(self, wrong):
        with pytest.raises((InputError, UnknownName)):
            edits(wrong)


class TestSizes:
    @given(st.floats(0, 1e6), st.floats(0, 1e6))
    def test_more_information_never_holds_less(self, one, other):
        low, high = sorted((one, other))
        assert 0 <= message_bits(low) <= message_bits(high) <= high

    @given(st.floats(0, 1e6))
    def test_a_payload_fits_its_message_and_no_longer_class_does(self, bits):
        size = payload_bytes(bits)
        longest = [sizes.message_bits(each) for each in range(sizes.CLASSES)]
        fitting = [each for each in longest if each <= bits]
        assert (size is None) == (not fitting)
        if size is not None:
            assert 8 * size + 56 == fitting[-1]


class TestStrongest:
    def test_one_edit_a_side_of_each_family(self):
        chosen = [each.text for each in planning.strongest(edits("paper-compact"))]
        assert sorted(chosen) == sorted(
            ["none", "hflip", "rotate:10", "resize:0.71", "crop:0.77", "brightness:0.5",
             "brightness:1.5", "contrast:0.5", "contrast:1.5", "jpeg:50", "blur:9"]
        )  # fmt: skip

    def test_combinations_and_edits_without_strength_stay(self):
        wanted = edits(["crop:0.8|jpeg:50", "crop:0.9|jpeg:50", "grayscale", "translate:3,4"])
        assert planning.strongest(wanted) == wanted


class TestQuietest:
    def test_lies_the_margin_below_the_weakest_mark_that_survived(self):
        planner = Simulated({"none": 60, "jpeg:50": 50.2, "hflip": 55})
        assert planner.quietest(b"12345678")[0] == 49.0

    def test_everything_is_tried_at_the_psnr_that_comes_out(self):
        reach = dict.fromkeys(("none", "jpeg:50", "jpeg:60", "jpeg:70", "hflip", "crop:0.8"), 60.0)
        planner = Simulated({**reach, "jpeg:50": 48.0})
        psnr = planner.quietest(b"")[0]
        assert {text for tried, text, _ in planner.tried if tried == psnr} == set(planner.reach)

    def test_goes_down_for_an_edit_that_the_search_did_not_look_at(self):
        # A milder edit of a family that is harder than the stronger one: only the end sees it.
        planner = Simulated({"none": 60, "rotate:10": 55, "rotate:5": 47.0})
        assert planner.quietest(b"")[0] == 47.0

    @pytest.mark.parametrize(("reach", "psnr"), [(45.0, 45.0), (45.9, 45.0), (99.0, 55.0)])
    def test_keeps_within_its_range(self, reach, psnr):
        assert Simulated({"none": 99, "jpeg:50": reach}).quietest(b"")[0] == psnr

    def test_looks_at_the_hardest_edits_only_while_it_searches(self):
        many = {f"crop:0.9|jpeg:{quality}": 50.0 for quality in range(50, 80)}
        planner = Simulated({"none": 60, **many}, {"crop:0.9|jpeg:77": 500})
        planner.quietest(b"")
        assert len(planner.tried) < 2 * len(planner.reach) + 5 * 4 + 1

    def test_refuses_with_what_fits_and_the_edit(self):
        planner = Simulated({"none": 60, "blur:9": 60}, {"blur:9": 1000})
        with pytest.raises(DoesNotFit, match="at 45 dB and after blur:9") as caught:
            planner.quietest(bytes(100))
        fits = caught.value.capacity
        assert caught.value.needed == 800
        assert 0 < fits < 800
        assert Simulated(planner.reach, planner.left).quietest(bytes(fits // 8))[0] == 45.0

    def test_nothing_fits_where_an_edit_is_never_survived(self):
        with pytest.raises(DoesNotFit) as caught:
            Simulated({"none": 60, "rotate:30": 40.0}).quietest(b"1")
        assert caught.value.capacity == 0

    def test_names_an_edit_that_only_the_end_sees(self):
        planner = Simulated({"none": 60, "hflip": 60, "rotate:10": 55, "rotate:5": 44.0})
        with pytest.raises(DoesNotFit, match="at 45 dB and after rotate:5, needs 8 bits, 0 fit"):
            planner.quietest(b"1")

    def test_what_is_said_to_fit_was_tried_after_that_edit(self):
        class Boastful(Simulated):
            """Short messages leave more information than there is."""

            def _try(self, marked, edit, limit=np.inf):
                trial = super()._try(marked, edit, limit)
                return Trial(edit, trial.survived, 3 * trial.information, 0.01)

        planner = Boastful({"none": 60, "jpeg:50": 60}, {"jpeg:50": 1000})
        with pytest.raises(DoesNotFit) as caught:
            planner.quietest(bytes(100))
        assert 0 < caught.value.capacity < 800
        assert (45.0, "jpeg:50", caught.value.capacity // 8) in planner.tried
        assert 8 * 100 + 56 > message_bits(1000) >= caught.value.capacity + 56

    def test_progress_grows_to_one(self):
        seen: list[float] = []
        Simulated({"none": 60, "jpeg:50": 50, "hflip": 49}, progress=seen.append).quietest(b"")
        assert seen == sorted(seen)
        assert seen[-1] == 1.0
        assert len(seen) > 10


class TestChecked:
    def test_is_at_the_psnr_asked_for(self):
        assert Simulated({"none": 60, "jpeg:50": 50}).checked(b"", 48.25)[0] == 48.25

    def test_refuses_what_an_edit_destroys(self):
        with pytest.raises(DoesNotFit, match=r"at 51 dB and after jpeg:50, needs 8 bits"):
            Simulated({"none": 60, "jpeg:50": 50}).checked(b"1", 51)

    def test_names_no_edit_where_the_file_itself_is_too_much(self):
        with pytest.raises(DoesNotFit, match=r"at 51 dB, needs 8,000 bits"):
            Simulated({"none": 60}, {"none": 2000}).checked(bytes(1000), 51)


class TestTrial:
    def test_another_payload_is_not_this_one(self, monkeypatch):
        def decode(image, key, *, seconds):
            read = SimpleNamespace(decoded=SimpleNamespace(opened=compact.Opened("found", b"old")))
            return SimpleNamespace(**vars(read), best=None, seconds=0.0)

        monkeypatch.setattr(decoding, "decode", decode)
        monkeypatch.setattr(planning, "carried", lambda found: 1e6)
        flat = np.zeros((48, 48, 3), np.uint8)
        planner = Planner(lambda payload, psnr: flat, None, edits(()), seconds=1)
        assert planner.checked(b"old", 45) is flat
        with pytest.raises(DoesNotFit):
            planner.checked(b"new", 45)

    @pytest.mark.parametrize(("edit", "times"), [("jpeg:50", 1), ("crop:0.8|jpeg:50", 2)])
    def test_random_edits_are_tried_twice(self, monkeypatch, edit, times):
        seen: list[float] = []

        def decode(image, key, *, seconds):
            seen.append(float(image.mean()))
            opened = compact.Opened("found", b"1")
            return SimpleNamespace(decoded=SimpleNamespace(opened=opened), best=None, seconds=0.0)

        monkeypatch.setattr(decoding, "decode", decode)
        monkeypatch.setattr(planning, "carried", lambda found: 1000.0)
        ramp = np.arange(96 * 96, dtype=np.uint16).reshape(96, 96, 1) // 40
        planner = Planner(lambda *_: ramp.astype(np.uint8), None, (parse(edit),), seconds=1)
        planner.checked(b"1", 45)
        assert len(set(seen)) == len(seen) == times


class TestCapacity:
    def test_the_edit_that_leaves_least_decides(self):
        left = {"none": 16_000, "jpeg:50": 6000, "blur:9": 2000}
        plan = Simulated(dict.fromkeys(left, 60.0), left).capacity(45)
        assert plan.hardest.text == "blur:9"
        assert plan.bits == 8 * (payload_bytes(message_bits(2000)) or 0)

    def test_is_nothing_where_the_first_trial_fails(self):
        plan = Simulated({"none": 60, "rotate:30": 40}).capacity(45)
        assert (plan.bits, plan.hardest.text) == (0, "rotate:30")

    def test_a_reader_that_was_done_early_is_asked_again(self):
        class Early(Simulated):
            """A short message is read before the blur is undone."""

            def _try(self, marked, edit, limit=np.inf):
                trial = super()._try(marked, edit, limit)
                early = edit.text == "blur:9" and len(marked.payload) < 80
                return Trial(edit, trial.survived, 900 if early else trial.information, 0.01)

        left = {"none": 16_000, "blur:9": 4000}
        plan = Early(dict.fromkeys(left, 60.0), left).capacity(45)
        assert plan.bits == 8 * (payload_bytes(message_bits(4000)) or 0)

    def test_what_came_back_fits_whatever_the_information_says(self):
        class Modest(Simulated):
            """The reader says that it knows half of what it knows."""

            def _try(self, marked, edit, limit=np.inf):
                trial = super()._try(marked, edit, limit)
                return Trial(edit, trial.survived, trial.information / 2, 0.01)

        plan = Modest({"none": 60.0}, {"none": 20_000}).capacity(45)
        assert 1.5 * message_bits(10_000) < plan.bits < message_bits(20_000)

    def test_a_message_that_came_back_fits_though_its_soft_values_were_wrong(self):
        class Wrong(Simulated):
            """Short messages come back with nothing to spare."""

            def _try(self, marked, edit, limit=np.inf):
                trial = super()._try(marked, edit, limit)
                wrong = edit.text == "blur:9" and len(marked.payload) < 40
                return Trial(edit, trial.survived, 0.0 if wrong else trial.information, 0.01)

        left = {"none": 16_000, "blur:9": 4000}
        plan = Wrong(dict.fromkeys(left, 60.0), left).capacity(45)
        assert plan.bits == 8 * (payload_bytes(message_bits(4000)) or 0)
