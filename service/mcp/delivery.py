"""A call in a greenlet of its own, and the response that waits for it: JSON or a stream of events.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.
"""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gevent
from flask import Response, jsonify

from service.lifecycle import ClientWatch
from service.mcp.gate import EVENTS
from service.mcp.message import RpcMessage
from service.mcp.refusal import INTERNAL_ERROR
from service.mcp.results import response
from service.web.json_values import encode

QUIET_SECONDS = 10.0  # until a response without an answer becomes a stream
PING_SECONDS = 15.0
PROGRESS_SECONDS = 5.0
PING = b": ping\n\n"
HEADERS = {
    "Content-Type": EVENTS,
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}

# The line ends of Unicode, at which some clients split a stream though they should not.
LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


@dataclass(frozen=True)
class ResultDelivery:
    """How a result gets to the client.

    `streams` is whether the client takes a stream of events. `sock` is its connection, if known.
    """

    message: RpcMessage
    streams: bool
    sock: socket.socket | None

    def carry(self, make: Callable[[], dict[str, Any]]) -> Response:
        """Run `make`, and respond with its result.

        A modern client that leaves cancels the call. One of the handshake era does not: it may ask
        again, and would not know what has been done.
        """
        work = gevent.spawn(make)
        watch = self._watch(work)
        wants_progress = self.message.progress_token is not None
        if self.streams:
            work.join(0 if wants_progress else QUIET_SECONDS)
        else:
            work.join()
        if work.ready():
            _stop(watch)
            result = work.get()  # raises what the call has raised
            if isinstance(result, gevent.GreenletExit):
                return Response(status=204)  # cancelled: nobody reads it
            return jsonify(response(self.message, result))
        streamed = Response(self._events(work), headers=HEADERS)
        # Called even if the stream is never read: a generator that never began runs no `finally`.
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

    def _ending(self, work: gevent.Greenlet) -> dict[str, Any]:
        if work.successful() and isinstance(work.value, dict):
            return response(self.message, work.value)
        return self.message.refusal(INTERNAL_ERROR, "The server failed to answer.").response


def _stop(watch: ClientWatch | None) -> None:
    if watch:
        watch.stop()


def _progress(token: str | int, seconds: float) -> dict[str, Any]:
    params = {"progressToken": token, "progress": seconds, "message": f"{seconds:g} seconds"}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def _event(message: dict[str, Any]) -> bytes:
    return f"event: message\ndata: {encode(message).translate(LINE_ENDS)}\n\n".encode()
