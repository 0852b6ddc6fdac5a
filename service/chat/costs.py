"""What a turn may still cost, held step by step; what it did cost, charged once."""

from typing import Any

from flask import Flask
from sqlalchemy.orm import Session

from service.billing import ledger, prices
from service.chat.running import Run
from service.chat.tally import size
from service.database import write_transaction
from service.providers.prompt import Prompt

HOLD_SECONDS = 3600  # longer than any turn: a lost worker's holds are swept with its lease


def afford(app: Flask, run: Run, prompt: Prompt, model_id: str) -> bool:
    """Make sure that the hold covers the most this prompt can cost, on top of what was used."""
    used = run.tally.cost
    needed = used + prices.most(model_id, size(prompt), prompt.max_output_tokens)
    if needed <= run.held:
        return True
    with app.app_context(), write_transaction() as session:
        extended = ledger.extend(session, run.question.hold_id, used, needed)
    if extended:
        run.held = needed
    return extended


def charge(session: Session, run: Run) -> int:
    """Settle the hold with what was used; micro-credits charged."""
    question, tally = run.question, run.tally
    facts: dict[str, Any] = {"turnId": question.turn_id, "usage": tally.usage}
    return ledger.settle(session, question.hold_id, tally.cost, question.model.id, facts)
