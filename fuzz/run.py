"""Fuzz one target: `python fuzz/run.py NAME [SECONDS]`; needs atheris. `make fuzz` runs them all.

A target is a module of `fuzz/targets` with `check(data)`, which raises when the code does anything
but answer or raise an error of ours. What libFuzzer finds goes to `build/fuzz/NAME`: files called
crash-, oom- or timeout-. Put such a file into `fuzz/corpus/NAME`, where tests/test_fuzz.py tries it
for ever, and mend the code.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from pathlib import Path

import atheris  # pyright: ignore[reportMissingModuleSource]

HERE = Path(__file__).resolve().parent
#: Limits of one input: seconds, megabytes of the whole process, bytes.
SECONDS, MEGABYTES, LONGEST = 10, 2048, 4096
#: Seconds after which a fresh process goes on.
ROUND = 600
#: What is watched for new branches.
WATCHED = ["morebits", "PIL", "tifffile", "torch._weights_only_unpickler", "targets"]
#: What is otherwise imported with its first use, too late to be watched.
LATE = ["PIL.TiffImagePlugin", "morebits.codecs.box", "morebits.codecs.robust.codec", "tifffile"]


def main(name: str, seconds: int) -> None:
    """Run until the time is over or something is found; ends the process."""
    sys.path.insert(0, str(HERE))
    with atheris.instrument_imports(  # pyright: ignore[reportAttributeAccessIssue]
        include=WATCHED, exclude=_compiled()
    ):
        target = importlib.import_module(f"targets.{name}")
        for module in LATE:
            importlib.import_module(module)
    for path in sorted((HERE / "corpus" / name).iterdir()):
        target.check(path.read_bytes())  # the first use of a loop compiles it, which is slow
    found = HERE.parent / "build" / "fuzz" / name
    found.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}",
        f"-max_len={LONGEST}", f"-artifact_prefix={found}/", "-print_final_stats=1",
        "-report_slow_units=5",
    ]  # fmt: skip
    corpus = found / "corpus"
    corpus.mkdir(exist_ok=True)
    folders = [str(corpus), str(HERE / "corpus" / name)]
    atheris.Setup([sys.argv[0], *options, *folders], target.check)
    atheris.Fuzz()


def _compiled() -> list[str]:
    """Modules with loops for numba, which cannot compile what watches the branches."""
    source = HERE.parent / "src"
    paths = (path for path in source.rglob("*.py") if "import compiled" in path.read_text("utf-8"))
    return [".".join(path.relative_to(source).with_suffix("").parts) for path in paths]


def in_rounds(name: str, seconds: int) -> int:
    """One process after the other: what watches the branches of numpy's users grows with time."""
    end = time.monotonic() + seconds
    while (left := int(end - time.monotonic())) > 0:
        command = [sys.executable, __file__, name, str(min(left, ROUND)), "once"]
        if code := subprocess.run(command, check=False).returncode:
            return code
    return 0


if __name__ == "__main__":
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 3600
    if sys.argv[3:] == ["once"]:
        main(sys.argv[1], wanted)
    sys.exit(in_rounds(sys.argv[1], wanted))
