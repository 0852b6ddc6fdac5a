"""The credits that a turn has reserved: extended step by step, charged once at its end."""

from dataclasses import replace
from typing import Any

import structlog
from flask import Flask

from service.app_keys import APP_SETTINGS
from service.auth.users import OWNER, Caller
from service.billing import ledger, prices
from service.billing.payer import Payer, payer_of, starting_amount
from service.billing.shortage import Shortage, find_shortage
from service.chat.question import Question
from service.chat.tools.tool import APP_TOOLS
from service.chat.turn.tally import Tally
from service.chat.worker_lease import WORKER_LEASE
from service.database.access import core_transaction, write_transaction
from service.database.prepared import StatementReply
from service.database.statements import Statements
from service.providers.prompt import Prompt, UserMessage
from service.web.errors import InsufficientCredits

HOLD_SECONDS = 3600  # longer than any turn; a lost worker's holds are swept with its lease

log = structlog.get_logger("turn")


def hold_for(
    app: Flask,
    session: Statements,
    question: Question,
    forwarded: Caller | None,
    history_tokens: int = 0,
) -> Question:
    """Return the question with a hold for the highest cost of its first step.

    The hold is on its payer's account. `history_tokens` is an upper bound for the chat's messages,
    counted by its last turn, so that hardly any first step has to extend its hold. If the payer
    can't afford that, the hold is made without the history. The caller pays for a chat turn. Raises
    `InsufficientCredits`.
    """
    owner = OWNER.of(app).subject
    payer = payer_of(forwarded, owner, question.caller, question.budget)
    starting = starting_amount(APP_SETTINGS.of(app))
    lease_id = WORKER_LEASE.of(app).id

    def hold(amount: int) -> Question:
        hold_id = ledger.reserve(
            session, payer, amount, question.turn_id, lease_id, HOLD_SECONDS, starting
        )
        return replace(question, hold_id=hold_id, hold_amount=amount)

    try:
        return hold(max_cost(app, question, history_tokens))
    except InsufficientCredits:
        if not history_tokens:
            raise
        return hold(max_cost(app, question, 0))


def max_cost(app: Flask, question: Question, history_tokens: int) -> int:
    """Return the highest cost of a first step after such a history, in micro-credits."""
    output = APP_SETTINGS.of(app).max_output_tokens
    messages = (UserMessage(question.content, question.aside),)
    prompt = Prompt(question.system, messages, APP_TOOLS.of(app).specs)
    return prices.max_cost(question.model.id, prompt.tokens + history_tokens, output)


class TurnHold:
    """The hold of one turn. Amounts are in micro-credits.

    A sweeper may end the hold of a turn that still runs. The turn then settles this lost hold and
    reserves another.
    """

    __slots__ = (
        "_amount",
        "_id",
        "_lost_charged",
        "_lost_cost",
        "_number",
        "_question",
        "_tally",
        "_uncertain",
        "charged",
    )

    def __init__(self, question: Question, tally: Tally) -> None:
        self._question, self._tally = question, tally
        self._id, self._amount, self._number = question.hold_id, question.hold_amount, 1
        self._lost_cost = self._lost_charged = 0  # the cost of lost holds, and the part charged
        # The account and the `ref` of a hold, while it is unknown whether its commit succeeded.
        self._uncertain: tuple[str, str] | None = None
        self.charged = 0  # micro-credits for the whole turn, once it has ended

    def reserve(self, app: Flask, amount: int) -> bool:
        """Make the hold cover `amount` in addition to the turn's cost so far.

        Returns False if the account can't afford that.
        """
        used = self._cost
        if used + amount <= self._amount:
            return True
        budget = self._payer(app).budget
        try:
            with core_transaction(app) as session:
                extended = ledger.extend(session, self._id, used, used + amount, budget)
        except ledger.HoldLost:
            return self._replace(app, amount)
        if extended:
            self._amount = used + amount
        return extended

    def shortage(self, app: Flask, amount: int) -> Shortage:
        """Return what was too low for an `amount` that `reserve` has refused."""
        with core_transaction(app) as session:
            return find_shortage(session, self._payer(app), self._cost + amount - self._amount)

    def free_unused(self, app: Flask) -> None:
        """Reduce the hold to the turn's cost so far. The next `reserve` extends it again."""
        used = self._cost
        if used >= self._amount:
            return
        try:
            with core_transaction(app) as session:
                ledger.extend(session, self._id, used, used)
        except ledger.HoldLost:
            return  # the next extension replaces it
        self._amount = used

    def send_close(self, session: Statements) -> StatementReply:
        """Begin to settle the hold; pass the reply to `charge`, which completes it."""
        return ledger.send_close(session, self._id, self._cost)

    def charge(self, session: Statements, closed: StatementReply | None = None) -> int:
        """Settle the hold with the cost; returns the micro-credits charged for the whole turn.

        A hold whose commit is uncertain is released first, because a hold is locked before its
        account.
        """
        if self._uncertain:
            ledger.withdraw(session, *self._uncertain)
        self.charged = self._lost_charged + self._settle(session, closed)
        return self.charged

    @property
    def _cost(self) -> int:
        """The cost to charge on this hold, without the cost of lost holds."""
        return self._tally.cost - self._lost_cost

    def _payer(self, app: Flask) -> Payer:
        question = self._question
        return payer_of(question.caller, OWNER.of(app).subject, question.caller, question.budget)

    def _replace(self, app: Flask, amount: int) -> bool:
        """Settle the lost hold and reserve another.

        Returns False if the account can't afford that.
        """
        question, cost = self._question, self._tally.cost
        payer = self._payer(app)
        ref, lease_id = f"{question.turn_id}/{self._number + 1}", WORKER_LEASE.of(app).id
        log.warning("hold lost", turn_id=question.turn_id)
        self._uncertain = payer.subject, ref
        try:
            with app.app_context(), write_transaction() as session:
                charged = self._settle(session)
                hold_id = ledger.reserve(session, payer, amount, ref, lease_id, HOLD_SECONDS)
        except InsufficientCredits:  # rolled back
            # The lost hold covers nothing any more, so `shortage` must count the whole amount.
            self._uncertain, self._amount = None, self._cost
            return False
        self._uncertain = None
        self._id, self._amount, self._number = hold_id, amount, self._number + 1
        self._lost_cost, self._lost_charged = cost, self._lost_charged + charged
        return True

    def _settle(self, session: Statements, closed: StatementReply | None = None) -> int:
        facts: dict[str, Any] = {"turnId": self._question.turn_id, "usage": self._tally.usage}
        model = self._question.model.id
        return ledger.settle(session, self._id, self._cost, model, facts, closed)
