"""`morebits --install-completion`: what Tab completes in a shell."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from morebits.errors import InputError


def install(
    *,
    shell: Literal["bash", "zsh", "fish", "powershell"] | None = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
) -> None:
    """Let Tab complete the commands and options of morebits.

    Parameters
    ----------
    shell
        Your shell; left out: the one that this runs in.
    out
        Write the script to this file and nothing else; left out: to where the shell looks for
        it, with a line in the shell's start-up file.
    """
    from cyclopts.completion.detect import ShellDetectionError

    from morebits.cli import app

    try:
        path = app.install_completion(shell=shell, output=out, add_to_startup=out is None)
    except ShellDetectionError:
        raise InputError("--shell", shell, "name bash, zsh, fish or powershell") from None
    print(f"wrote {path}; start a new shell to use it")
