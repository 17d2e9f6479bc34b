"""The command `morebits`: parses, calls, prints.

Results go to stdout; progress, notes and errors to stderr. Exit codes: 0 done, 1 the answer is
no (nothing found, does not fit), 2 wrong use (one line that says what to do), 130 interrupted,
141 the reader of the output went away.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from morebits import __version__
from morebits.cli import (
    attacking,
    bench,
    completing,
    doctoring,
    hiding,
    measuring,
    models,
    page,
    pages,
    report,
    revealing,
    signing,
    terminal,
    training,
    verifying,
)
from morebits.errors import DoesNotFit, MorebitsError

_EXAMPLES = """\
Examples:

- `morebits capacity photo.jpg --psnr 42`
- `morebits hide photo.jpg -o marked.jpg --text "made by me"`
- `morebits reveal edited.jpg`
- `morebits demo --out demo`
"""

app = App(
    name="morebits",
    help="How many bits can an image hide? And: hide them.",
    help_epilogue=_EXAMPLES,
    help_format="markdown",
    version=__version__,
    result_action="return_int_as_exit_code_else_zero",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
)
app.command(measuring.capacity, help_epilogue=measuring.EXAMPLES)
app.command(hiding.hide, help_epilogue=hiding.EXAMPLES)
app.command(revealing.reveal, help_epilogue=revealing.EXAMPLES)
app.command(signing.sign, help_epilogue=signing.EXAMPLES)
app.command(verifying.verify, help_epilogue=verifying.EXAMPLES)
app.command(attacking.attack, help_epilogue=attacking.EXAMPLES)
app.command(bench.bench, help_epilogue=bench.EXAMPLES)
app.command(report.report, help_epilogue=report.EXAMPLES)
app.command(training.train, help_epilogue=training.EXAMPLES)
app.command(page.app, help_epilogue=page.EXAMPLES)
app.command(models.models, help_epilogue="")
app.command(doctoring.doctor, help_epilogue=doctoring.EXAMPLES)
app.command(pages.demo, help_epilogue="")
app.command(pages.paper, help_epilogue="")
app.command(completing.install, name="--install-completion", help_epilogue="")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        with terminal.announcements():
            code: int = app(None if argv is None else list(argv))
        sys.stdout.flush()
    except (MorebitsError, CycloptsError) as error:
        terminal.say(f"morebits: {_one_line(error)}")
        return 1 if isinstance(error, DoesNotFit) else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _forget_stdout()
        return 141
    except MemoryError:
        terminal.say("morebits: not enough memory; use a smaller picture")
        return 2
    except OSError as error:  # whatever is not a file of ours, such as a full disk behind stdout
        _forget_stdout()
        terminal.say(f"morebits: {error.filename or 'stdout'}: {error.strerror or error}")
        return 2
    return code


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, MorebitsError) else f"{text} (try --help)"


def _forget_stdout() -> None:
    """Python flushes once more at its end, and would complain about what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
