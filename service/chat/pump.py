"""A turn in its own greenlet, and the bounded queue between it and the response.

The greenlet runs `turn.run` and ends every stream; the response generator drains the queue,
joins what is ready into one write, and keeps the connection alive while nothing comes.
"""

from collections.abc import Iterator

import gevent
import structlog
from flask import Flask
from gevent.queue import Empty, Queue

from service.chat import chunks, sse
from service.chat.chunks import Chunk
from service.chat.parts import Assembly
from service.chat.question import Question
from service.chat.turn import run
from service.errors import ServiceError
from service.observe import TURNS
from service.providers.events import Fault, ProviderError

QUEUE_LIMIT = 256  # chunks; a slow reader holds the turn back, not the memory
KEEP_ALIVE_SECONDS = 10

FAULT_TEXTS: dict[Fault, str] = {
    "busy": "The model is busy right now. Please try again.",
    "refused-key": "The model provider refused our access. The operator has to look at it.",
    "refused-request": "The model provider did not accept this request.",
    "garbled": "The model's answer could not be read. Please try again.",
    "cut": "The model's answer broke off. Please try again.",
    "failed": "The model failed to answer. Please try again.",
}

log = structlog.get_logger("turn")

END = None  # closes a queue of chunks


def stream(app: Flask, question: Question) -> Iterator[bytes]:
    """The whole body of a turn's response."""
    queue = Queue(maxsize=QUEUE_LIMIT)
    greenlet = gevent.spawn(_pump, app, question, queue)
    try:
        yield sse.OPEN
        yield from _drain(queue)
    finally:
        greenlet.kill(block=False)


def _drain(queue: "Queue[Chunk | None]") -> Iterator[bytes]:
    while True:
        try:
            ready = [queue.get(timeout=KEEP_ALIVE_SECONDS)]
        except Empty:
            yield sse.KEEP_ALIVE
            continue
        while not queue.empty():
            ready.append(queue.get_nowait())
        if ready[-1] is END:
            yield b"".join([*map(sse.encode, ready[:-1]), sse.DONE])
            return
        yield b"".join(map(sse.encode, ready))


def _pump(app: Flask, question: Question, queue: "Queue[Chunk | None]") -> None:
    """Run the turn to one of its endings; whatever it raises becomes an `error` chunk."""
    ids = {"request_id": question.request_id, "turn_id": question.turn_id}
    structlog.contextvars.bind_contextvars(**ids)
    assembly = Assembly()
    status = "finished"
    try:
        for chunk in run(app, question, assembly):
            queue.put(chunk)
    except Exception as error:  # noqa: BLE001 - a stream without an ending looks whole
        status = "failed"
        for chunk in _ending(assembly, _explain(error)):
            queue.put(chunk)
    queue.put(END)
    TURNS.labels(question.model.id, status).inc()


def _ending(assembly: Assembly, text: str) -> Iterator[Chunk]:
    yield from assembly.closing()
    yield chunks.Error(text)


def _explain(error: Exception) -> str:
    """A text for people, which bears nothing of what the upstream or the database wrote."""
    match error:
        case ProviderError():
            log.warning("provider failed", fault=error.fault)
            return FAULT_TEXTS[error.fault]
        case ServiceError():
            return error.message
    log.error("turn failed", exc_info=error)
    return ServiceError.message
