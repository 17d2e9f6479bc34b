"""How long manifests are, and which photo carries which: `bench_provenance.py [PHOTOS]`.

Three tables. `sizes`: bytes of the C2PA manifest in a file beside those of the compact one in the
pixels. `carried`: photos cut to 4:3 and made smaller, marked at 45 dB, compressed and cut
(jpeg:70|crop:0.8, three places), without any metadata; how many of them `verify` trusts each time.
`likeness`: how well the description of a picture fits its edited
copies, and other photos. Without a folder the project's own pictures are used.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import zlib
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from cryptography.hazmat.primitives.serialization import Encoding
from PIL import Image

import morebits as mb
from morebits import images
from morebits.attacks import parse
from morebits.codecs.robust.codec import mark
from morebits.images import Samples
from morebits.provenance import embedded, sealed, trial
from morebits.provenance.certificates import Signer, name
from morebits.provenance.claim import Claim
from morebits.provenance.description import Outcome, compare, describe
from schemes import pictures

Kind = Literal["EdDSA", "ES256"]
PSNR, EDIT, SEEDS, SECONDS = 45, "jpeg:70|crop:0.8", (11, 12, 13), 10
WIDTHS = (320, 480, 640, 800, 1024)
#: What is said of a picture, from nothing to much.
SAID: dict[str, dict[str, Any]] = {
    "nothing": {},
    "title and creator": {"title": "Harbour at dawn", "creator": "Ann Example"},
    "and five edits": {
        "title": "Harbour at dawn",
        "creator": "Ann Example",
        "actions": (
            "c2pa.cropped", "c2pa.resized", "c2pa.color_adjustments", "c2pa.filtered",
            "c2pa.drawing",
        ),
    },
}  # fmt: skip
#: Manifests whose way through photos is measured: what is said, key, whole certificate.
CARRIED: tuple[tuple[str, Kind, bool], ...] = (
    ("nothing", "EdDSA", False),
    ("and five edits", "EdDSA", False),
    ("title and creator", "EdDSA", True),
    ("title and creator", "ES256", True),
)
LIGHT = ("none", "jpeg:30", "blur:9", "grayscale", "brightness:0.7", "contrast:0.5", "saturation:2",
         "brightness:1.5", "contrast:2", "hue:0.2")  # fmt: skip


def manifest(said: str, signer: Signer, image: Samples, *, whole: bool) -> bytes:
    """The compact manifest of a picture."""
    height, width = image.shape[:2]
    now = datetime.now(UTC).replace(microsecond=0)
    signer_name = None if whole else name(signer.certificate)
    claim = Claim(now, width, height, describe(image), **SAID[said], signer=signer_name)
    return sealed.seal(claim, signer, whole=whole)


def sizes(photo: Samples) -> list[dict[str, Any]]:
    """Bytes of all kinds of manifests of one picture."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "photo.jpg"
        Image.fromarray(photo).save(path, quality=95)
        for kind in get_args(Kind):
            signer = trial.make("Ann Example", kind=kind)
            der = signer.certificate.public_bytes(Encoding.DER)
            for said, words in SAID.items():
                store = embedded.definition(
                    title=words.get("title", "photo.jpg"), creator=words.get("creator"),
                    actions=words.get("actions", ()), mark="", version=mb.__version__,
                )  # fmt: skip
                signed, length = embedded.add(path, path, "JPEG", store, signer)
                begin = signed.index(b"jumb") - 4
                rows.append({
                    "said": said,
                    "key": kind,
                    "c2pa": length,
                    "c2pa_deflated": len(zlib.compress(signed[begin : begin + length], 9)),
                    "certificate": len(der),
                    "whole": len(manifest(said, signer, photo, whole=True)),
                    "reference": len(manifest(said, signer, photo, whole=False)),
                })  # fmt: skip
    return rows


def carried(photos: list[pictures.Photo]) -> list[dict[str, Any]]:
    """For every width and manifest: how many photos give it back at all places."""
    rows: list[dict[str, Any]] = []
    for width in WIDTHS:
        small = [made for each in photos if (made := cut(each.array, width)) is not None]
        if not small:
            continue
        row: dict[str, Any] = {
            "width": width, "height": width * 3 // 4, "photos": len(small), "carried": [],
        }  # fmt: skip
        for said, kind, whole in CARRIED:
            signer = trial.make("Ann Example", kind=kind)
            came = [back(each, said, signer, whole=whole) for each in small]
            length = len(manifest(said, signer, small[0], whole=whole))
            row["carried"].append({
                "said": said, "key": kind, "whole": whole, "bytes": length,
                "photos": sum(came),
            })  # fmt: skip
        print(line(row), flush=True)
        rows.append(row)
    return rows


def back(image: Samples, said: str, signer: Signer, *, whole: bool) -> bool:
    """Whether all edited copies of a picture are trusted."""
    data = manifest(said, signer, image, whole=whole)
    # What `hide` does, without its trials: the ones below count.
    marked = mark(images.read(image), data, None, PSNR)
    copies = (parse(EDIT)(marked, seed=seed) for seed in SEEDS)
    return all(mb.verify(each, trust=signer.chain, seconds=SECONDS) for each in copies)


def cut(array: Samples, width: int) -> Samples | None:
    """The middle of a photo in 4:3, made smaller; None where it would have to be made larger."""
    height, across = array.shape[:2]
    side = min(across // 4, height // 3)
    if 4 * side < width:
        return None
    top, left = (height - 3 * side) // 2, (across - 4 * side) // 2
    piece = Image.fromarray(array[top : top + 3 * side, left : left + 4 * side])
    return np.asarray(piece.resize((width, width * 3 // 4), Image.Resampling.LANCZOS))


def likeness(photos: list[pictures.Photo]) -> dict[str, Any]:
    """Similarities of a description to edited copies, and to all other photos."""
    arrays = [each.array for each in photos]
    told = [describe(each) for each in arrays]

    def fit(index: int, image: Samples) -> Any:
        (height, width), (h, w) = arrays[index].shape[:2], image.shape[:2]
        across, down = w / width, h / height
        matrix = [[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]]
        return compare(told[index], image, matrix, (width, height))

    others = [fit(one, arrays[two]) for one, two in permutations(range(len(told)), 2)]
    similar = [each.similarity for each in others] or [0.0]
    copies: dict[str, dict[str, Any]] = {}
    for edit in LIGHT:
        found = [fit(at, parse(edit)(each, seed=1)) for at, each in enumerate(arrays)]
        copies[edit] = {
            "least": min(each.similarity for each in found),
            **{name: sum(each.outcome == name for each in found) for name in get_args(Outcome)},
        }
    return {
        "photos": len(told),
        "others": {
            "pairs": len(others),
            "most": max(similar),
            "quantile_99": float(np.quantile(similar, 0.99)),
            **{name: sum(each.outcome == name for each in others) for name in get_args(Outcome)},
        },
        "copies": copies,
    }


def line(row: dict[str, Any]) -> str:
    """One row for people."""
    each = "; ".join(f"{one['bytes']} bytes: {one['photos']}" for one in row["carried"])
    return f"{row['width']}x{row['height']}: of {row['photos']} photos, {each}"


def main() -> None:
    """Print the tables, and write them where --out says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", nargs="?", type=Path, help="for `carried`: 1024x768 or more")
    parser.add_argument("--others", type=Path, help="photos for `likeness`")
    parser.add_argument("--most", type=int, nargs=2, default=(6, 100), help="photos of each folder")
    parser.add_argument("--part", choices=("sizes", "carried", "likeness"), help="only this one")
    parser.add_argument("--out", type=Path, help="other parts that it holds are kept")
    given = parser.parse_args()
    own = pictures.own(None)
    parts: dict[str, Any] = {}
    if given.part in (None, "sizes"):
        parts["sizes"] = {"rows": sizes(own.wholes[0].array)}
    if given.part in (None, "carried"):
        large = own if given.photos is None else pictures.from_folder(given.photos, given.most[0])
        parts["carried"] = {"source": large.source, "rows": carried(large.wholes)}
    if given.part in (None, "likeness"):
        many = own if given.others is None else pictures.from_folder(given.others, given.most[1])
        parts["likeness"] = {"source": many.source, **likeness(many.wholes)}
    print(json.dumps(parts, indent=1))
    if given.out is not None:
        known = json.loads(given.out.read_text()) if given.out.exists() else {}
        given.out.write_text(json.dumps(known | parts, indent=1) + "\n")


if __name__ == "__main__":
    main()
