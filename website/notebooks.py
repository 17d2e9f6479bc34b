"""Notebooks as pages: every cell is run, an error stops the build, and what it shows is shown."""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

#: Seconds that a cell may take, on a machine that is busy with other work, too.
PATIENCE = 1800


def page(path: Path) -> str:
    """Markdown of a notebook after it was run in a folder that holds `photo.jpg`."""
    parts: list[str] = []
    for cell in run(path).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.source.strip():
            parts.append(f"```python\n{cell.source}\n```")
            parts += [_shown(output) for output in _joined(cell.outputs)]
    parts.append(f"[Take this notebook with you]({path.name}){{ .md-button }}")
    return "\n\n".join(parts) + "\n"


def run(path: Path) -> Any:
    """The notebook with fresh outputs."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(photo(), Path(folder) / "photo.jpg")
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(
            notebook, timeout=PATIENCE, kernel_name="python3", resources=resources,
            extra_arguments=["--IPKernelApp.log_level=ERROR"],  # its hints are not about the site
        )  # fmt: skip
        environment = os.environ | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        return client.execute(env=environment)


def photo() -> Path:
    """The project's photo, which comes with matplotlib."""
    import matplotlib.cbook

    return Path(str(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)))


def _joined(outputs: Sequence[Any]) -> list[Any]:
    """What a cell prints arrives in pieces: those next to each other are one."""
    found: list[Any] = []
    for output in outputs:
        if found and output.output_type == found[-1].output_type == "stream":
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def _shown(output: Any) -> str:
    """One output: a picture, or text."""
    if output.output_type == "stream":
        return _text(output.text)
    data = output.data
    for kind in ("image/png", "image/jpeg"):
        if kind in data:
            plain = base64.b64encode(base64.b64decode(data[kind])).decode()
            return f'<p class="shown"><img alt="output" src="data:{kind};base64,{plain}"></p>'
    return _text(data["text/plain"])


def _text(plain: str) -> str:
    return f"```{{.text .shown}}\n{plain.rstrip()}\n```"
