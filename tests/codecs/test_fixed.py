"""Loading packages that may be absent or broken."""

from __future__ import annotations

import pytest

from morebits.codecs import fixed
from morebits.errors import BrokenPackage, MissingExtra


class TestLoad:
    def test_absent(self):
        with pytest.raises(MissingExtra, match=r"pip install 'morebits\[peers\]'"):
            fixed.load("no_such_module.part", "no-such-package", "peers")

    def test_a_package_that_lacks_another(self, tmp_path, monkeypatch):
        (tmp_path / "halfway.py").write_text("import no_such_module")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(MissingExtra, match=r"^no_such_module is not installed"):
            fixed.load("halfway", "halfway", None)

    @pytest.mark.parametrize("error", ["ImportError", "RuntimeError", "OSError"])
    def test_a_package_that_is_broken(self, tmp_path, monkeypatch, error):
        (tmp_path / f"broken_{error}.py").write_text(f"raise {error}('libGL.so.1\\nis absent')")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(BrokenPackage, match=r"cannot be imported \(libGL.so.1 is absent\)"):
            fixed.load(f"broken_{error}", "broken", "peers")
