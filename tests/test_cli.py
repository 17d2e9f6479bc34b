from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from cyclopts.completion.detect import ShellDetectionError
from PIL import Image

import morebits as mb
from morebits import cli, measure
from morebits.cli import arguments
from morebits.errors import InputError

SIZE = ["--size", "16x16"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    code = cli.main(words)
    out, err = capsys.readouterr()
    return code, out, err


def fails(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that wrong use gets."""
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    assert err.startswith("morebits: ")
    assert err.count("\n") == 1
    return err


class TestCapacity:
    FIELDS = frozenset((
        "bits", "bpp", "bound", "kind", "valid", "reason", "method",
        "psnr", "peak", "format", "under", "seconds",
    ))  # fmt: skip

    def test_json_of_a_size(self, capsys):
        """602,672.58 bits: notes/numerics.md 2, contour integral at 256 px and 42 dB."""
        code, out, err = run(capsys, "capacity", "--size", "256x256", "--psnr", "42", "--json")
        found = json.loads(out)
        assert (code, err) == (0, "")
        assert set(found) >= self.FIELDS
        assert found["bits"] == pytest.approx(602_672.58, abs=0.01)
        assert found["bpp"] == found["bits"] / (3 * 256 * 256)
        assert (found["kind"], found["valid"], found["bound"]) == ("exact", True, "4")
        assert found["format"] == {"channels": 3, "width": 256, "height": 256, "depth": 8}
        assert (found["psnr"], found["peak"], found["under"]) == (42, 255, None)

    def test_json_is_the_librarys_answer(self, capsys):
        words = ["--channels", "1", "--depth", "10", "--cover", "corner", "--peak", "1000"]
        _, out, _ = run(capsys, "capacity", *SIZE, "--psnr", "50", "--json", *words)
        fmt = mb.ImageFormat(channels=1, width=16, height=16, depth=10)
        expected = mb.capacity(fmt, psnr=50, cover="corner", peak=1000).to_dict()
        assert json.loads(out) | {"seconds": 0} == expected | {"seconds": 0}

    def test_json_of_several_is_a_list(self, capsys):
        _, out, _ = run(capsys, "capacity", *SIZE, "--psnr", "30:40:5", "--json")
        found = json.loads(out)
        assert [each["psnr"] for each in found] == [30, 35, 40]
        assert found[2]["bits"] == pytest.approx(2603.68580405, abs=1e-8)  # numerics.md 2

    def test_a_table_for_people(self, capsys):
        code, out, err = run(capsys, "capacity", *SIZE, "--psnr", "42")
        assert (code, err) == (0, "")
        for words in ("2,348.53 bits (293 bytes)", "exact count", "16x16, 3 channels of 8 bits"):
            assert words in out

    def test_an_estimate_shows_its_error(self, capsys, monkeypatch):
        plain = mb.curve(mb.ImageFormat(width=16, height=16), psnr=[40, 42])
        rough = [
            replace(each, error=error)
            for each, error in zip(plain.capacities, (1234, 5.5), strict=True)
        ]
        monkeypatch.setattr(measure, "curve", lambda *_, **__: measure.Curve((40, 42), (*rough,)))
        _, out, _ = run(capsys, "capacity", *SIZE, "--psnr", "40,42")
        assert "2,603.69 ± 1,234" in out
        assert "2,348.53 ± 5.5" in out

    def test_a_table_of_several(self, capsys):
        _, out, _ = run(capsys, "capacity", *SIZE, "--psnr", "40,42", "--psnr", "45")
        for words in ("2,603.69", "2,348.53", "1,966.02", "exact"):
            assert words in out

    def test_a_picture_is_exact_for_that_picture(self, capsys, photo):
        _, out, _ = run(capsys, "capacity", str(photo), "--psnr", "42", "--json")
        found = json.loads(out)
        assert found["bits"] == pytest.approx(mb.capacity(photo, psnr=42).bits, abs=1e-6)
        assert (found["bound"], found["format"]["width"]) == ("8", 512)

    def test_notes_go_to_stderr(self, capsys, tmp_path):
        path = tmp_path / "a.png"
        Image.fromarray(np.zeros((4, 4, 4), np.uint8)).save(path)
        code, out, err = run(capsys, "capacity", str(path), "--psnr", "42", "--json")
        assert code == 0
        assert json.loads(out)["format"]["channels"] == 3
        assert err == f"morebits: note: {path}: alpha set aside: only colour channels count\n"

    def test_under_an_edit(self, capsys):
        _, out, _ = run(capsys, "capacity", *SIZE, "--psnr", "42", "--under", "crop:0.5", "--json")
        found = json.loads(out)
        assert (found["kind"], found["under"]) == ("heuristic", "crop:0.5")
        assert 0 < found["bits"] < 2348

    def test_certified(self, capsys):
        words = ["--under", "crop:0.5", "--bound", "certified", "--json"]
        _, out, _ = run(capsys, "capacity", *SIZE, "--psnr", "42", *words)
        found = json.loads(out)
        assert (found["kind"], found["bound"]) == ("lower", "certified")

    def test_covers_share_the_ball(self, capsys):
        """Section 3.5: 1024^(32 x 32) covers cost 10,240 bits at 256 px, about 0.05 bpp."""
        words = ["capacity", "--size", "256x256", "--psnr", "42", "--json"]
        alone = json.loads(run(capsys, *words)[1])
        shared = json.loads(run(capsys, *words, "--covers-bits", "10240")[1])
        assert alone["bits"] - shared["bits"] == pytest.approx(10_240)
        assert alone["bpp"] - shared["bpp"] == pytest.approx(0.05, abs=0.003)


class TestWrongUse:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ([], "give a picture file or --size WIDTHxHEIGHT"),
            (["--size", "256"], "write WIDTHxHEIGHT, for example --size 256x256"),
            (["--size", "x"], "write WIDTHxHEIGHT"),
            (["--size", "1e3x4"], "write WIDTHxHEIGHT"),
            (["--size", "0x16"], "at least 1"),
            (["--size", "-3x16"], "at least 1"),
            (["--size", "99999x99999"], "give at most 1,000,000,000"),
            (["--size", "9" * 18 + "x2"], "give at most 1,000,000,000"),
            ([*SIZE, "--channels", "0"], "at least 1"),
            ([*SIZE, "--depth", "17"], "1 to 16 bits"),
            ([*SIZE, "--depth", "x"], "try --help"),
            ([*SIZE, "--peak", "0"], "peak"),
            ([*SIZE, "--peak", "nan"], "peak"),
            ([*SIZE, "--cover", "red"], '"gray", "corner"'),
            ([*SIZE, "--bound", "14"], "use one of 1, 2, 3"),
            ([*SIZE, "--bound", "2"], "bound 2 is not valid here"),
            ([*SIZE, "--bound", "12"], "is not valid here"),
            ([*SIZE, "--under", "sharpen:2"], "use one of blur, "),
            ([*SIZE, "--under", "crop"], "for example crop:0.5"),
            ([*SIZE, "--under", "crop:2"], "crop"),
            ([*SIZE, "--under", ""], "for example crop:0.5"),
            ([*SIZE, "--covers-bits", "-1"], "covers_bits"),
            ([*SIZE, "--covers-bits", "nan"], "covers_bits"),
            ([*SIZE, "--color", "1"], "Unknown option"),
            (["no.png"], "no.png: no such file; check the path"),
            (["no.png", *SIZE], "leave it out, no.png has its own size"),
            (["no.png", "--depth", "8"], "leave it out, no.png has its own"),
            (["a.png", "b.png"], "b.png"),
        ],
    )
    def test_one_line_that_says_what_to_do(self, capsys, words, message):
        assert message in fails(capsys, "capacity", *words, "--psnr", "42")

    @pytest.mark.parametrize(
        "text", ["nan", "inf", "-inf", "x", "", "1e999", "10:", "a:b", "10:20:5:1", "20:10",
                 "10:20:0", "10:20:-1", "0:1e9:1e-9", "10:nan:1", ","],
    )  # fmt: skip
    def test_psnr(self, capsys, text):
        assert "--psnr is" in fails(capsys, "capacity", *SIZE, "--psnr", text)

    def test_psnr_is_needed(self, capsys):
        assert "--psnr" in fails(capsys, "capacity", *SIZE)

    def test_unknown_command(self, capsys):
        assert 'Unknown command "capacty"' in fails(capsys, "capacty")

    def test_a_broken_picture(self, capsys, tmp_path):
        path = tmp_path / "a.png"
        path.write_bytes(b"\x89PNG\r\n\x1a\n")
        assert "a.png" in fails(capsys, "capacity", str(path), "--psnr", "42")

    def test_a_folder_that_cannot_be_made(self, capsys, tmp_path):
        (tmp_path / "file").touch()
        for verb in ("demo", "paper"):
            line = fails(capsys, verb, "--out", str(tmp_path / "file"))
            assert "give another folder" in line


class TestPaper:
    def test_it_hands_over_the_folder(self, capsys, monkeypatch, tmp_path):
        from morebits import paper

        def regenerate(out, progress):
            progress(f"into {out.name}")
            return [out / "a.json", out / "index.md"]

        monkeypatch.setattr(paper, "regenerate", regenerate)
        code, out, err = run(capsys, "paper", "--out", str(tmp_path / "new" / "folder"))
        index = tmp_path / "new" / "folder" / "index.md"
        assert (code, err) == (0, "into folder\n")
        assert out == f"wrote 2 files, start with {index}\n"
        assert index.parent.is_dir()


class TestArguments:
    def test_a_range_holds_both_ends(self):
        assert arguments.parse_psnr(("0:0.3:0.1",)) == pytest.approx([0, 0.1, 0.2, 0.3])
        assert arguments.parse_psnr(("10:12",)) == [10, 11, 12]
        assert arguments.parse_psnr(("10:14:3",)) == [10, 13]
        assert arguments.parse_psnr(("-5",)) == [-5]

    def test_too_many(self):
        with pytest.raises(InputError, match="at most 10,000"):
            arguments.parse_psnr(("0:9000", "0:9000"))

    @pytest.mark.parametrize("text", ["640x480", "640X480", " 640 x 480 ", "640×480"])
    def test_sizes(self, text):
        assert arguments.parse_size(text) == (640, 480)


class TestProcess:
    """What only a real process shows."""

    RUN = (sys.executable, "-m", "morebits")

    def test_version_and_help(self, capsys):
        assert run(capsys, "--version")[1].strip() == mb.__version__
        for words in (["--help"], ["capacity", "--help"]):
            code, out, _ = run(capsys, *words)
            assert code == 0
            assert "morebits capacity photo.jpg --psnr 42" in out

    def test_tab_completes_in_bash(self, capsys, tmp_path):
        script = tmp_path / "morebits.bash"
        code, out, _ = run(capsys, "--install-completion", "--shell", "bash", "-o", str(script))
        assert (code, out.startswith(f"wrote {script}")) == (0, True)
        typed = "COMP_WORDS=(morebits do); COMP_CWORD=1; _morebits; echo ${COMPREPLY[@]}"
        shell = ["bash", "-c", f"source {script} && {typed}"]
        assert subprocess.run(shell, capture_output=True, text=True).stdout.strip() == "doctor"

    def test_a_shell_that_nobody_knows(self, capsys, monkeypatch):
        def detect():
            raise ShellDetectionError

        monkeypatch.setattr("cyclopts.completion.detect.detect_shell", detect)
        monkeypatch.setattr("cyclopts.completion.detect_shell", detect, raising=False)
        assert "name bash, zsh, fish or powershell" in fails(capsys, "--install-completion")

    def test_exit_codes_and_streams(self):
        good = subprocess.run([*self.RUN, "--version"], capture_output=True, text=True, check=True)
        assert good.stdout.strip() == mb.__version__
        bad = subprocess.run([*self.RUN, "bogus"], capture_output=True, text=True, check=False)
        assert (bad.returncode, bad.stdout) == (2, "")

    def test_json_needs_neither_scipy_nor_matplotlib(self):
        code = (
            "import sys; from morebits.cli import main;"
            "main(['capacity', '--size', '256x256', '--psnr', '42', '--json']);"
            "print(*sys.modules, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        loaded = set(done.stderr.split())
        assert not {"scipy", "matplotlib", "jinja2", "flint", "PIL"} & loaded

    def test_a_reader_that_goes_away(self):
        command = [*self.RUN, "capacity", "--size", "8x8", "--psnr", "20:40:0.05", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.read(10)
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == 141

    def test_an_interrupt(self, monkeypatch):
        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(cli.arguments, "parse_psnr", interrupted)
        assert cli.main(["capacity", *SIZE, "--psnr", "42"]) == 130

    @pytest.mark.full
    def test_an_interrupt_by_signal(self):
        command = [*self.RUN, "capacity", "--size", "256x256", "--psnr", "1:60:0.01"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(1.5)
            os.kill(process.pid, signal.SIGINT)
            _, err = process.communicate()
        assert process.returncode in (130, -signal.SIGINT)
        assert b"Traceback" not in err
