"""Several processes: copies give what one process gives, shards train and come back whole."""

from __future__ import annotations

import pickle

import pytest
import torch
from safetensors.torch import load_file

import morebits as mb
from morebits.errors import OtherConfig, WorkersLost
from morebits.train import launching

#: Losses and edits with everything that devices must agree on; real files have no float64.
SHARED = {
    "precision": "64",
    "augmentations": ("crop", "rotate", "brightness", "flip", "soft-jpeg"),
    "chained": 2,
    "lambda_adversarial": 0.1,
    "clip": 0.5,
    "epochs": 1,
    "steps_per_epoch": 3,
    "lr": 1e-3,
}


def tensors(folder):
    return load_file(folder / "state.safetensors")


def test_two_processes_are_one_with_all_pictures(little, tmp_path):
    """In float64, where only the order of sums differs: weights, buffers and both optimisers."""
    calls: list[tuple[int, int]] = []
    balanced = {"balance": True}
    two = mb.fit(
        little(devices=2, **SHARED, **balanced), out=tmp_path / "two",
        progress=lambda *each: calls.append(each[:2]),
    )  # fmt: skip
    one = mb.fit(little(**SHARED, **balanced), out=tmp_path / "one")
    first, second = tensors(tmp_path / "one"), tensors(tmp_path / "two")
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        torch.testing.assert_close(second[name], tensor, rtol=1e-7, atol=1e-10, msg=name)
    assert calls == [(1, 3), (2, 3), (3, 3)]
    assert two.edited_accuracy is not None
    for name in ("psnr", "bit_accuracy", "edited_accuracy"):
        assert getattr(two, name) == pytest.approx(getattr(one, name), abs=1e-9)


@pytest.mark.full
def test_an_error_of_a_process_comes_back_as_it_is(little, tmp_path):
    mb.fit(little(epochs=1, steps_per_epoch=1), out=tmp_path)
    with pytest.raises(OtherConfig) as caught:
        mb.fit(little(epochs=1, steps_per_epoch=1, lr=0.5, devices=2), out=tmp_path, resume=True)
    assert caught.value.differences == {"lr": (0.01, 0.5)}


@pytest.mark.full
def test_shards_train_and_one_process_goes_on(little, tmp_path):
    """Two epochs in shards are one in shards and one whole, up to the order of sums."""
    sharded = {"devices": 2, "strategy": "fsdp", "clip": 0.5, "lr": 1e-3, "steps_per_epoch": 2}
    config = little(**sharded, checkpoint_activations=True, lambda_adversarial=0.1)
    mb.fit(config, out=tmp_path / "shards")
    stopped = pytest.raises(KeyboardInterrupt)
    with stopped:
        mb.fit(config, out=tmp_path / "mixed", progress=_stop_at_three)
    plain = little(clip=0.5, lr=1e-3, steps_per_epoch=2, lambda_adversarial=0.1)
    mb.fit(plain, out=tmp_path / "mixed", resume=True)
    first, second = tensors(tmp_path / "shards"), tensors(tmp_path / "mixed")
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        if name.startswith("model/"):
            torch.testing.assert_close(second[name], tensor, rtol=1e-3, atol=1e-4, msg=name)
    codec = mb.codec("neural", weights=tmp_path / "shards" / "last.safetensors")
    assert codec.capacity(torch.zeros(32, 32, 3, dtype=torch.uint8).numpy()) == 6


def _stop_at_three(done, _steps, _values):
    if done == 3:
        raise KeyboardInterrupt


@pytest.mark.full
def test_shards_in_bfloat16(little, tmp_path):
    """The marked pictures stay 8-bit exact: the blend is not in bfloat16."""
    config = little(devices=2, strategy="fsdp", precision="bf16", epochs=1, steps_per_epoch=2)
    done = mb.fit(config, out=tmp_path)
    assert all(each.dtype != torch.bfloat16 for each in tensors(tmp_path).values())
    assert 0 < done.psnr < 100


@pytest.mark.full
def test_a_process_that_dies(little, tmp_path, monkeypatch):
    monkeypatch.setattr(launching, "_work", _die)
    with pytest.raises(WorkersLost, match="go on with --resume"):
        mb.fit(little(devices=2), out=tmp_path)


def _die(rank, *_settings):
    raise SystemExit(3)


def test_errors_travel_with_their_fields():
    error = OtherConfig("runs/a", {"lr": (1, 2)})
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.differences) == (str(error), {"lr": (1, 2)})
