"""What a turn may still cost, held step by step; what it did cost, charged once."""

from typing import Any

import structlog
from flask import Flask
from sqlalchemy.orm import Session

from service.billing import ledger, prices
from service.billing.payer import payer_of
from service.chat.running import Run
from service.chat.tally import size
from service.database import write_transaction
from service.errors import InsufficientCredits
from service.providers.prompt import Prompt

HOLD_SECONDS = 3600  # longer than any turn: a lost worker's holds are swept with its lease

log = structlog.get_logger("turn")


def afford(app: Flask, run: Run, prompt: Prompt, model_id: str) -> bool:
    """Make sure that the hold covers the most this prompt can cost, on top of what was used.

    A hold that a sweeper has ended is replaced by another.
    """
    used = run.tally.cost - run.settled
    most = prices.most(model_id, size(prompt), prompt.max_output_tokens)
    if used + most <= run.held:
        return True
    try:
        with app.app_context(), write_transaction() as session:
            extended = ledger.extend(session, run.hold_id, used, used + most)
    except ledger.HoldLost:
        return _hold_anew(app, run, most)
    if extended:
        run.held = used + most
    return extended


def _hold_anew(app: Flask, run: Run, amount: int) -> bool:
    """Settle the lost hold and reserve another; False when the account can't afford that."""
    question, cost = run.question, run.tally.cost
    payer = payer_of(question.caller, app.extensions["owner"].subject)
    ref, lease_id = f"{question.turn_id}/{run.holds + 1}", app.extensions["lease"].id
    log.warning("hold lost", turn_id=question.turn_id)
    try:
        with app.app_context(), write_transaction() as session:
            charged = _settle(session, run)
            hold_id = ledger.reserve(session, payer, amount, ref, lease_id, HOLD_SECONDS)
    except InsufficientCredits:
        return False
    run.hold_id, run.held, run.holds = hold_id, amount, run.holds + 1
    run.settled, run.charged = cost, run.charged + charged
    return True


def charge(session: Session, run: Run) -> int:
    """Settle the hold with what was used; returns the micro-credits charged for the whole turn."""
    return run.charged + _settle(session, run)


def _settle(session: Session, run: Run) -> int:
    question, tally = run.question, run.tally
    facts: dict[str, Any] = {"turnId": question.turn_id, "usage": tally.usage}
    cost = tally.cost - run.settled
    return ledger.settle(session, run.hold_id, cost, question.model.id, facts)
