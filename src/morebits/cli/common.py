"""What `morebits hide` and `morebits reveal` have in common: the options, and how to check them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from morebits.cli import arguments, inputs
from morebits.cli.processes import Cluster, Jobs
from morebits.errors import InputError

Key: TypeAlias = Annotated[str | None, Parameter(metavar="K", allow_leading_hyphen=True)]


@Parameter(name="*")
@dataclass(frozen=True)
class Common:
    """Options of both verbs.

    Parameters
    ----------
    key
        Encrypt with this password, and reveal with the same one. Others may see it in the list of
        processes: --key-file is safer.
    key_file
        Read the key from this file; or set the environment variable MOREBITS_KEY.
    max_megapixels
        Refuse larger pictures (default 100); raise it for files that you trust.
    force
        Overwrite the file if it exists. Without it, many pictures skip those that exist.
    jobs
        For many pictures: processes, default one a core.
    cluster
        For many pictures: the Dask scheduler at tcp://HOST:PORT, whose workers see the same files.
    as_json
        Print one JSON object; that of `reveal` without --out has the payload in it, in base64.
    """

    key: Key = None
    key_file: Path | None = None
    max_megapixels: arguments.Megapixels = None
    force: arguments.Flag = False
    jobs: Jobs = None
    cluster: Cluster = None
    as_json: arguments.Json = False

    def secret(self) -> str | bytes | None:
        """The key, wherever it is given."""
        return inputs.key(self.key, self.key_file)

    def check_single(self) -> None:
        """One picture needs no workers."""
        for name, value in (("--jobs", self.jobs), ("--cluster", self.cluster)):
            if value is not None:
                raise InputError(name, value, "leave it out, or give a folder of pictures")
