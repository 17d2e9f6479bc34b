"""Write `hashes/demo.txt` and `hashes/test.txt`: what pip would install here, with its hashes.

    make hashes

For CPython 3.11 on Linux, x86-64: another machine gets other files. Torch is left out, because
people have it from different places, in builds with different hashes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What each file is for, and what it installs beside the package itself.
WANTED = {"demo": (".[report]", ()), "test": (".[dev]", ("invisible-watermark",))}
BUILDING = ("hatchling", "editables")
LEFT_OUT = ("morebits", "torch")
HEAD = """\
# What `make {name} HASHES=1` installs, on CPython 3.11 for Linux, x86-64; written by `make hashes`.
# Torch is not here: its builds differ from place to place. constraints.txt pins its version.
"""


def main() -> None:
    """Both files."""
    for name, (own, alone) in WANTED.items():
        found = _resolved([own, *BUILDING]) | _resolved(["--no-deps", *alone])
        lines = [f"{each} --hash=sha256:{found[each]}\n" for each in sorted(found)]
        target = ROOT / "hashes" / f"{name}.txt"
        target.write_text(HEAD.format(name=name) + "".join(lines), "utf-8")


def _resolved(words: list[str]) -> dict[str, str]:
    """`name==version` and SHA-256 of every file that pip would install."""
    if words == ["--no-deps"]:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [
            sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed",
            "--no-build-isolation", "--report", str(report), "-c", "constraints.txt", *words,
        ]  # fmt: skip
        subprocess.run(command, cwd=ROOT, check=True)
        chosen = json.loads(report.read_text("utf-8"))["install"]
    return {
        f"{each['metadata']['name']}=={each['metadata']['version']}":
            each["download_info"]["archive_info"]["hashes"]["sha256"]
        for each in chosen
        if each["metadata"]["name"] not in LEFT_OUT
    }  # fmt: skip


if __name__ == "__main__":
    main()
