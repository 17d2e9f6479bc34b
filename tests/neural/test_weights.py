"""Files with weights: ours there and back, and everything that can be wrong with one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
import safetensors
import safetensors.torch
import torch

from morebits.errors import FileNotWritten, InputError, UnknownName, WeightsError
from morebits.neural import build, inspect, load, save


@pytest.fixture
def written(small, tmp_path):
    made = build(small)
    path = tmp_path / "small.safetensors"
    save(made, path)
    return made, path


class TestThereAndBack:
    def test_every_tensor(self, written):
        made, path = written
        found = inspect(path)
        assert found.watermarker.card == made.card
        theirs = found.watermarker.state_dict()
        assert all(torch.equal(each, theirs[name]) for name, each in made.state_dict().items())
        assert set(found.report.matched) == set(made.state_dict())
        assert (found.report.missing, found.report.wrong, found.report.ignored) == ((), (), ())
        assert found.report.text.startswith(f"{len(theirs)} tensors matched, 0 missing")

    def test_it_is_ready_to_use_and_to_train(self, written):
        _, path = written
        found = load(path)
        assert not found.training
        assert all(each.requires_grad for each in found.parameters())
        assert found.extract(torch.rand(1, 3, 32, 32)).shape == (1, 16)

    def test_the_header_has_the_card_and_its_hash(self, written):
        made, path = written
        with safetensors.safe_open(path, framework="pt") as file:
            header = file.metadata()
        assert json.loads(header["morebits.card"])["name"] == "small"
        assert header["morebits.card.sha256"] == made.card.digest

    def test_the_strength_as_it_is_now(self, small, tmp_path):
        made = build(small)
        made.scaling_w = 0.7
        save(made, tmp_path / "strong.safetensors")
        found = load(tmp_path / "strong.safetensors")
        assert (found.scaling_w, found.card.scaling_w) == (0.7, 0.7)

    def test_nothing_is_overwritten_unasked(self, written):
        made, path = written
        with pytest.raises(FileNotWritten, match="exists"):
            save(made, path)
        save(made, path, force=True)
        assert load(path).card == made.card

    def test_a_full_disk_leaves_the_old_file(self, written, monkeypatch):
        def full(*_):
            raise safetensors.SafetensorError("I/O error: No space left on device (os error 28)")

        made, path = written
        before = path.read_bytes()
        monkeypatch.setattr(safetensors.torch, "save_file", full)
        with pytest.raises(FileNotWritten, match=r"No space left .*; make room"):
            save(made, path, force=True)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_half_precision_is_widened(self, small, tmp_path):
        half = {name: each.half() for name, each in build(small).state_dict().items()}
        path = tmp_path / "half.safetensors"
        safetensors.torch.save_file(half, path)
        assert {each.dtype for each in load(path, small).parameters()} == {torch.float32}


class TestCards:
    def test_the_bits_of_the_file_unless_told(self, small, written):
        _, path = written
        assert load(path, small.with_bits(99)).card.bits == 16
        with pytest.raises(WeightsError, match="which differs in bits"):
            load(path, small, bits=17)

    def test_another_card(self, small, written):
        _, path = written
        with pytest.raises(
            WeightsError, match=r"written for small, which differs in bits, size"
        ) as e:
            load(path, "hidden", bits=30)
        assert "embedder" in e.value.problem
        with pytest.raises(UnknownName, match="unknown card"):
            load(path, "no-such-card")

    def test_a_card_without_the_hash_in_the_header(self, small, written, tmp_path):
        made, _ = written
        path = tmp_path / "forged.safetensors"
        header = {
            "morebits.card": small.with_bits(3).to_json(),
            "morebits.card.sha256": small.digest,
        }
        safetensors.torch.save_file(made.state_dict(), path, header)
        with pytest.raises(WeightsError, match="does not have its hash"):
            load(path)

    def test_none_in_the_header(self, small, written, tmp_path):
        made, _ = written
        path = tmp_path / "plain.safetensors"
        safetensors.torch.save_file(made.state_dict(), path)
        assert load(path, small).card == small
        with pytest.raises(InputError, match="has none in its header"):
            load(path)

    def test_the_hash_of_the_file(self, small, written):
        _, path = written
        right = hashlib.sha256(path.read_bytes()).hexdigest()
        assert load(path, replace(small, sha256=right)).card.name == "small"
        with pytest.raises(WeightsError, match=f"has the SHA-256 {right}"):
            load(path, replace(small, sha256="00"))


class TestWrong:
    def test_shapes_name_the_first_three(self, small, tmp_path):
        path = tmp_path / "other.safetensors"
        safetensors.torch.save_file(build(small).state_dict(), path)
        with pytest.raises(WeightsError) as caught:
            load(path, small, bits=8)
        text = str(caught.value)
        assert "tensors are of another shape" in text
        assert "embedder.table.weight is (32, 16) and not (16, 8)" in text
        assert text.count(" and not (") == 3
        assert ", ...)" in text
        assert text.endswith("or the card and bits that belong to the file")

    def test_missing_and_ignored(self, small, tmp_path):
        state = build(small).state_dict()
        lost = [name for name in state if name.startswith("extractor.head")]
        path = tmp_path / "part.safetensors"
        kept = {name: each for name, each in state.items() if name not in lost}
        safetensors.torch.save_file(kept | {"extra": torch.zeros(1)}, path)
        with pytest.raises(
            WeightsError, match=r"5 tensors are missing \(extractor\.head\."
        ) as caught:
            load(path, small)
        assert [name in str(caught.value) for name in lost] == [True, True, True, False, False]

    def test_one_missing(self, small, tmp_path):
        state = build(small).state_dict()
        del state["embedder.last.bias"]
        path = tmp_path / "part.safetensors"
        safetensors.torch.save_file(state, path)
        with pytest.raises(WeightsError, match=r"1 tensor is missing \(embedder.last.bias\);"):
            load(path, small)

    def test_more_than_needed_is_reported(self, small, tmp_path):
        path = tmp_path / "more.safetensors"
        safetensors.torch.save_file(build(small).state_dict() | {"x": torch.zeros(1)}, path)
        assert inspect(path, small).report.ignored == ("x",)

    def test_damaged(self, written):
        _, path = written
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(WeightsError, match=r"is damaged .*get the file again"):
            load(path)

    @pytest.mark.parametrize("device", ["cuda", "nowhere"])
    def test_a_device_that_is_not_here(self, written, device):
        if device == "cuda" and torch.cuda.is_available():
            pytest.skip("it is")
        with pytest.raises(InputError, match=r"device is .*torch cannot use it .*try cpu"):
            load(written[1], device=device)

    def test_absent(self, tmp_path):
        with pytest.raises(InputError, match="there is no such file"):
            load(tmp_path / "absent.safetensors")
