"""Calls to the workers of a Dask scheduler, all of which end, whatever happens to it.

Dask's own executor forgets a call in two ways when the scheduler goes away: an error while a
finished result is handed over reaches nobody, and a call that is handed in while the client
drops its calls, or closes, is not among those that it cancels. Both would be waited for for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

#: Seconds between two looks at a call that has not answered.
LOOK = 1.0


class Calls(Executor):
    """Calls through a `distributed.Client`, which whoever made it closes.

    A client that has been looking for its scheduler for `patience` seconds has lost it.
    """

    def __init__(self, client: Any, patience: float):
        self._client, self._patience = client, patience

    def submit(
        self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[R]:  # the name is the base class's
        """Hand in a call; where the client is closed it has failed already."""
        future: Future[R] = Future()
        try:
            # Not pure: a task with the same arguments is done again and not looked up.
            remote = self._client.submit(fn, *args, pure=False, **kwargs)
        except Exception as error:
            if not self._closed():
                raise  # it is about the call: something that cannot travel
            future.set_exception(error)
            return future

        def drop(done: Future[R]) -> None:
            if done.cancelled():
                self._client.loop.add_callback(_cancel, remote)

        future.add_done_callback(drop)
        self._client.loop.add_callback(self._follow, remote, future)
        return future

    async def _follow(self, remote: Any, future: Future[Any]) -> None:
        """Pass the outcome on, whatever it is; runs in the client's loop."""
        with suppress(InvalidStateError):  # nobody wants it any more
            try:
                result = await self._answer(remote)
            except (CancelledError, asyncio.CancelledError):
                problem = "the scheduler is gone, or has dropped the call"
                future.set_exception(ConnectionError(problem))
            except Exception as error:  # noqa: BLE001  belongs to whoever asks for the result
                future.set_exception(error)
            else:
                future.set_result(result)

    async def _answer(self, remote: Any) -> Any:
        answer, away = asyncio.ensure_future(remote.result()), 0.0
        while not answer.done():
            await asyncio.wait([answer], timeout=LOOK)
            away = 0.0 if self._client.status == "running" else away + LOOK
            # A call that its client does not know will not hear of its end.
            if self._closed() or away > self._patience or remote.key not in self._client.futures:
                answer.cancel()
        return await answer

    def _closed(self) -> bool:
        return self._client.status in ("closing", "closed")


async def _cancel(remote: Any) -> None:
    with suppress(Exception):  # where the scheduler is gone there is nothing to cancel
        await remote.cancel()
