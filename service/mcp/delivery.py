"""A call in its own greenlet, and the response that waits for it: JSON or a stream of events.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.
"""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gevent
from flask import Response, jsonify

from service.chat.tools.run import UNSURE, failure
from service.json_encoding import encoder
from service.lifecycle import ClientWatch, Lifecycle
from service.mcp.message import RpcMessage
from service.mcp.refusal import INTERNAL_ERROR
from service.mcp.results import response, tool_result
from service.web.event_streams import HEADERS

QUIET_SECONDS = 10.0  # then a response that has no result yet becomes a stream
PING_SECONDS = 15.0
PROGRESS_SECONDS = 5.0
END_SECONDS = 3.0  # of the grace time that are kept to end the running calls
RESTARTING = "The server is about to stop and has interrupted this call."
PING = b": ping\n\n"

# In ASCII: some clients wrongly split a stream at the line ends of Unicode, and a message's id may
# be a text that UTF-8 can't encode.
_encode = encoder(ensure_ascii=True, allow_nan=False)


class Restarting(gevent.GreenletExit):
    """The worker is about to end, which ends the call."""


class RunningCalls:
    """The calls of this worker, including those whose clients have left.

    A closed stream tells its client nothing: the official clients wait until their time limit. So
    calls that still run shortly before the worker ends are interrupted and answered.
    """

    def __init__(self) -> None:
        self._running: set[gevent.Greenlet] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, make: Callable[[], dict[str, Any]]) -> gevent.Greenlet:
        work = gevent.spawn(make)
        self._running.add(work)
        work.rawlink(self._running.discard)
        return work

    def watch(self, lifecycle: Lifecycle) -> None:
        lifecycle.on_drain(self._drain)
        lifecycle.ends_after(lambda: not self)

    def _drain(self, grace: float) -> None:
        gevent.spawn_later(max(0.0, grace - END_SECONDS), self._interrupt)

    def _interrupt(self) -> None:
        for work in list(self._running):
            work.kill(Restarting, block=False)


@dataclass(frozen=True)
class ResultDelivery:
    """How a result gets to the client.

    `streams` is whether the client accepts a stream of events. `sock` is its connection, if it is
    known. `reads` is whether the call is known to change nothing.
    """

    message: RpcMessage
    streams: bool
    sock: socket.socket | None
    calls: RunningCalls
    reads: bool = False

    def carry(self, make: Callable[[], dict[str, Any]]) -> Response:
        """Run `make`, and respond with its result.

        A modern client that leaves cancels the call. A client of the handshake era does not: it may
        call again, and would not know what the first call has done.
        """
        work = self.calls.start(make)
        watch = self._watch(work)
        wants_progress = self.message.progress_token is not None
        if self.streams:
            work.join(0 if wants_progress else QUIET_SECONDS)
        else:
            work.join()
        if work.ready():
            _stop(watch)
            result = self._result(work)
            if isinstance(result, gevent.GreenletExit):
                return Response(status=204)  # cancelled: nobody reads it
            return jsonify(response(self.message, result))
        streamed = Response(self._events(work), headers=HEADERS)
        # Called even if the stream is never read: an unstarted generator runs no `finally`.
        streamed.call_on_close(lambda: _stop(watch))
        return streamed

    def _watch(self, work: gevent.Greenlet) -> ClientWatch | None:
        if not self.message.is_modern or self.sock is None:
            return None
        return ClientWatch(self.sock, lambda: work.kill(block=False))

    def _events(self, work: gevent.Greenlet) -> Iterator[bytes]:
        token, seconds = self.message.progress_token, 0.0
        interval = PING_SECONDS if token is None else PROGRESS_SECONDS
        yield PING
        while not work.ready():
            work.join(interval)
            seconds += interval
            if not work.ready():
                yield PING if token is None else _event(_progress(token, seconds))
        yield _event(self._ending(work))

    def _result(self, work: gevent.Greenlet) -> Any:
        """Return the result of an ended call. Raises the error that the call has raised."""
        result = work.get()
        if not isinstance(result, Restarting):
            return result
        return tool_result(failure(RESTARTING if self.reads else f"{RESTARTING} {UNSURE}"))

    def _ending(self, work: gevent.Greenlet) -> dict[str, Any]:
        if work.successful() and isinstance(result := self._result(work), dict):
            return response(self.message, result)
        return self.message.refusal(INTERNAL_ERROR, "The server failed to answer.").response


def _stop(watch: ClientWatch | None) -> None:
    if watch:
        watch.stop()


def _progress(token: str | int, seconds: float) -> dict[str, Any]:
    params = {"progressToken": token, "progress": seconds, "message": f"{seconds:g} seconds"}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def _event(message: dict[str, Any]) -> bytes:
    return f"event: message\ndata: {_encode(message)}\n\n".encode()
