"""The page as people use it: a real browser, a real server, real files."""

from __future__ import annotations

import base64
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

import morebits as mb
from morebits import images

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Milliseconds that an answer may take on a busy machine.
PATIENCE = 120_000
WIDTHS = (1280, 390)

BRIGHTEST = """() => {
    const canvas = document.querySelector('#compare canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((most, each, place) => place % 4 < 3 ? Math.max(most, each) : most, 0);
}"""
SMALL_TARGETS = """() => [...document.querySelectorAll('#view-hide button, #view-hide select')]
    .filter((each) => each.offsetParent && each.offsetHeight < 34 && !each.closest('.fine'))
    .map((each) => each.textContent)"""
UNNAMED = """() => [...document.querySelectorAll('input, select, textarea, button')]
    .filter((each) => !each.labels?.length && !each.ariaLabel && !each.textContent.trim())
    .map((each) => each.outerHTML)"""
FOCUSED = """() => {
    const found = document.activeElement.closest('[id], [data-view], .skip, .brand');
    return found.id || found.dataset.view || found.className;
}"""
CARRIED = """(data) => {
    const carried = new DataTransfer();
    const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
    carried.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }));
    return carried;
}"""
MOVE = """(level) => {
    const slider = document.getElementById('chart-psnr');
    slider.value = level;
    slider.dispatchEvent(new Event('input'));
}"""


@pytest.fixture
def tab(browser, page) -> Iterator[Page]:
    """The page in a fresh profile; nothing may go wrong in it or go elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    wrong, asked = [], []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    # A refused request is an error to the console; the page tells it in its own words.
    opened.on(
        "console",
        lambda said: (
            said.type == "error" and "status of 400" not in said.text and wrong.append(said.text)
        ),
    )
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(f"http://127.0.0.1:{page.port}/")
    opened.wait_for_selector("body[data-ready]")
    yield opened
    context.close()
    assert wrong == []
    own = (f"http://127.0.0.1:{page.port}/", "blob:", "about:")
    assert [url for url in asked if not url.startswith(own)] == []


def painted(tab: Page) -> int:
    """The brightest value of the difference, once it is there.

    Asked again and again from here: `wait_for_function` asks from inside the page, where
    the page's own security policy forbids the `eval` that it needs for a second look.
    """
    until = time.monotonic() + PATIENCE / 1000
    while not (level := tab.evaluate(BRIGHTEST)):
        assert time.monotonic() < until, "the difference was never painted"
        tab.wait_for_timeout(20)
    return level


def choose(tab: Page, where: str, path: Path) -> None:
    tab.set_input_files(f"{where} input", str(path))


def download(tab: Page, button: str, target: Path) -> Path:
    with tab.expect_download(timeout=PATIENCE) as waiting:
        tab.click(button)
    waiting.value.save_as(target)
    return target


def cover(tab: Page, path: Path) -> None:
    choose(tab, "#drop-cover", path)
    tab.wait_for_selector("#step-hide", state="visible")


def hide_text(tab: Page, path: Path, text: str, key: str = "") -> None:
    cover(tab, path)
    tab.fill("#text", text)
    tab.fill("#key", key)
    tab.click("#hide-button")
    tab.wait_for_selector("#step-look", state="visible")


def fits_the_screen(tab: Page) -> bool:
    return tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_hide_attack_download_and_reveal(tab, photo, tmp_path):
    cover(tab, photo)
    tab.wait_for_selector("#chart .dot.trellis")
    exact = mb.capacity(photo, psnr=42).bits
    assert f"{int(exact):,} bits" in tab.inner_text("#chart-bits")
    assert "this photo, exactly (bound 8)" in tab.inner_text("#chart .legend")
    assert "plain gray, bound 4" in tab.inner_text("#chart-more")
    tab.click("#under-chips >> text=Gray")
    tab.wait_for_selector("#chart .line.under")
    assert "After grayscale" in tab.inner_text("#chart-more")

    tab.fill("#text", "made by me")
    tab.fill("#key", "secret")
    tab.click("#hide-button")
    tab.wait_for_selector("#step-look", state="visible")
    assert "10 bytes are in there" in tab.inner_text("#hidden-words")
    assert "whoever has the key" in tab.inner_text("#hidden-facts")
    tab.check("input[value=difference]")
    tab.wait_for_selector("#compare canvas", state="visible")
    at_16 = painted(tab)
    tab.focus("#compare [aria-label=Amplification]")
    tab.keyboard.press("Home")
    true = np.abs(
        mb.hide(photo, b"made by me", psnr=45, key="secret").image.astype(int)
        - np.asarray(Image.open(photo))
    ).max()
    assert tab.evaluate(BRIGHTEST) == true
    assert at_16 == min(255, 16 * true)

    tab.click("text=Cut, turned, compressed")
    tab.wait_for_selector("#attack-verdict.good")
    verdict = tab.inner_text("#attack-verdict")
    assert "made by me" in verdict
    assert "rotation 7.0 degrees" in verdict
    assert "read in" in verdict
    edited = download(tab, "#attack-download", tmp_path / "edited.jpg")
    assert mb.reveal(edited, key="secret").payload == b"made by me"

    marked = download(tab, "#save-button", tmp_path / "marked.jpg")
    assert mb.reveal(marked, key="secret").payload == b"made by me"
    tab.click("[data-view=reveal]")
    choose(tab, "#drop-reveal", edited)
    tab.fill("#reveal-key", "secret")
    tab.click("#reveal-button")
    tab.wait_for_selector("#reveal-verdict.good")
    assert tab.inner_text("#reveal-text") == "made by me"
    assert "rotation 7.0 degrees" in tab.inner_text("#reveal-more")
    payload = download(tab, "#reveal-download", tmp_path / "payload.txt")
    assert payload.read_bytes() == b"made by me"


def test_leaving_the_page_leaves_nothing(tab, small, tmp_path):
    secret = tmp_path / "note.txt"
    secret.write_text("a note")
    folder = next(Path(tempfile.gettempdir()).glob(f"morebits-app-{os.getpid()}-*"))
    before = set(folder.iterdir())
    cover(tab, small)
    tab.check("input[name=payload][value=file]")
    choose(tab, "#drop-payload", secret)
    tab.wait_for_selector("text=note.txt")
    tab.click("#hide-button")
    tab.wait_for_selector("#step-look", state="visible")
    download(tab, "#save-button", tmp_path / "marked.jpg")
    tab.click("#toggles >> text=Mirror")
    tab.wait_for_selector("#attack-verdict.good")
    download(tab, "#attack-download", tmp_path / "edited.png")
    tab.click("[data-view=reveal]")
    choose(tab, "#drop-reveal", tmp_path / "marked.jpg")
    tab.wait_for_selector("#reveal-verdict.good")
    assert len(set(folder.iterdir()) - before) == 9  # pictures, payloads and downloads
    tab.goto("about:blank")
    until = time.monotonic() + PATIENCE / 1000
    while left := set(folder.iterdir()) - before:
        assert time.monotonic() < until, f"still there: {left}"
        time.sleep(0.05)


def test_a_photo_is_dropped(tab, small):
    carried = tab.evaluate_handle(CARRIED, base64.b64encode(small.read_bytes()).decode())
    tab.dispatch_event("#drop-cover", "drop", {"dataTransfer": carried})
    tab.wait_for_selector("#step-hide", state="visible")
    assert "dropped.png · 320×288" in tab.inner_text("#cover-facts")


def test_a_file_goes_in_and_comes_out_byte_by_byte(tab, small, tmp_path):
    secret = tmp_path / "report.pdf"
    secret.write_bytes(np.random.default_rng(3).bytes(30_000))
    cover(tab, small)
    tab.check("input[name=payload][value=file]")
    choose(tab, "#drop-payload", secret)
    tab.wait_for_selector("text=report.pdf")
    tab.check("input[name=codec][value=trellis]")
    tab.click("#hide-button")
    tab.wait_for_selector("#step-look", state="visible")
    assert "no edit at all" in tab.inner_text("#hidden-facts")
    assert tab.locator("#save-suffix option").all_inner_texts()[0].startswith("PNG")
    assert tab.locator("#save-suffix option[value='.jpg']").count() == 0
    marked = download(tab, "#save-button", tmp_path / "marked.png")
    tab.click("[data-view=reveal]")
    choose(tab, "#drop-reveal", marked)
    tab.wait_for_selector("#reveal-verdict.good")
    back = download(tab, "#reveal-download", tmp_path / "back.pdf")
    assert back.read_bytes() == secret.read_bytes()


def test_sliders_are_live_and_work_with_the_keyboard(tab, small):
    hide_text(tab, small, "a note")
    slider = tab.locator("#knobs input").last  # JPEG
    slider.focus()
    for _ in range(6):
        tab.keyboard.press("ArrowLeft")
    tab.wait_for_selector("#attack-verdict.good")
    assert tab.input_value("#edits") == "jpeg:70"
    assert "jpeg:70" in tab.inner_text("#edited-facts")
    tab.click("text=Mirror")
    tab.wait_for_selector("text=horizontal flip")
    tab.fill("#edits", "resize:0.05|jpeg:10")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#attack-verdict.bad")
    assert "Lost" in tab.inner_text("#attack-verdict")
    tab.fill("#edits", "melt:3")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#attack-message:not(:empty)")
    assert "unknown attack 'melt': use one of none, hflip" in tab.inner_text("#attack-message")


def test_a_suite_is_tried(tab, small):
    hide_text(tab, small, "a note")
    tab.click("#suite-button")
    tab.wait_for_selector("#suite-rows li:nth-child(6)")
    tab.wait_for_selector("#suite-work", state="hidden")
    tally = tab.inner_text("#suite-tally")
    survived = tab.locator("#suite-rows li:not(.lost)").count()
    assert tally == f"{survived} of 6 survived"
    assert survived >= 4


def test_a_wrong_key_and_nothing_hidden(tab, small, tmp_path):
    marked = tmp_path / "marked.png"
    mb.hide(small, b"a", psnr=42, key="right").save(marked)
    tab.click("[data-view=reveal]")
    choose(tab, "#drop-reveal", marked)
    tab.fill("#reveal-key", "wrong")  # which ends the search without a key
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#reveal-verdict.bad")
    assert "Nothing found with this key" in tab.inner_text("#reveal-verdict")
    assert tab.locator("#reveal-download").is_hidden()
    tab.fill("#reveal-key", "")
    tab.click("#reveal-another")
    choose(tab, "#drop-reveal", small)
    tab.wait_for_selector("#reveal-verdict.bad")
    assert "Nothing found without a key" in tab.inner_text("#reveal-verdict")


@pytest.mark.parametrize("view", ["hide", "reveal"])
def test_a_text_file_with_the_name_of_a_picture(tab, tmp_path, view):
    path = tmp_path / "photo.png"
    path.write_text("this is no picture")
    with pytest.raises(mb.MorebitsError) as known:
        images.read(path)
    tab.click(f"[data-view={view}]")
    message = "#upload-message" if view == "hide" else "#reveal-upload-message"
    choose(tab, "#drop-cover" if view == "hide" else "#drop-reveal", path)
    tab.wait_for_selector(f"{message}:not(:empty)")
    assert tab.inner_text(message) == str(known.value).replace(str(path), "photo.png")


def test_what_does_not_fit_and_nothing_to_hide(tab, small):
    cover(tab, small)
    tab.click("#hide-button")
    assert "Nothing to hide yet" in tab.inner_text("#hide-message")
    tab.fill(
        "#text", "".join(chr(each) for each in np.random.default_rng(1).integers(33, 126, 60_000))
    )
    tab.click("#hide-button")
    tab.wait_for_selector("#hide-message:not(:empty)")
    assert "fit; " in tab.inner_text("#hide-message")
    assert tab.locator("#step-look").is_hidden()


def test_long_work_shows_its_progress_and_can_be_cancelled(tab, small):
    cover(tab, small)
    tab.fill("#text", "a note")
    tab.check("input[name=quality][value=best]")
    tab.select_option("#survive", "paper")
    tab.click("#hide-button")
    tab.wait_for_selector("#hide-work .bar.known")
    assert "hiding 6 bytes" in tab.inner_text("#hide-work .stage")
    tab.click("#hide-work button")
    tab.wait_for_selector("#hide-work", state="hidden")
    assert tab.locator("#hide-button").is_enabled()
    assert tab.inner_text("#hide-message") == ""


def test_it_fits_the_screen_and_every_control_has_a_name(tab, small):
    hide_text(tab, small, "a note")
    tab.wait_for_selector("#chart .dot.trellis")
    assert tab.evaluate(UNNAMED) == []
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 844})
        assert fits_the_screen(tab)
        assert tab.evaluate(SMALL_TARGETS) == []
    for view in ("reveal", "hide"):
        tab.click(f"[data-view={view}]")
        assert fits_the_screen(tab)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_colours_of_the_system(tab, scheme):
    tab.emulate_media(color_scheme=scheme)
    background = tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (sum(int(each) for each in background[4:-1].split(",")) < 200) == (scheme == "dark")


def test_the_way_to_a_photo_needs_no_mouse(tab):
    reached = []
    for _ in range(5):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate(FOCUSED))
    assert reached == ["skip", "brand", "hide", "reveal", "drop-cover"]


@pytest.mark.full
def test_twelve_megapixels_do_not_freeze_the_page(tab, photo, tmp_path):
    large = tmp_path / "large.jpg"
    with Image.open(photo) as whole:
        whole.resize((3413, 4000), Image.Resampling.LANCZOS).save(large, quality=92)
    choose(tab, "#drop-cover", large)
    tab.wait_for_selector("#chart .dot.trellis")
    tab.fill("#text", "a note")
    tab.click("#hide-button")
    begun = time.monotonic()
    tab.wait_for_selector("#hide-work.busy")
    slowest = 0.0
    for level in range(30, 60):
        started = time.monotonic()
        tab.evaluate(MOVE, level)
        assert tab.inner_text("#chart-level") == f"{level} dB"
        slowest = max(slowest, time.monotonic() - started)
    tab.wait_for_selector("#step-look", state="visible")
    assert slowest < (time.monotonic() - begun) / 4  # a frozen page answers when hiding ends
    tab.click("text=Cut, turned, compressed")
    tab.wait_for_selector("#attack-verdict.good")
