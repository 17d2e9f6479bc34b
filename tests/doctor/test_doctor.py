from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from morebits import cli, doctor
from morebits.doctor import Check, Report, child, extras, trials
from morebits.errors import ImageError


def package(folder: Path, name: str, version: str = "1.0", code: str = "", more: str = "") -> None:
    """An installed package with one module of its name."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{more}\n"
    )
    (info / "RECORD").write_text(f"{module}.py,,\n{info.name}/METADATA,,\n")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package `whole` with extras, and some of what they need."""
    package(tmp_path, "good-part", "2.0", code="print('welcome, dear user')")
    package(tmp_path, "bad-part", code="raise ImportError('a library is missing')")
    package(tmp_path, "deadly-part", code="import os; os.abort()")
    package(
        tmp_path,
        "whole",
        more="\n".join(
            [
                "Requires-Dist: numpy",
                *(
                    f"Provides-Extra: {each}"
                    for each in ("report", "c2pa", "neural", "train", "onnx")
                ),
                "Requires-Dist: good-part>=1; extra == 'report'",
                "Requires-Dist: not-there; extra == 'c2pa'",
                "Requires-Dist: bad-part; extra == 'neural'",
                "Requires-Dist: good-part>=3; extra == 'onnx'",
                "Requires-Dist: whole[report]; extra == 'train'",
                "Requires-Dist: deadly-part; extra == 'train'",
            ]
        ),
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    extras._modules.cache_clear()
    yield extras.listed("whole")
    extras._modules.cache_clear()


class TestExtras:
    def test_what_works(self, installed):
        found = extras.check("report", installed["report"])
        assert (found.state, found.words) == ("works", "good-part 2.0")
        assert found.seconds > 0

    def test_what_is_not_there_is_no_fault(self, installed):
        found = extras.check("c2pa", installed["c2pa"])
        assert found.state == "absent"
        assert "pip install 'morebits[c2pa]' (not-there)" in found.words

    def test_what_cannot_be_imported(self, installed):
        found = extras.check("neural", installed["neural"])
        assert found.state == "broken"
        assert "bad_part: ImportError: a library is missing" in found.words

    def test_what_is_too_old(self, installed):
        found = extras.check("onnx", installed["onnx"])
        assert found.state == "broken"
        assert "good-part 2.0, >=3 is needed" in found.words

    def test_an_extra_of_extras_that_crashes(self, installed):
        assert [need.name for need in installed["train"]] == ["good-part", "deadly-part"]
        found = extras.check("train", installed["train"])
        assert found.state == "broken"
        assert "deadly_part" in found.words or "signal 6" in found.words

    def test_a_package_that_pip_did_not_install(self):
        assert extras.listed("no-such-package") == {}

    def test_every_extra_has_its_words(self, root):
        project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
        ours = {"dev", "docs", "fuzz"}
        assert set(project["optional-dependencies"]) - ours <= set(extras.PURPOSES)


class TestChild:
    def test_a_crash(self):
        assert child.run("import os; os.kill(os.getpid(), 9)").problem.endswith("signal 9")

    def test_what_is_printed_is_no_answer(self):
        assert child.run("print('welcome'); tell('yes')").lines == ("yes",)

    def test_a_hang(self):
        found = child.run("import time; time.sleep(60)", patience=0.5)
        assert found.problem == "no answer after 0.5 seconds"

    @pytest.mark.skipif(sys.platform == "win32", reason="the system does not tell")
    def test_memory(self):
        found = child.run("much = bytes(50_000_000)")
        assert found.memory is not None
        assert found.memory > 50_000_000


class TestTrials:
    @pytest.mark.parametrize("name", trials.TRIALS)
    def test_they_work_here(self, name):
        """In this process: the loops are compiled already, and a failure has a traceback."""
        assert trials.TRIALS[name]()

    def test_in_a_process_of_its_own(self):
        found = trials.check("capacity")
        assert (found.state, found.words) == ("works", "256x256 pixels at 42 dB: 602,672.58 bits")

    def test_one_that_fails(self):
        assert trials.check("nonsense").state == "broken"

    @pytest.mark.parametrize("found", [None, b"other"])
    def test_another_payload_is_noticed(self, found):
        with pytest.raises(ImageError, match="came back"):
            trials._same(found, b"hidden")

    def test_a_wrong_count_is_noticed(self, monkeypatch):
        monkeypatch.setattr(trials, "KNOWN_BITS", 602_673.0)
        with pytest.raises(ImageError, match="report this"):
            trials.capacity()


class TestCommand:
    def report(self, state: doctor.State) -> Report:
        checks = (Check("trellis", "trial", "works", "fine", 1.25, 3 * 2**20),
                  Check("neural", "extra", state, "some words"))  # fmt: skip
        return Report("0.1.0", "folder", "CPython", "Linux", 2, 2**33, checks, 2.0)

    @pytest.mark.parametrize(("state", "code"), [("works", 0), ("absent", 0), ("broken", 1)])
    def test_exit_code_and_json(self, monkeypatch, capsys, state, code):
        monkeypatch.setattr(doctor, "examine", lambda progress: self.report(state))
        assert cli.main(["doctor", "--json"]) == code
        found = json.loads(capsys.readouterr().out)
        assert found["well"] is (code == 0)
        assert found["checks"][1]["state"] == state

    @pytest.mark.parametrize("state", ["works", "broken"])
    def test_table(self, monkeypatch, capsys, state):
        monkeypatch.setattr(doctor, "examine", lambda progress: self.report(state))
        cli.main(["doctor"])
        out = capsys.readouterr().out
        assert "3.0 MiB" in out
        assert ("Not well: neural." in out) is (state == "broken")

    def test_everything_is_examined(self, monkeypatch):
        """The real thing, with quick stand-ins for the processes."""
        ran: list[str] = []
        monkeypatch.setattr(trials, "check", lambda name: ran.append(name) or Check(
            name, "trial", "works", ""))  # fmt: skip
        monkeypatch.setattr(extras, "check", lambda name, needs: ran.append(name) or Check(
            name, "extra", "absent", ""))  # fmt: skip
        found = doctor.examine()
        assert found
        assert {"capacity", "trellis", "robust", "report", "neural", "c2pa"} <= set(ran)
        assert [check.name for check in found.checks] == ran
