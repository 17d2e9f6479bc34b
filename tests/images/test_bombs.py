"""Small files that ask for much memory or time are refused, quickly and with little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from morebits import images
from morebits.errors import ImageError, InputError
from morebits.images import metadata, tags

sys.path.insert(0, str(Path(__file__).parent))
import bomb_files

#: What a child may have on top of what it has once everything is imported, in bytes; and seconds.
MEMORY, SECONDS = 400 << 20, 10

CHILD = """
import json, resource, sys, time
from pathlib import Path
import imagecodecs, tifffile
from PIL import Image
from morebits import images
from morebits.errors import MorebitsError
Image.init()
images.read(Path(sys.argv[1], "warm.png"))
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]),) * 2)
found = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    start = time.perf_counter()
    try:
        answer = str(images.read(path).array.shape)
    except MorebitsError as error:
        answer = str(error)
    found[path.name] = answer, time.perf_counter() - start
print(json.dumps(found))
"""


def read_all(folder: Path, files: dict[str, bytes]) -> dict[str, tuple[str, float]]:
    """What a process with little memory says of each file, and in how many seconds."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    Image.fromarray(bomb_files.SMALL).save(folder / "warm.png")
    run = [sys.executable, "-c", CHILD, str(folder), str(MEMORY)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=True)
    return json.loads(done.stdout)


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and limits")


@needs_linux
def test_sizes_that_are_not_there(tmp_path):
    found = read_all(tmp_path, bomb_files.sized(100_000))
    assert found.pop("warm.png")[0] == "(8, 8, 3)"
    most = {"a.gif": 65535**2, "frame.gif": 65535**2, "a.jpg": 65535**2}
    for name, (answer, seconds) in found.items():
        expected = f"has {most.get(name, 10**10):,} pixels, the limit is 100,000,000; if you trust"
        assert expected in answer, (name, answer)
        assert seconds < SECONDS


WORDS = {
    "profile.png": "has an ICC profile of 16,777,217 bytes or more, the limit is 16,777,216",
    "profile-palette.png": "has an ICC profile of 16,777,217 bytes or more",
    "text-palette.png": "Decompressed data too large",
    "pixels.png": "bytes for 52 bytes of pixels",
    "chunks.png": "too many chunks",
    "tile.tif": "has 3,600,000,000 pixels, the limit is 100,000,000",
    "xz.tif": "has 3,600,000,000 pixels, the limit is 100,000,000",
    "strip.tif": "cannot be decoded",
    "zstd.tif": "cannot be decoded",
    "tags.tif": "has tags of 299,",
    "exif.jpg": "has EXIF values of 299,",
    "exif-parts.jpg": "has EXIF data of 19,501,800 bytes or more",
    "profile-parts.jpg": "has an ICC profile of 19,504,200 bytes or more",
    "segments.jpg": "too many segments",
    "exif.avif": "has EXIF values of 299,",
    "heads.avif": "too many EXIF data",
    "a.eps": "of an unknown kind",
    "animation.gif": "is an animation",
}


@needs_linux
def test_what_unpacks_without_end(tmp_path):
    found = read_all(tmp_path, bomb_files.unpacking())
    assert found.pop("warm.png")[0] == "(8, 8, 3)"
    assert set(found) == set(WORDS)
    for name, (answer, seconds) in found.items():
        assert WORDS[name] in answer, (name, answer)
        assert seconds < SECONDS, name


class TestTheLimitOfMetadata:
    def profile(self, tmp_path, suffix: str) -> Path:
        path = tmp_path / f"a{suffix}"
        Image.fromarray(bomb_files.SMALL).save(path, icc_profile=bytes(5000))
        return path

    @pytest.mark.parametrize("suffix", [".png", ".jpg"])
    def test_it_can_be_lowered_and_raised(self, tmp_path, suffix):
        path = self.profile(tmp_path, suffix)
        assert images.read(path, max_metadata=5100).icc == bytes(5000)
        advice = r"has an ICC profile .* raise it with images\.read\(path, max_metadata=\d+\)"
        with pytest.raises(ImageError, match=advice):
            images.read(path, max_metadata=4999)

    @pytest.mark.parametrize("limit", [0, -1, 1.5, True, "9"])
    def test_nonsense(self, tmp_path, limit):
        with pytest.raises(InputError, match="max_metadata is"):
            images.read(self.profile(tmp_path, ".png"), max_metadata=limit)

    def test_real_metadata_repeat_nothing(self, photo):
        metadata.check(photo.read_bytes(), "photo", 1 << 16)
        exif = Image.Exif()
        exif[0x010E], exif[0x0112] = "a description " * 100, 6
        assert tags.repeated(exif.tobytes().removeprefix(b"Exif\0\0")) == 0
        hostile = bomb_files.overlapping(300, 3000)
        assert tags.repeated(hostile) == 300 * 3000 - len(hostile)


@needs_linux
def test_a_child_that_takes_more_fails():
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY},) * 2)"
    code = f"{limit}; bytes({MEMORY})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MemoryError" in run.stderr
