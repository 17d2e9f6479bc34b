"""The loop as a whole: what it writes, that it repeats itself, and that it goes on exactly."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import morebits as mb
from morebits.errors import FileNotWritten, InputError, OtherConfig, ResultsError, TrainingStopped
from morebits.neural import load
from morebits.train import data, folder, loop, machines, models, state
from morebits.train.toml import parse
from morebits.train.trainer import Trainer

#: Everything that can be drawn at random, and everything that has a state.
FULL = {
    "augmentations": ("crop", "rotate", "jpeg", "brightness", "flip", "blur", "hue"),
    "chained": 2,
    "lambda_adversarial": 0.1,
    "adversarial_start": 1,
    "image_loss": "yuv",
    "clip": 0.5,
    "warmup_epochs": 0.5,
    "scaling": (1.0, 0.2),
    "scaling_epochs": (0.5, 1.5),
}


def stop_at(number):
    """A progress callback that is like Ctrl-C."""

    def progress(done, _steps, _values):
        if done == number:
            raise KeyboardInterrupt

    return progress


def tensors(folder):
    return load_file(folder / "state.safetensors")


def assert_same(first, second):
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        assert torch.equal(tensor, second[name]), name


class TestResume:
    @pytest.mark.parametrize("workers", [0, 1])
    def test_ten_steps_are_five_and_five(self, little, photos, tmp_path, workers):
        """Weights, both optimisers and buffers, though the run was stopped two steps too late."""
        config = little(data=str(photos), workers=workers, **FULL)
        whole = mb.fit(config, out=tmp_path / "whole")
        with pytest.raises(KeyboardInterrupt):
            mb.fit(config, out=tmp_path / "parts", progress=stop_at(7))
        assert state.read_header(tmp_path / "parts" / "state.safetensors")["step"] == 5
        half = load(tmp_path / "parts" / "last.safetensors").card.scaling_w
        assert half == pytest.approx(0.6)  # the strength of that step, and not the last one
        parts = mb.fit(config, out=tmp_path / "parts", resume=True)
        first, second = tensors(tmp_path / "whole"), tensors(tmp_path / "parts")
        kinds = {name.split("/")[0] for name in first}
        assert kinds == {"model", "optimizer", "critic", "critic_optimizer"}
        assert_same(first, second)
        assert (whole.psnr, whole.bit_accuracy) == (parts.psnr, parts.bit_accuracy)
        assert self.log(tmp_path / "whole") == self.log(tmp_path / "parts")
        assert self.points(tmp_path / "whole") == self.points(tmp_path / "parts")

    @staticmethod
    def points(folder):
        """What TensorBoard shows: steps and values by curve."""
        found = EventAccumulator(str(folder / "tensorboard"))
        found.Reload()
        names = set(found.Tags()["scalars"]) - {"train/seconds"}
        curves = {name: [(each.step, each.value) for each in found.Scalars(name)] for name in names}
        return curves, [each.step for each in found.Images("samples")]

    @staticmethod
    def log(folder):
        lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        return [{name: each[name] for name in each if name != "seconds"} for each in lines]

    def test_cut_between_the_files_of_a_checkpoint(self, little, tmp_path, monkeypatch):
        """As a kill does: the weights of the best step are there in the end, and the same."""
        config = little(epochs=2, steps_per_epoch=1, lr=0.2)
        mb.fit(config, out=tmp_path / "whole")
        written: list[str] = []
        save, keep = models.save_weights, state.write

        def cut(path, *rest):
            written.append(path.name)
            if len(written) == 5:  # the second checkpoint has two files already
                raise KeyboardInterrupt
            (save if path.name != "state.safetensors" else keep)(path, *rest)

        monkeypatch.setattr(models, "save_weights", cut)
        monkeypatch.setattr(state, "write", cut)
        with pytest.raises(KeyboardInterrupt):
            mb.fit(config, out=tmp_path / "parts")
        monkeypatch.undo()
        mb.fit(config, out=tmp_path / "parts", resume=True)
        for name in ("best", "last", "state"):
            first, second = (
                load_file(tmp_path / each / f"{name}.safetensors") for each in ("whole", "parts")
            )
            assert_same(first, second)

    def test_with_another_configuration_shows_the_difference(self, little, tmp_path):
        mb.fit(little(epochs=1, steps_per_epoch=1), out=tmp_path)
        with pytest.raises(OtherConfig) as caught:
            mb.fit(little(epochs=1, steps_per_epoch=1, lr=0.5, clip=1.0), out=tmp_path, resume=True)
        assert caught.value.differences == {"lr": (0.01, 0.5), "clip": (None, 1.0)}
        assert "lr was 0.01 and is 0.5, clip was None and is 1.0" in str(caught.value)

    def test_elsewhere_is_no_other_configuration(self, little, tmp_path):
        mb.fit(little(epochs=1, steps_per_epoch=1), out=tmp_path)
        again = little(epochs=1, steps_per_epoch=1, workers=1, log_every=7)
        assert mb.fit(again, out=tmp_path, resume=True).steps == 1

    def test_of_a_complete_run_changes_nothing(self, little, tmp_path):
        config = little(epochs=1)
        done = mb.fit(config, out=tmp_path)
        before = (tmp_path / "result.json").read_bytes(), tensors(tmp_path)
        again = mb.fit(config, out=tmp_path, resume=True)
        assert replace(again, seconds=done.seconds) == done
        assert (tmp_path / "result.json").read_bytes() == before[0]
        assert_same(before[1], tensors(tmp_path))

    def test_of_nothing(self, little, tmp_path):
        with pytest.raises(ResultsError, match="there is nothing to resume; leave out --resume"):
            mb.fit(little(), out=tmp_path, resume=True)

    def test_of_a_damaged_state(self, little, tmp_path):
        (tmp_path / "state.safetensors").write_bytes(b"\x80\x04 not tensors")
        with pytest.raises(ResultsError, match=r"state.safetensors cannot be read"):
            mb.fit(little(), out=tmp_path, resume=True)

    def test_a_run_is_not_overwritten(self, little, tmp_path):
        config = little(epochs=1, steps_per_epoch=1)
        mb.fit(config, out=tmp_path)
        before = (tmp_path / "state.safetensors").read_bytes()
        with pytest.raises(ResultsError, match="has a run already; go on with --resume"):
            mb.fit(config, out=tmp_path)
        assert (tmp_path / "state.safetensors").read_bytes() == before


@pytest.fixture(scope="module")
def run(tmp_path_factory, card):
    out = tmp_path_factory.mktemp("run")
    config = mb.TrainConfig(
        model=card, data="synthetic", size=32, batch=4, epochs=2, steps_per_epoch=2,
        validation=3, samples=2, log_every=2, augmentations=("flip",), accelerator="cpu",
    )  # fmt: skip
    calls: list[tuple[Any, ...]] = []
    done = mb.fit(config, out=out, progress=lambda *each: calls.append(each))
    return config, out, done, calls


class TestFolder:
    def test_the_configuration_reads_back(self, run):
        config, out, _, _ = run
        assert parse(tomllib.loads((out / "config.toml").read_text())).config == config

    def test_the_log(self, run):
        lines = [json.loads(line) for line in (run[1] / "log.jsonl").read_text().splitlines()]
        assert [(each["kind"], each["step"]) for each in lines] == [
            ("train", 1), ("train", 2), ("validation", 2), ("train", 4), ("validation", 4),
        ]  # fmt: skip
        assert {"loss", "message", "image", "psnr", "bit_accuracy", "gradient", "lr"} <= set(
            lines[0]
        )

    def test_progress_has_every_step(self, run):
        assert [each[:2] for each in run[3]] == [(1, 4), (2, 4), (3, 4), (4, 4)]
        assert all(each[2].keys() == run[3][0][2].keys() for each in run[3])

    def test_tensorboard_has_numbers_and_pictures(self, run):
        (events,) = (run[1] / "tensorboard").iterdir()
        found = events.read_bytes()
        assert b"train/loss" in found
        assert b"validation/psnr" in found
        assert b"samples" in found

    def test_samples_are_cover_marked_and_difference(self, run):
        image = mb.attacks.parse("none")(run[1] / "samples" / "step-0000004.png")
        assert image.shape == (2 * 32, 3 * 32, 3)
        cover, marked, difference = np.split(image.astype(int), 3, axis=1)
        assert np.array_equal(difference, np.clip(128 + 10 * (marked - cover), 0, 255))

    def test_a_disk_that_fills_up(self, run, tmp_path, monkeypatch):
        """Ours, with a next step, and no half picture."""
        config, pairs = run[0], [(np.zeros((4, 4, 3), np.uint8),) * 2]
        journal = folder.Journal(tmp_path, config, step=0)

        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(FileNotWritten, match=r"step-0000001.png.*make room"):
            journal.samples(1, pairs)
        assert list((tmp_path / "samples").iterdir()) == []
        monkeypatch.setattr(journal._log, "flush", full, raising=False)
        with pytest.raises(FileNotWritten, match=r"No space left .*go on with --resume"):
            journal.add(1, {"loss": 1.0})
        monkeypatch.undo()
        journal.close()

    def test_the_result(self, run):
        found = json.loads((run[1] / "result.json").read_text())
        assert found["psnr"] == run[2].psnr
        assert found["best_step"] == run[2].best_step

    def test_weights_load_as_a_codec_that_does_what_was_measured(self, run):
        _, out, done, _ = run
        name = "best" if done.best_step != 4 else "last"
        found = load(out / f"{name}.safetensors")
        assert found.card.bits == 6
        assert not found.training
        codec = mb.codec("neural", weights=out / "best.safetensors")
        cover = np.full((32, 32, 3), 100, np.uint8)
        assert codec.embed(cover, np.ones(6, np.uint8)).image.shape == cover.shape

    def test_best_is_kept_when_the_last_is_worse(self, run):
        _, out, done, _ = run
        lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
        ranks = {
            each["step"]: (int(1000 * each["edited_accuracy"]), each["psnr"])
            for each in lines if each["kind"] == "validation"
        }  # fmt: skip
        assert ranks[done.best_step] == max(ranks.values())


class TestLearning:
    def test_a_linear_network_learns_a_gray_picture(self, tmp_path):
        """Eight bits in 16 x 16 pixels: the gray study in seconds, after 8-bit rounding."""
        path = tmp_path / "linear.toml"
        path.write_text(
            'name = "small"\nbits = 8\nsize = 16\nresidual = "rgb"\n'
            '[embedder]\nkind = "linear"\n[extractor]\nkind = "linear"\n'
        )
        config = mb.TrainConfig(
            model=str(path), size=16, batch=32, steps_per_epoch=300, lr=2e-2, lambda_image=20.0,
            accelerator="cpu",
        )  # fmt: skip
        done = mb.fit(config, out=tmp_path / "run")
        assert done.bit_accuracy == 1.0
        assert done.psnr > 30

    def test_seeds_matter_and_repeat(self, little, tmp_path):
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            mb.fit(little(epochs=1, steps_per_epoch=2, seed=seed), out=tmp_path / name)
        first, same, other = (tensors(tmp_path / name) for name in "abc")
        assert_same(first, same)
        assert not torch.equal(first["model/embedder.last.weight"],
                               other["model/embedder.last.weight"])  # fmt: skip

    @pytest.mark.parametrize(
        "changes",
        [
            {"balance": True, "lambda_adversarial": 0.1},
            {"precision": "bf16", "size": 40},  # and not the network's: answers are resized
            {"precision": "bf16", "balance": True},
        ],
    )
    def test_other_ways_to_step(self, little, tmp_path, changes):
        done = mb.fit(little(epochs=1, steps_per_epoch=2, **changes), out=tmp_path)
        assert np.isfinite(done.psnr)

    def test_bfloat16_leaves_pictures_alone(self, little):
        """Marked ones have 8-bit samples, and lie around the cover, not around its bfloat16."""
        config = little(precision="bf16", data="gray", scaling=(0.0, 0.0), scaling_epochs=(0, 0))
        trainer = Trainer(config, machines.fabric(config))
        found = trainer.gradients(0, next(data.training_batches(config, first=0)))
        assert found["mse"] < 1e-12

    @pytest.mark.parametrize("more", [{}, {"lambda_adversarial": 0.1, "balance": True}])
    def test_recomputed_activations_change_nothing(self, little, tmp_path, more):
        """Not even the running means of batch norms, which a second forward pass would move."""
        for name, flag in (("kept", False), ("again", True)):
            config = little(checkpoint_activations=flag, epochs=1, **more)
            mb.fit(config, out=tmp_path / name)
        assert_same(tensors(tmp_path / "kept"), tensors(tmp_path / "again"))

    @pytest.mark.parametrize("more", [{}, {"lambda_adversarial": 0.1, "balance": True}])
    def test_early_updates_change_nothing(self, little, tmp_path, more):
        """Nor does the gradient's norm, up to the order of its sum."""
        for name, flag in (("late", False), ("early", True)):
            mb.fit(little(early_updates=flag, epochs=1, **more), out=tmp_path / name)
        assert_same(tensors(tmp_path / "late"), tensors(tmp_path / "early"))
        late, early = (
            [json.loads(line) for line in (tmp_path / name / "log.jsonl").read_text().splitlines()]
            for name in ("late", "early")
        )
        for one, other in zip(late[:-1], early[:-1], strict=True):
            assert one["gradient"] == pytest.approx(other["gradient"], rel=1e-4)


class TestImport:
    """In a fresh interpreter."""

    @staticmethod
    def python(code):
        run = [sys.executable, "-c", code]
        return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()

    def test_a_configuration_loads_no_torch(self):
        code = "import sys, morebits as mb; from morebits.train import toml; mb.TrainConfig();"
        loaded = self.python(code + "toml.read('chunkyseal'); print(*sys.modules)").split()
        assert not {"torch", "lightning_fabric", "kornia", "numpy"} & set(loaded)

    @pytest.mark.parametrize("package", ["torch", "kornia", "lightning_fabric", "tensorboard"])
    def test_a_missing_extra_is_named(self, package):
        code = (
            "import importlib.util, morebits as mb\nfind = importlib.util.find_spec\n"
            f"importlib.util.find_spec = lambda name: None if name == {package!r} else find(name)\n"
            "try:\n    mb.fit\nexcept mb.MorebitsError as error:\n    print(error)"
        )
        assert self.python(code) == f"{package} is not installed: pip install 'morebits[train]'"

    def test_a_sweep_names_it_too(self, tmp_path):
        code = (
            "import importlib.util, sys\nfrom morebits.cli import main\n"
            "sys.modules['torch'] = None\nfind = importlib.util.find_spec\n"
            "importlib.util.find_spec = lambda name: None if name == 'torch' else find(name)\n"
            "sys.stderr = sys.stdout\n"
            f"main(['train', '--config', 'chunkyseal', '--sweep', '--out', {str(tmp_path)!r}])"
        )
        expected = "morebits: torch is not installed: pip install 'morebits[train]'"
        assert self.python(code) == expected


class TestBadInput:
    def test_no_configuration(self, tmp_path):
        with pytest.raises(InputError, match="give a TrainConfig"):
            mb.fit({"lr": 1}, out=tmp_path)

    def test_unknown_model(self, little, tmp_path):
        with pytest.raises(mb.MorebitsError, match=r"unknown card .videosea.: .*videoseal-1\.0"):
            mb.fit(little(model="videosea"), out=tmp_path)

    @pytest.mark.parametrize(
        "changes",
        [{"data": "empty"}, {"data": "empty", "devices": 2}, {"validation_data": "empty"}],
    )
    def test_a_folder_without_pictures(self, little, tmp_path, monkeypatch, changes):
        monkeypatch.chdir(tmp_path)
        Path("empty").mkdir()
        with pytest.raises(mb.MorebitsError, match="the training folder has no pictures; put some"):
            mb.fit(little(**changes), out="run")
        assert not Path("run").exists()

    @pytest.mark.parametrize("workers", [0, 1])
    def test_a_broken_picture_is_named(self, little, photos, tmp_path, workers):
        (photos / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
        with pytest.raises(mb.MorebitsError, match=r"broken\.png"):
            mb.fit(little(data=str(photos), workers=workers), out=tmp_path / "run")

    @pytest.mark.parametrize("kept", [True, False])
    def test_nan_stops_with_advice_and_keeps_the_checkpoint(self, little, tmp_path, kept):
        config = little(lr=1e30, min_lr=1e30, epochs=9)
        if kept:  # a step of 1e-30 each changes nothing
            config = replace(config, warmup_epochs=1, steps_per_epoch=1)
        with pytest.raises(TrainingStopped) as caught:
            mb.fit(config, out=tmp_path)
        assert "is not a finite number" in caught.value.problem
        assert "try lr = 1e+29, clip = 0.01" in caught.value.fix
        last = "the last checkpoint is kept" if kept else "there is no checkpoint yet"
        assert caught.value.fix.endswith(last)
        assert (tmp_path / "state.safetensors").exists() == kept

    @pytest.mark.parametrize("devices", [1, 2])
    def test_pictures_smaller_than_the_network_takes(self, little, tmp_path, devices):
        with pytest.raises(InputError, match="size is 16: little takes pictures from 32 pixels"):
            mb.fit(little(size=16, devices=devices), out=tmp_path / "run")
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize(
        "error",
        [
            torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB"),
            RuntimeError(
                "DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"
            ),
            MemoryError(),
        ],
    )
    def test_out_of_memory_names_the_knobs(self, little, tmp_path, monkeypatch, error):
        def fail(*_):
            raise error

        monkeypatch.setattr(loop.Trainer, "gradients", fail)
        with pytest.raises(
            TrainingStopped, match="out of memory; try a smaller batch than 4"
        ) as got:
            mb.fit(little(), out=tmp_path)
        assert "checkpoint_activations = true" in str(got.value)

    def test_other_errors_are_not_hidden(self, little, tmp_path, monkeypatch):
        def fail(*_):
            raise RuntimeError("something else")

        monkeypatch.setattr(loop.Trainer, "gradients", fail)
        with pytest.raises(RuntimeError, match="something else"):
            mb.fit(little(), out=tmp_path)

    def test_a_state_that_cannot_be_written_leaves_the_old_one(self, tmp_path):
        path = tmp_path / "state.safetensors"
        state.write(path, {"a": torch.ones(2)}, {"step": 1})
        with pytest.raises(FileNotWritten, match="cannot be written"):
            state.write(tmp_path / "no" / "state.safetensors", {"a": torch.zeros(2)}, {"step": 2})
        with pytest.raises(TypeError):
            state.write(path, {"a": torch.zeros(2)}, {"step": object()})
        assert state.read_header(path) == {"step": 1}
        assert [each.name for each in tmp_path.iterdir()] == ["state.safetensors"]

    @pytest.mark.parametrize("devices", [1, 2])
    def test_no_gpu(self, little, tmp_path, devices):
        if torch.cuda.is_available():
            pytest.skip("there is one")
        with pytest.raises(InputError, match="torch sees 0 GPUs here; give fewer devices"):
            mb.fit(little(accelerator="cuda", devices=devices), out=tmp_path)

    def test_processes_of_torchrun_need_the_gpus_of_their_machine_alone(self, little, monkeypatch):
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)
        config = little(accelerator="cuda", devices=16, batch=16)
        with pytest.raises(InputError, match="devices is 16: torch sees 8 GPUs"):
            machines.accelerator(config)
        monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
        assert machines.accelerator(config) == "cuda"
