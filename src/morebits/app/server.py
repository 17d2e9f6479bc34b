"""The requests of the page and their answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from morebits import __version__, attacks, linear
from morebits.app.asking import Asked
from morebits.app.guard import Guard
from morebits.app.settings import Settings
from morebits.app.store import Kept, NotKept, Store
from morebits.app.tasks import FILES, Tasks, lossless
from morebits.app.work import pictures
from morebits.app.workers import Job, Workers
from morebits.errors import DoesNotFit, FileNotWritten, InputError, MorebitsError, TooLarge
from morebits.hiding import DEFAULT_SECONDS

_STATIC = Path(__file__).parent / "static"
#: Most bytes of a JSON request, seconds that an answer waits for news, and between two sweeps.
_JSON_BYTES, _PATIENCE, _SWEEP = 1 << 20, 20.0, 30.0
#: Largest part of a picture that is shown pixel by pixel.
_DETAIL = 1600


class Page:
    """Everything that one running page has."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.store = Store(keep_seconds=60 * settings.keep_minutes, max_bytes=settings.store_bytes)
        self.workers = Workers(settings.jobs)
        self.tasks = Tasks(self.store, self.workers, settings)
        self.jobs: dict[str, Job] = {}

    def started(self, job: Job) -> JSONResponse:
        """Remember a job, and answer with it."""
        self.jobs[job.id] = job
        return JSONResponse(plain(job))

    def job(self, request: Request) -> Job:
        """The job of a request."""
        try:
            return self.jobs[request.path_params["id"]]
        except KeyError:
            raise NotKept("job") from None

    def kept(self, request: Request, *kinds: str) -> Kept:
        """What a request is about."""
        return self.store.get(request.path_params["id"], *kinds)

    async def sweep(self) -> None:
        """Remove what is old, again and again."""
        while True:
            await asyncio.sleep(_SWEEP)
            await run_in_threadpool(self.store.sweep)
            ended = [each for each in self.jobs.values() if each.ended]
            for job in ended[:-100]:
                del self.jobs[job.id]

    def stop(self) -> None:
        """Cancel all jobs, so that nobody waits for them any more."""
        for job in self.jobs.values():
            self.workers.cancel(job)


def make(settings: Settings) -> Guard:
    """The guarded application; its folder and its workers live as long as it runs."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        page = Page(settings)
        app.state.page = page
        sweeping = asyncio.create_task(page.sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            page.stop()
            await page.workers.close()
            page.store.close()

    routes = [
        Route("/", _index),
        Route("/api/about", _about),
        Route("/api/pictures", _upload, methods=["POST"]),
        Route("/api/payloads", _payload, methods=["POST"]),
        Route("/api/kept/{ids}", _forget, methods=["DELETE"]),
        Route("/api/jobs", _start, methods=["POST"]),
        Route("/api/jobs/{id}", _cancel, methods=["DELETE"]),
        Route("/api/jobs/{id}", _news),
        Route("/api/pictures/{id}/preview", _preview),
        Route("/api/pictures/{id}/changes", _changes),
        Route("/api/pictures/{id}/detail", _detail),
        Route("/api/files/{id}", _download),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    names = frozenset(name.lower() for name in settings.names)
    handlers = {MorebitsError: _error, HTTPException: _http_error, Exception: _bug}
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
    return Guard(app, names)


def stop(guard: Guard) -> None:
    """Cancel all jobs of a page that runs."""
    page: Page | None = getattr(guard.app.state, "page", None)
    if page is not None:
        page.stop()


async def _index(_: Request) -> Response:
    return FileResponse(_STATIC / "index.html")


async def _about(request: Request) -> Response:
    settings = _page(request).settings
    return JSONResponse({
        "version": __version__,
        "local": settings.local,
        "max_bytes": settings.max_bytes,
        "max_pixels": settings.max_pixels,
        "keep_minutes": settings.keep_minutes,
        "seconds": DEFAULT_SECONDS,
        "suites": {name: len(texts) for name, texts in attacks.SUITES.items()},
        "attacks": list(attacks.KNOWN),
        "edits": list(linear.KNOWN),
        "files": [{"suffix": each, "lossless": lossless(each)} for each in FILES],
    })  # fmt: skip


async def _upload(request: Request) -> Response:
    """A picture comes as the body, and goes to the disk as it comes."""
    page = _page(request)
    kept = page.store.new("picture", request.query_params.get("name", ""))
    try:
        with (kept.folder / "upload").open("wb") as file:
            async for chunk in _body(request, kept.name, page.settings.max_bytes):
                await run_in_threadpool(file.write, chunk)
        await run_in_threadpool(page.store.sweep)
        return page.started(page.tasks.receive(kept))
    except BaseException as error:
        page.store.remove(kept.id)
        if isinstance(error, OSError) and not isinstance(error, MorebitsError):
            problem = f"cannot be kept ({error.strerror})"
            fix = "make room on the disk of temporary files"
            raise FileNotWritten(kept.name, problem, fix) from None
        raise


async def _payload(request: Request) -> Response:
    """A file to hide comes as the body, and stays in memory."""
    page = _page(request)
    name = request.query_params.get("name", "")
    chunks = [chunk async for chunk in _body(request, name, page.settings.max_bytes)]
    kept = page.store.new("payload", name)
    kept.secret["payload"] = b"".join(chunks)
    await run_in_threadpool(page.store.sweep)
    return JSONResponse(
        {"payload": kept.id, "name": kept.name, "bytes": len(kept.secret["payload"])}
    )


async def _body(request: Request, name: str, limit: int) -> AsyncIterator[bytes]:
    """The parts of the body; refused as soon as it is known to be too long."""
    announced = request.headers.get("content-length", "0")
    length = int(announced) if announced.isdecimal() else 0
    fix = "use a smaller file, or raise the limit with --max-megabytes"
    if length > limit:
        raise TooLarge(name or "the file", length, limit, "bytes", fix)
    length = 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > limit:
            raise TooLarge(name or "the file", length, limit, "bytes", fix)
        yield chunk


async def _start(request: Request) -> Response:
    page = _page(request)
    body = b"".join([chunk async for chunk in _body(request, "the request", _JSON_BYTES)])
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("request", "no JSON", "send a JSON object") from None
    asked = Asked(fields)
    return page.started(page.tasks.by_name[asked.one_of("task", *page.tasks.by_name)](asked))


async def _news(request: Request) -> Response:
    """The state of a job, as soon as it is newer than the one that the page has."""
    job = _page(request).job(request)
    after = request.query_params.get("after", "-1")
    if after.isdecimal():
        await job.newer(int(after), _PATIENCE)
    return JSONResponse(plain(job))


async def _cancel(request: Request) -> Response:
    page = _page(request)
    job = page.job(request)
    page.workers.cancel(job)
    return JSONResponse(plain(job))


async def _forget(request: Request) -> Response:
    for id in request.path_params["ids"].split(","):
        _page(request).store.remove(id)
    return Response(status_code=204)


async def _preview(request: Request) -> Response:
    kept = _page(request).kept(request, "picture", "marked", "edited")
    return FileResponse(kept.folder / pictures.PREVIEW)


async def _changes(request: Request) -> Response:
    return FileResponse(_page(request).kept(request, "marked").folder / pictures.CHANGES)


async def _detail(request: Request) -> Response:
    """A part of a marked picture or of its cover, pixel by pixel."""
    kept = _page(request).kept(request, "marked", "edited")
    asked = Asked({name: _number(value) for name, value in request.query_params.items()})
    side = {"low": 1, "high": _DETAIL}
    place = {"low": 0, "high": 10**9}
    name = pictures.COVER if request.query_params.get("of") == "cover" else pictures.SAMPLES
    box = (
        asked.whole("left", **place), asked.whole("top", **place),
        asked.whole("width", **side), asked.whole("height", **side),
    )  # fmt: skip
    data = await run_in_threadpool(pictures.detail, kept.folder / name, *box)
    return Response(data, media_type="image/png")


async def _download(request: Request) -> Response:
    """A file to keep, always as a download: what was hidden must not run in this page."""
    kept = _page(request).kept(request, "file", "payload")
    wanted = request.query_params.get("name", "")
    headers = {"content-disposition": attachment(wanted or kept.name)}
    kind = "application/octet-stream"
    if kept.kind == "payload":
        return Response(kept.secret["payload"], media_type=kind, headers=headers)
    path = next(kept.folder.iterdir())
    return FileResponse(path, media_type=kind, headers=headers)


def attachment(name: str) -> str:
    """The header that makes a browser save a file under a name of any letters.

    >>> attachment('a"b.png')
    "attachment; filename*=utf-8''a%22b.png"
    """
    return f"attachment; filename*=utf-8''{quote(name, safe='')}"


def plain(job: Job) -> dict[str, Any]:
    """A job as JSON."""
    return {
        "job": job.id,
        "state": job.state,
        "version": job.version,
        "fraction": job.fraction,
        "stage": job.stage,
        "partial": job.partial,
        "seconds": job.seconds,
        "result": job.result,
        "error": None if job.error is None else _told(job.error),
    }


def _told(error: Exception) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "message": " ".join(str(error).split()),
        "fits": error.capacity if isinstance(error, DoesNotFit) else None,
    }


async def _error(_: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, NotKept) else 413 if isinstance(error, TooLarge) else 400
    return JSONResponse({"error": _told(error)}, status)


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return JSONResponse({"error": {"kind": "HTTP", "message": f"{error}"}}, status)


async def _bug(_: Request, error: Exception) -> Response:
    message = f"unexpected {type(error).__name__}; the terminal says more, please report it"
    return JSONResponse({"error": {"kind": "Bug", "message": message}}, 500)


def _page(request: Request) -> Page:
    return request.app.state.page


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
