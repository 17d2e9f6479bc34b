"""The documentation as a site: built once, whole, in need of nothing from a network, and searched.

Building it runs the three notebooks and draws every picture, table and formula.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

NOTEBOOKS = ("how-much-fits", "hide-attack-reveal", "principled")
#: The contrast of an element's text with what is behind it, as WCAG 2 defines it.
CONTRAST = """(element) => {
    const luminance = (colour) => {
        const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255)
            .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    let behind = element;
    const fill = () => getComputedStyle(behind).backgroundColor;
    while (fill() === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const found = [getComputedStyle(element).color, fill()];
    const [dark, light] = found.map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
}"""


@pytest.fixture(scope="session")
def site(root: Path, once) -> Path:
    """`make docs` into another folder; mkdocs.yml makes it strict."""

    def build(out: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(out)]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run(
            command, cwd=root, env=environment, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout + done.stderr == ""

    return once("site", build)


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


class Loaded(HTMLParser):
    """What a browser fetches for a page, and the words of it that a person reads."""

    def __init__(self, text: str):
        super().__init__()
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.code = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag in {"script", "img", "iframe", "source"} and found.get("src"):
            self.addresses.append(found["src"] or "")
        if tag == "link" and found.get("rel") != "canonical":
            self.addresses.append(found.get("href") or "")
        self.code += tag in {"code", "pre", "script", "style", "svg"}

    def handle_endtag(self, tag):
        self.code -= tag in {"code", "pre", "script", "style", "svg"}

    def handle_data(self, data):
        if not self.code:
            self.words.append(data)


class TestSite:
    def test_nothing_comes_from_a_network(self, site):
        for page in pages(site):
            for address in Loaded(page.read_text()).addresses:
                assert not address.startswith(("http:", "https:", "//")), f"{page.name}: {address}"
        for style in site.rglob("*.css"):
            assert not re.search(r"url\(['\"]?(https?:)?//", style.read_text()), style.name

    def test_the_letters_of_the_page_are_there(self, site):
        style = site / "stylesheets" / "extra.css"
        fonts = re.findall(r'url\("([^"]+)"\)', style.read_text())
        assert len(fonts) == 2
        for font in fonts:
            assert (style.parent / font).read_bytes()[:4] == b"wOF2"

    def test_every_file_that_a_page_loads_is_there(self, site):
        for page in pages(site):
            if page.name == "404.html":  # it is shown at any address, and has absolute ones
                continue
            for address in Loaded(page.read_text()).addresses:
                if not address.startswith("data:"):
                    assert (page.parent / address.partition("#")[0]).exists(), f"{page}: {address}"

    def test_formulas_and_comments_are_replaced(self, site):
        drawn = 0
        for page in pages(site):
            text = page.read_text()
            words = " ".join(Loaded(text).words)
            assert "arithmatex" not in text, page.name
            assert not re.search(r"\\(frac|log|epsilon|sum)\b", words), page.name
            assert "<!-- picture" not in text
            assert "<!-- table" not in text
            drawn += text.count('class="formula"')
            heights = re.findall(r'" style="width:[\d.]+em;height:([\d.]+)em', text)
            assert all(float(height) < 6 for height in heights), page.name
        assert drawn > 30

    def test_every_bound_has_its_page_with_formula_and_plot(self, site):
        names = [f"bound-{number:02}" for number in range(1, 14)] + ["certified"]
        for name in names:
            text = (site / "bounds" / f"{name}.html").read_text()
            assert 'class="formula"' in text
            assert re.search(r"made/bound-\w+\.svg", text)

    def test_tables_are_those_of_the_results(self, site, root):
        results = json.loads((root / "benchmarks/results/robust/report.json").read_text())
        text = (site / "survives.html").read_text()
        rows = results["parts"]["paper1024"]["rows"]
        for row in rows:
            assert f"<code>{row['attack']}</code>" in text
            assert f"{100 * row['share']:.1f} %" in text
        for verdict in results["verdicts"]:
            assert verdict["measured"] in text.replace("&#39;", "'")

    @pytest.mark.parametrize("name", NOTEBOOKS)
    def test_notebooks_show_what_they_printed_and_drew(self, site, name):
        text = (site / "notebooks" / f"{name}.html").read_text()
        assert "data:image/png;base64," in text
        assert re.search(r'<div class="[^"]*\bshown\b[^"]*"><pre>', text)
        assert (site / "notebooks" / f"{name}.ipynb").exists()

    def test_help_pages_have_every_command(self, site):
        from morebits.cli import app

        text = (site / "command-line.html").read_text()
        for name in app.resolved_commands():
            if not name.startswith("-"):
                assert f'id="{name}"' in text, name
        assert "morebits capacity --psnr DB" in text
        assert "mkdocs" not in " ".join(Loaded(text).words)

    def test_the_reference_has_every_public_function(self, site):
        import morebits as mb

        text = (site / "python.html").read_text()
        for name in mb.__all__:
            value = getattr(mb, name)
            if callable(value):
                assert f'id="{value.__module__}.{name}"' in text, name


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site as a web server serves it: from the disk a browser does not search."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class TestInABrowser:
    def test_the_search_answers_and_leads_to_the_page(self, browser, address):
        tab = browser.new_page()
        tab.set_default_timeout(60_000)
        tab.goto(f"{address}index.html")
        # Key by key, as people do: the search listens to keys, not to a value that is set.
        tab.locator("[data-md-component=search-query]").press_sequentially("saddle")
        tab.click(".md-search-result__item a[href*='numerics.html']")
        tab.wait_for_selector("h1:has-text('How the numerics work')")
        tab.close()

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_the_first_page_can_be_read_on_a_phone(self, browser, address, scheme):
        tab = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
        tab.goto(f"{address}index.html")
        assert tab.evaluate("document.documentElement.scrollWidth") == 390
        for button in tab.locator(".hero .md-button").all():
            assert button.evaluate(CONTRAST) >= 4.5  # what WCAG asks for text
        tab.close()


class TestSources:
    @pytest.mark.parametrize("name", NOTEBOOKS)
    def test_notebooks_are_kept_without_output(self, root, name):
        cells = json.loads((root / "docs" / "notebooks" / f"{name}.ipynb").read_text())["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert code
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)

    def test_an_unknown_picture_stops_the_build(self, root, tmp_path):
        docs = tmp_path / "docs"
        docs.mkdir()
        (docs / "index.md").write_text("# Page\n\n<!-- picture: no-such -->\n")
        hooks = root / "website" / "hooks.py"
        config = f"site_name: x\ndocs_dir: {docs}\nhooks: [{hooks}]\nstrict: true\n"
        (tmp_path / "mkdocs.yml").write_text(config)
        command = [sys.executable, "-m", "mkdocs", "build", "-d", str(tmp_path / "out")]
        done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode != 0
        assert "no-such" in done.stderr + done.stdout
