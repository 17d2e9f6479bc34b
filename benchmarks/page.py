"""How long the page takes for a photo of 12 megapixels, and whether it answers meanwhile.

    python benchmarks/page.py [PHOTO]

Starts `morebits app` and asks it as a browser would: send the photo, its chart, hide a note at
45 dB, an edit, and reveal it. Another thread asks for a small thing all the time: the slowest of
these answers is how long the page was ever busy. Prints one JSON object.
"""

from __future__ import annotations

import http.client
import io
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from PIL import Image

EDITS = "crop:0.8|rotate:7|jpeg:70"


def main() -> None:
    """Measure and print."""
    photo = large(Path(sys.argv[1]) if len(sys.argv) > 1 else bundled())
    command = [sys.executable, "-m", "morebits", "app", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        said = run.stdout.readline() if run.stdout else ""
        place = urlsplit(said.strip()).netloc
        try:
            print(json.dumps(measured(place, photo), indent=2))
        finally:
            run.terminate()


def measured(place: str, photo: bytes) -> dict[str, Any]:
    """Seconds of each step, and the slowest small answer."""
    waits, done = list[float](), threading.Event()

    def ask_all_the_time() -> None:
        while not done.is_set():
            started = time.perf_counter()
            ask(place, "GET", "/api/about")
            waits.append(time.perf_counter() - started)
            time.sleep(0.05)

    asking = threading.Thread(target=ask_all_the_time)
    asking.start()
    seconds: dict[str, float] = {}

    def step(name: str, job: dict[str, Any]) -> Any:
        started = time.perf_counter()
        while job["state"] in ("waiting", "running"):
            job = ask(place, "GET", f"/api/jobs/{job['job']}?after={job['version']}")
        seconds[name] = round(time.perf_counter() - started, 2)
        if job["state"] != "done":
            raise SystemExit(f"{name}: {job['error']}")
        return job["result"]

    def start(**fields: Any) -> dict[str, Any]:
        return ask(place, "POST", "/api/jobs", json.dumps(fields).encode())

    try:
        cover = step("read and preview", ask(place, "POST", "/api/pictures?name=photo.jpg", photo))
        picture = cover["picture"]
        step("chart", start(task="capacity", picture=picture))
        how = {"codec": "robust", "psnr": 45, "key": "key", "text": "made by me"}
        marked = step("hide", start(task="hide", picture=picture, **how))["picture"]
        edited = step("edit", start(task="attack", picture=marked, edits=EDITS))["picture"]
        found = step("reveal", start(task="reveal", picture=edited, key="key"))
        step("write JPEG", start(task="save", picture=marked, suffix=".jpg", quality=95))
    finally:
        done.set()
        asking.join()
    size = f"{cover['width']}x{cover['height']}"
    answers = {"answers": len(waits), "slowest_answer": round(max(waits), 3)}
    return {"photo": size, "edits": EDITS, "found": found["status"], "seconds": seconds, **answers}


def ask(place: str, method: str, path: str, body: bytes | None = None) -> Any:
    """The JSON that a request gets."""
    connection = http.client.HTTPConnection(place, timeout=600)
    try:
        connection.request(method, path, body, {"x-morebits": "benchmark"})
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def large(path: Path) -> bytes:
    """The photo as a JPEG file of 12 megapixels."""
    out = io.BytesIO()
    with Image.open(path) as whole:
        scale = (12e6 / (whole.width * whole.height)) ** 0.5
        size = (round(whole.width * scale), round(whole.height * scale))
        whole.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(out, "JPEG", quality=92)
    return out.getvalue()


def bundled() -> Path:
    """The photo that comes with matplotlib."""
    from matplotlib.cbook import get_sample_data

    return Path(str(get_sample_data("grace_hopper.jpg", asfileobj=False)))


if __name__ == "__main__":
    main()
