"""Signers, a claim, and photos that were really signed, once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import morebits as mb
from morebits.provenance import trial
from morebits.provenance.certificates import Signer
from morebits.provenance.claim import Claim
from morebits.provenance.description import describe


@dataclass(frozen=True)
class Case:
    """A signed photo, its signer and the files of its certificate."""

    signed: mb.Signed
    signer: Signer
    files: trial.Trial


@pytest.fixture(scope="session")
def ann() -> Signer:
    return trial.make("Ann Example", kind="ES256")


@pytest.fixture(scope="session")
def bob() -> Signer:
    return trial.make("Bob Example", kind="EdDSA")


@pytest.fixture(scope="session")
def small() -> Any:
    """A picture of 96x72 with something in it."""
    y, x = np.mgrid[0:72, 0:96]
    return np.rint(120 + 90 * np.sin(x / 17) * np.cos(y / 13)).astype(np.uint8)[..., None]


@pytest.fixture
def claim(small) -> Claim:
    now = datetime.now(UTC).replace(microsecond=0)
    return Claim(now, 96, 72, describe(small), "A title", "Ann", ("c2pa.cropped", "com.acme.blur"))


@pytest.fixture(scope="session")
def signing(tmp_path_factory, photo) -> Callable[..., Case]:
    """Signs the bundled photo."""

    def make(name: str, signer: Signer, **options: Any) -> Case:
        folder: Path = tmp_path_factory.mktemp(name)
        files = trial.write(folder / "certificates", signer)
        given: dict[str, Any] = {"cert": files.cert, "key": files.key, **options}
        return Case(mb.sign(photo, folder / "signed.jpg", **given), signer, files)

    return make


@pytest.fixture(scope="session")
def whole(signing, ann) -> Case:
    """With the certificate in the pixels."""
    said = {"title": "Grace Hopper", "creator": "US Navy", "actions": ["c2pa.cropped"]}
    return signing("whole", ann, **said)


@pytest.fixture(scope="session")
def reference(signing, bob) -> Case:
    """With a reference to the certificate; what this survives is not tried."""
    return signing("reference", bob, certificate="reference", survive=())
