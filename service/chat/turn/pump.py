"""Run a turn in its own greenlet, to one of its endings: finish, abort or error."""

import time

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.app_keys import APP_SETTINGS
from service.billing.units import to_credits
from service.chat.claims import ChatDeleted
from service.chat.question import Question
from service.chat.stream import chunks
from service.chat.turn import rows, storing, turn
from service.chat.turn.claim_watch import CLAIM_WATCH
from service.chat.turn.interruption import Interrupted
from service.chat.turn.running import RUNS, Run
from service.chat.turn.step import Answer
from service.cleanup import OnFailure
from service.observing import attribution, measures, spans
from service.outbound.arrivals import Arrivals
from service.providers.events import Fault, ProviderError
from service.web.errors import ServiceError, outage_error

FAULT_TEXTS: dict[Fault, str] = {
    "busy": "The model is busy right now. Please try again.",
    "down": "The model's provider has a problem right now. Please try again in a minute.",
    "refused-key": "The model provider refused our access. This service's operator must act.",
    "unknown-model": "The model provider has no such model. This service's operator must act.",
    "too-long": "This conversation has become too long for the model.",
    "refused-request": "The model provider did not accept this request.",
    "garbled": "The model's answer could not be read. Please try again.",
    "cut": "The model's answer broke off. Please try again.",
    "failed": "The model failed to answer. Please try again.",
    "slow": "The model took too long to answer. Please try again.",
}
PARKED = "parked"  # until another greenlet continues
VISIBLE = (chunks.TextStart, chunks.ToolInputStart)
NOT_STORED = "The answer could not be saved. Please try again."

log = structlog.get_logger("turn")


def start(app: Flask, run: Run) -> None:
    """Begin the turn. The caller must call `run.leave()` when the response is closed.

    When this returns, a new turn has sent the request to its model, unless that needs a new
    connection. So the model answers while the head of the response is written.
    """
    RUNS.of(app).add(run)
    claim_watch = CLAIM_WATCH.of(app)
    claim_watch.expect_no_more(run.question.turn_id)
    claim_watch.wake()
    gevent.spawn(run_turn, app, run)
    with OnFailure(run.leave):
        gevent.sleep(0)


def run_turn(app: Flask, run: Run, answer: Answer | None = None) -> None:
    """Run the turn to one of its endings. Every error becomes the last chunk.

    While the turn receives a text, it needs no greenlet. It continues in a new one, with the rest
    of its `answer`, when something else arrives or the turn is interrupted.
    """
    question = run.question
    if answer is None:
        attribution.bind(request_id=question.request_id, turn_id=question.turn_id)
        attribution.bind(chat=question.chat_id, model=question.model.id)
        run.span = _span(question)
    status = "failed"
    try:
        status = _finish_or_abort(app, run, answer)
    except Exception as error:  # noqa: BLE001 - a stream without an ending looks complete
        _fail(app, run, error)
    finally:
        if status != PARKED:
            _end(app, run, status)


def _span(question: Question) -> spans.Span:
    """Begin the span of a turn."""
    span = spans.start("invoke_agent assistant")
    span.set(gen_ai__operation__name="invoke_agent", gen_ai__agent__name="assistant")
    span.set(gen_ai__request__model=question.model.id, app__turn__id=question.turn_id)
    span.set(gen_ai__conversation__id=question.chat_id if question.is_in_chat else None)
    return span


def _end(app: Flask, run: Run, status: str) -> None:
    run.close()
    RUNS.of(app).remove(run)
    run.free_ticket()
    run.span.set(app__turn__status=status, app__credits=to_credits(run.hold.charged))
    run.span.end()
    model, charged = run.question.model.id, run.hold.charged
    measures.TURNS.labels(model, status).inc()
    measures.turn_credits(model).inc(to_credits(charged))
    if status == "finished" and not charged:
        measures.UNCHARGED.inc()


def _finish_or_abort(app: Flask, run: Run, answer: Answer | None) -> str:
    try:
        try:
            return _finish(app, run, answer)
        except SQLAlchemyError:
            run.interruption.check()
            raise
        except ChatDeleted:
            raise Interrupted("deleted") from None
    except Interrupted as end:
        if end.reason == "overtaken":
            raise rows.Overtaken() from None
        _abort(app, run, end)
        return "aborted"


def _finish(app: Flask, run: Run, answer: Answer | None) -> str:
    """Run the rest of the turn. Its rows are stored before the `finish` chunk is sent."""
    arrivals: Arrivals | None = None
    try:
        if answer is None:
            _open(run)  # before an interruption, whose chunks come after it
        run.interruption.allow()
        answer = answer or turn.answer(app, run)
        for chunk in answer:
            if isinstance(chunk, Arrivals):
                arrivals = chunk
                break
            run.put(chunk)
            if not run.is_visible and isinstance(chunk, VISIBLE):
                run.is_visible = True
                waited = time.monotonic() - run.question.began
                measures.time_of_turn(run.question.model.id).observe(waited)
    finally:
        if answer and not arrivals:
            answer.close()  # ends the work that still runs for it
    if arrivals:
        return _park(app, run, answer, arrivals)
    run.interruption.forbid()
    run.interruption.check()
    storing.store(app, run, "finished")
    run.put(chunks.Finish(run.tally.metadata))
    return "finished"


def _park(app: Flask, run: Run, answer: Answer, arrivals: Arrivals) -> str:
    """Let the greenlet end until the arrivals need a new one."""
    facts = attribution.current_facts()

    def go_on() -> None:
        run.interruption.move()
        attribution.give(gevent.spawn(run_turn, app, run, answer), facts)

    run.interruption.park(arrivals.fail)
    arrivals.then(go_on)
    return PARKED


def _open(run: Run) -> None:
    question = run.question
    run.start({"turnId": question.turn_id, "modelId": question.model.id})


def _abort(app: Flask, run: Run, end: Interrupted) -> None:
    """Store the answer so far, unless the operator's settings or a deleted chat forbid it.

    Raises `NotStored`: after an `abort`, a client relies on the text that it has read being stored.
    """
    run.interruption.forbid()
    run.tally.abandon()
    log.info("aborted", reason=end.reason)
    keep = APP_SETTINGS.of(app).keep_aborted_turns and run.assembly.is_worth_keeping
    for chunk in run.assembly.closing():
        run.assembly.apply(chunk)
        run.put(chunk)
    claim_watch = CLAIM_WATCH.of(app)
    try:
        if keep and end.reason != "deleted":
            storing.store(app, run, "aborted")
        else:
            claim_watch.clean_up(run)
    except ChatDeleted:
        claim_watch.clean_up(run)
    run.put(chunks.MessageMetadata({**run.tally.metadata, "aborted": True}))
    run.put(chunks.Abort())


def _fail(app: Flask, run: Run, error: Exception) -> None:
    run.interruption.forbid()
    run.tally.abandon()
    fault, text = _explain(error)
    measures.TURN_FAILURES.labels(run.question.model.id, fault).inc()
    run.span.fail(fault)
    for chunk in (*run.assembly.closing(), chunks.Error(text)):
        run.put(chunk)
    CLAIM_WATCH.of(app).clean_up(run)


def _explain(error: Exception) -> tuple[str, str]:
    """Return the fault's name, and a text for people that shows nothing of provider or database."""
    match error:
        case ProviderError():
            log.warning("provider failed", fault=error.fault)
            return error.fault, FAULT_TEXTS[error.fault]
        case rows.NotStored():
            return "not-stored", NOT_STORED
        case SQLAlchemyError() if outage := outage_error(error):
            return outage.code, outage.message
        case ServiceError():
            return error.code, error.message
    log.error("turn failed", exc_info=error)
    return ServiceError.code, ServiceError.message
