"""A turn in its own greenlet, its endings, and the response that reads it.

The greenlet carries the turn to one of its endings: finish, abort or error. The response joins
what is ready into one write, keeps the connection alive while nothing comes, and notices when
the client has left.
"""

import socket
from collections.abc import Iterator

import gevent
import structlog
from flask import Flask

from service import attribution
from service.chat import chunks, rows, sse, turn
from service.chat.chunks import Chunk
from service.chat.running import Interrupted, Run, Runs
from service.errors import ServiceError
from service.lifecycle import ClientWatch
from service.observe import TURNS
from service.providers.events import Fault, ProviderError

FAULT_TEXTS: dict[Fault, str] = {
    "busy": "The model is busy right now. Please try again.",
    "refused-key": "The model provider refused our access. This service's operator must act.",
    "unknown-model": "The model provider has no such model. This service's operator must act.",
    "too-long": "This conversation has become too long for the model.",
    "refused-request": "The model provider did not accept this request.",
    "garbled": "The model's answer could not be read. Please try again.",
    "cut": "The model's answer broke off. Please try again.",
    "failed": "The model failed to answer. Please try again.",
    "slow": "The model took too long to answer. Please try again.",
}
NOT_STORED = "The answer could not be saved. Please try again."

log = structlog.get_logger("turn")


def start(app: Flask, run: Run) -> None:
    """Begin the turn. Whoever starts one must call `run.leave()` when its reader is gone."""
    app.extensions["runs"].add(run)
    app.extensions["keeper"].expect_no_more(run.question.turn_id)
    app.extensions["keeper"].attend()
    gevent.spawn(carry, app, run)


def stream(run: Run, sock: socket.socket | None) -> Iterator[bytes]:
    """The whole body of a turn's response; `sock` is the client's connection, if there is one."""
    watch = ClientWatch(sock, run.leave) if sock else None
    try:
        run.writing = True
        yield sse.OPEN
        yield from _drain(run)
    finally:
        if watch:
            watch.stop()


def _drain(run: Run) -> Iterator[bytes]:
    while not run.channel.ended:
        run.rest()
        ready = run.channel.take()
        run.writing = True
        if ready:
            yield b"".join(map(sse.encode, ready))
        elif not run.channel.ended:
            yield sse.KEEP_ALIVE
    if not run.channel.abandoned:
        yield sse.DONE


def carry(app: Flask, run: Run) -> None:
    """Run the turn to one of its endings; whatever it raises becomes the last chunk."""
    question = run.question
    attribution.bind(request_id=question.request_id, turn_id=question.turn_id)
    attribution.bind(chat=question.chat_id, model=question.model.id)
    runs: Runs = app.extensions["runs"]
    status = "failed"
    try:
        status = _carry_on(app, run)
    except Exception as error:  # noqa: BLE001 - a stream without an ending looks whole
        _fail(app, run, error)
    finally:
        runs.remove(run)
        run.channel.close()
        TURNS.labels(run.question.model.id, status).inc()


def _carry_on(app: Flask, run: Run) -> str:
    """To the finish, or to an abort; which of them it was."""
    try:
        for chunk in _finish(app, run):
            run.put(chunk)
    except Interrupted as end:
        return _abort(app, run, end)
    return "finished"


def _finish(app: Flask, run: Run) -> Iterator[Chunk]:
    """The whole turn; its rows are stored before `finish` is given out."""
    run.begin()
    question = run.question
    ids = {"turnId": question.turn_id, "modelId": question.model.id}
    yield chunks.Start(question.assistant_message_id, ids)
    yield from turn.answer(app, run)
    run.settle_down()
    run.check()
    try:
        rows.store(app, run, "finished")
    except rows.ChatDeleted:
        raise Interrupted("deleted") from None
    yield chunks.Finish(run.tally.metadata)


def _abort(app: Flask, run: Run, end: Interrupted) -> str:
    """Interrupted: what was said is kept, unless the operator does not want that."""
    run.settle_down()
    run.tally.cut()
    log.info("aborted", reason=end.reason)
    kept = app.config["SETTINGS"].keep_aborted_turns and run.assembly.worth_keeping
    for chunk in run.assembly.closing():
        run.assembly.apply(chunk)
        run.put(chunk)
    try:
        if kept and end.reason != "deleted":
            rows.store(app, run, "aborted")
        else:
            app.extensions["keeper"].let_go(run)
    except (rows.ChatDeleted, rows.NotStored):
        app.extensions["keeper"].let_go(run)
    run.put(chunks.MessageMetadata({**run.tally.metadata, "aborted": True}))
    run.put(chunks.Abort())
    return "aborted"


def _fail(app: Flask, run: Run, error: Exception) -> None:
    run.settle_down()
    run.tally.cut()
    for chunk in (*run.assembly.closing(), chunks.Error(_explain(error))):
        run.put(chunk)
    app.extensions["keeper"].let_go(run)


def _explain(error: Exception) -> str:
    """A text for people, which bears nothing of what the upstream or the database wrote."""
    match error:
        case ProviderError():
            log.warning("provider failed", fault=error.fault)
            return FAULT_TEXTS[error.fault]
        case rows.NotStored():
            return NOT_STORED
        case ServiceError():
            return error.message
    log.error("turn failed", exc_info=error)
    return ServiceError.message
