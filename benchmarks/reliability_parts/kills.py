"""kill -9 at random moments: what is there under its final name is whole, and the rest is done.

Each job is killed over and over while it runs, looked at after every kill, started again where it
goes on, and in the end compared with a run that nobody disturbed.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import morebits as mb
from morebits import images
from morebits.bench import records
from morebits.bench.records import SAMPLES
from reliability_parts.commands import Killer, parts, photos, run

#: Job -> share of the kills.
SHARES = {"hide": 0.3, "bulk hide": 0.25, "benchmark": 0.25, "training": 0.2}
_ATTACKS = ("none", "jpeg:80", "crop:0.7", "hflip", "blur:3", "resize:0.7")
_TRAINING = """\
model = "CARD"
data = "synthetic"
size = 32
batch = 4
epochs = EPOCHS
steps_per_epoch = 2
validation = 2
samples = 1
log_every = 1
accelerator = "cpu"
"""


class Count:
    """What was seen after each kill."""

    def __init__(self, name: str, wanted: int):
        self.name, self.wanted = name, wanted
        self.kills = self.rounds = self.early = 0
        self.problems: list[str] = []

    def check(self, right: bool, problem: str) -> None:
        """Write a problem down unless it is right."""
        if not right:
            self.problems.append(f"after kill {self.kills}: {problem}")

    def plain(self, **more: Any) -> dict[str, Any]:
        """As a result."""
        return {
            "job": self.name, "kills": self.kills, "finished rounds": self.rounds,
            "ended before the kill": self.early, "problems": self.problems, **more,
        }  # fmt: skip


def hide(scratch: Path, kills: int, seed: int) -> dict[str, Any]:
    """One picture; every second time over a marked one that is there already."""
    count = Count("hide", kills)
    folder = scratch / "hide"
    photo = photos(folder / "photos", 1, 700, 1000) / "000.png"
    out, key = folder / "marked.png", "k"
    words = ["hide", photo, "-o", out, "--text", "new", "--codec", "trellis", "--key", key]
    killed = Killer(seed, run(words).seconds)
    old = out.read_bytes()
    new = mb.hide(photo, b"old", codec="trellis", key=key)
    new.save(out, force=True)
    before = out.read_bytes()
    allowed, outcomes = {old: "new", before: "old"}, Counter[str]()
    while count.kills < kills:
        over = count.kills % 2 == 0
        out.unlink(missing_ok=True)
        if over:
            out.write_bytes(before)
        hit = killed([*words, *["--force"] * over], alone=True)
        count.kills, count.early = count.kills + hit, count.early + (not hit)
        found = allowed.get(out.read_bytes(), "broken") if out.exists() else "absent"
        outcomes[found] += hit
        count.check(found in (("old", "new") if over else ("absent", "new")), f"{out} is {found}")
    left = parts(folder)
    count.check(run([*words, "--force"]).code == 0 and out.read_bytes() == old, "cannot go on")
    return count.plain(found=dict(outcomes), **{"temporary files left": len(left)})


def bulk(scratch: Path, kills: int, seed: int) -> dict[str, Any]:
    """A folder of pictures with two workers; the parent alone is killed, or all of them."""
    count = Count("bulk hide", kills)
    folder = scratch / "bulk"
    source = photos(folder / "photos", 16, 300, 400)
    words = ["hide", source, "--text", "bulk", "--codec", "trellis", "--jobs", "2", "-o"]
    wanted = folder / "undisturbed"
    killed = Killer(seed, run([*words, wanted]).seconds)
    expected = {each.name: each.read_bytes() for each in wanted.iterdir()}
    count.check(len(expected) == 16, f"{len(expected)} of 16 pictures without any kill")
    left = 0
    while count.kills < kills:
        out = folder / f"round-{count.rounds}"
        while not _all_there(out, expected):
            if count.kills == kills:
                lines = run([*words, out]).out.splitlines()
                names = Counter(json.loads(line)["cover"] for line in lines)
                count.check(set(names.values()) == {1}, f"a line twice, or none: {names}")
                count.check(_all_there(out, expected), "cannot go on")
                break
            hit = killed([*words, out])
            count.kills, count.early = count.kills + hit, count.early + (not hit)
            for path in out.glob("[!.]*") if out.exists() else ():
                count.check(path.read_bytes() == expected[path.name], f"{path} is not whole")
        left += len(parts(out))
        count.rounds += 1
    return count.plain(**{"temporary files left": left})


def benchmark(scratch: Path, kills: int, seed: int) -> dict[str, Any]:
    """A folder of results; no sample is lost, half or there twice."""
    count = Count("benchmark", kills)
    folder = scratch / "bench"
    source = photos(folder / "photos", 24, 64, 80)
    words: list[str | Path] = ["bench", "--codec", "trellis:states=16", "--images", source]
    words += [word for each in _ATTACKS for word in ("--attacks", each)] + ["--jobs", "2", "--out"]
    killed = Killer(seed, run([*words, folder / "undisturbed"]).seconds)
    expected = samples(folder / "undisturbed", count)
    count.check(len(expected) == 24 * (1 + len(_ATTACKS)), f"{len(expected)} samples without kills")
    while count.kills < kills:
        out, done = folder / f"round-{count.rounds}", dict[Any, Any]()
        while len(done) < len(expected):
            if count.kills == kills:
                ended = run([*words, out])
                count.check(ended.code == 0, f"cannot go on: {ended.last}")
                count.check(samples(out, count) == expected, "another result than undisturbed")
                break
            hit = killed([*words, out])
            count.kills, count.early = count.kills + hit, count.early + (not hit)
            had, done = done, samples(out, count)
            count.check(had.items() <= done.items(), "samples that were there are gone")
            count.check(done.items() <= expected.items(), "samples that are not as undisturbed")
        count.rounds += 1
    return count.plain(samples=len(expected))


def training(scratch: Path, kills: int, seed: int) -> dict[str, Any]:
    """A small network; in the end its weights are those of a run without kills, bit by bit."""
    count = Count("training", kills)
    folder = scratch / "train"
    folder.mkdir()
    words: list[str | Path] = ["train", "--config", training_config(folder, epochs=40), "--out"]
    killed = Killer(seed, run([*words, folder / "undisturbed"]).seconds)
    expected = weights(folder / "undisturbed", count)
    while count.kills < kills:
        out, ended = folder / f"round-{count.rounds}", False
        while not ended:
            state = (out / "state.safetensors").exists()
            again = [*words, out, *["--resume"] * state]
            if count.kills == kills:
                last = run(again)
                count.check(last.code == 0, f"cannot go on: {last.last}")
                ended = True
            else:
                hit = killed(again)
                count.kills, count.early = count.kills + hit, count.early + (not hit)
                ended = not hit
            whole(out, count)
        if (out / "result.json").exists():
            found = weights(out, count)
            others = [key for key in expected if found.get(key) != expected[key]]
            count.check(not others, f"other weights than undisturbed: {others[:3]}")
            steps = [json.loads(each)["step"] for each in _log(out) if '"train"' in each]
            count.check(len(steps) == len(set(steps)), "a step is twice in the log")
        else:
            count.problems.append("the run ended without a result")
        count.rounds += 1
    return count.plain()


def training_config(folder: Path, epochs: int) -> Path:
    """A small network and a checkpoint every other step."""
    card = Path(__file__).parents[1] / "cards" / "little.toml"
    config = folder / "config.toml"
    config.write_text(_TRAINING.replace("CARD", str(card)).replace("EPOCHS", str(epochs)))
    return config


JOBS: dict[str, Callable[[Path, int, int], dict[str, Any]]] = {
    "hide": hide, "bulk hide": bulk, "benchmark": benchmark, "training": training,
}  # fmt: skip


def measure(scratch: Path, job: str, kills: int, seed: int) -> dict[str, Any]:
    """A job with its share of the kills."""
    print(f"[kill -9] {job}", file=sys.stderr, flush=True)
    return JOBS[job](scratch, round(SHARES[job] * kills), seed)


def _all_there(out: Path, expected: dict[str, bytes]) -> bool:
    return out.exists() and {each.name for each in out.glob("[!.]*")} == set(expected)


def samples(folder: Path, count: Count) -> dict[Any, Any]:
    """The whole lines of the results without what differs from run to run; none may be twice."""
    path, found = folder / SAMPLES, dict[Any, Any]()
    if not path.exists():
        return found
    for line in path.read_text().splitlines(keepends=True):
        if not line.endswith("\n"):
            break  # what the next run cuts off
        sample = json.loads(line)
        key = records.key(sample)
        count.check(key not in found, f"{key} is there twice")
        found[key] = json.dumps({**sample, "seconds": None, "run": None})
    return found


def weights(folder: Path, count: Count) -> dict[tuple[str, str], bytes]:
    """Every tensor, bit by bit, by its file and name."""
    from safetensors.numpy import load_file

    names = ("state.safetensors", "last.safetensors", "best.safetensors")
    missing = [name for name in names if not (folder / name).exists()]
    count.check(not missing, f"{missing} are missing")
    return {
        (name, key): tensor.tobytes()
        for name in names
        if name not in missing
        for key, tensor in load_file(folder / name).items()
    }


def whole(folder: Path, count: Count) -> None:
    """Every file under a final name can be read; the last line of the log may be cut."""
    from safetensors import SafetensorError, safe_open

    for path in sorted(folder.rglob("[!.]*")) if folder.exists() else ():
        try:
            if path.suffix == ".safetensors":
                with safe_open(path, "np") as file:
                    list(file.keys())
            elif path.suffix == ".json":
                json.loads(path.read_text())
            elif path.suffix == ".png":
                images.read(path)
        except (SafetensorError, ValueError, OSError) as error:
            count.problems.append(f"after kill {count.kills}: {path.name} is not whole ({error})")


def _log(folder: Path) -> list[str]:
    return (folder / "log.jsonl").read_text().splitlines()
