"""Random sequences of ledger calls, compared with a model of a few lines of arithmetic."""

import itertools
import time
from dataclasses import dataclass

import pytest
from hypothesis import settings as example_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from service.billing import ledger
from service.billing.allowances import TokenLimit
from service.billing.models import Account, Allowance
from service.billing.payer import Payer
from service.web.errors import InsufficientCredits
from tests.depth import depth
from tests.services import on_sqlite

STARTING = 100
ALLOWED = 90
amounts = st.integers(0, 120)
numbers = itertools.count()


@dataclass
class Expected:
    """The expected state of a hold."""

    amount: int
    expired: bool
    limited: bool
    used: int = 0
    state: str = "open"
    charged: int = 0

    @property
    def open(self):
        return self.state == "open"


class Ledger(RuleBasedStateMachine):
    """A state machine with an account of its own."""

    books = None
    holds = Bundle("holds")

    @initialize()
    def open_account(self):
        self.subject = f"subject-{next(numbers)}"
        self.books.do(ledger.ensure_account, self.subject, STARTING)
        self.balance, self.refs = STARTING, set()
        self.expected: dict[str, Expected] = {}
        self.limit = TokenLimit(
            f"token of {self.subject}", self.subject, ALLOWED, time.time() + 600
        )

    @property
    def held(self):
        return sum(hold.amount for hold in self.expected.values() if hold.open)

    @property
    def free(self):
        return self.balance - self.held

    @property
    def left(self):
        """What the allowance still has."""
        limited = [hold for hold in self.expected.values() if hold.limited]
        return ALLOWED - sum(hold.amount if hold.open else hold.charged for hold in limited)

    @rule(amount=st.integers(1, 50), ref=st.sampled_from("abc"))
    def grant(self, amount, ref):
        assert self.books.do(ledger.grant, self.subject, amount, ref) == (ref not in self.refs)
        self.balance += 0 if ref in self.refs else amount
        self.refs.add(ref)

    @rule(target=holds, amount=amounts, expired=st.booleans(), limited=st.booleans())
    def reserve(self, amount, expired, limited):
        payer, ref = Payer(self.subject, False, self.limit if limited else None), next(numbers)
        arguments = (ledger.reserve, payer, amount, f"ref-{ref}", None, -1 if expired else 600)
        if amount > self._available(limited):
            with pytest.raises(InsufficientCredits):
                self.books.do(*arguments)
            return multiple()
        hold = self.books.do(*arguments)
        self.expected[hold] = Expected(amount, expired, limited)
        return hold

    @rule(hold=holds, used=amounts, amount=amounts)
    def extend(self, hold, used, amount):
        expected = self.expected[hold]
        affordable = amount - expected.amount <= self._available(expected.limited)
        if not expected.open:
            with pytest.raises(ledger.HoldLost):
                self.books.do(ledger.extend, hold, used, amount)
            return
        assert self.books.do(ledger.extend, hold, used, amount) == affordable
        expected.used = used
        expected.amount = amount if affordable else expected.amount

    @rule(hold=holds, cost=amounts)
    def settle(self, hold, cost):
        charged = self.books.do(ledger.settle, hold, cost, "gen-5.4", {})
        assert charged == self._settle(hold, cost)

    @rule(hold=holds)
    def release(self, hold):
        self.books.free(hold)
        self._settle(hold, 0)

    @rule()
    def sweep(self):
        late = [h for h, expected in self.expected.items() if expected.open and expected.expired]
        assert self.books.sweep() == len(late)
        for hold in late:
            self._close(hold, self.expected[hold].used, "swept")

    def _settle(self, hold, cost):
        expected = self.expected[hold]
        if expected.open:
            return self._close(hold, cost, "settled")
        if expected.state == "swept":
            expected.state = "settled"
            rest = min(max(0, cost - expected.charged), self._available(expected.limited))
            expected.charged += rest
            self.balance -= rest
            return expected.charged
        return 0

    def _close(self, hold, cost, state):
        expected = self.expected[hold]
        expected.state = state
        expected.charged = min(cost, self._available(expected.limited))
        self.balance -= expected.charged
        return expected.charged

    def _available(self, limited):
        return min(self.free, self.left) if limited else self.free

    @invariant()
    def the_account_matches_the_model(self):
        [account] = self.books.rows(Account, subject=self.subject)
        assert (account.balance, account.held) == (self.balance, self.held)
        assert self.books.sums(self.subject) == (self.balance, self.held)
        assert 0 <= account.held <= account.balance
        for allowance in self.books.rows(Allowance, token_id=self.limit.token_id):
            assert allowance.amount - allowance.spent == self.left >= 0

    def teardown(self):
        for hold in self.expected:
            self.books.free(hold)


@on_sqlite
def test_random_operations_leave_the_ledger_as_its_model_predicts(books):
    machine = type("Machine", (Ledger,), {"books": books})
    options = example_settings(
        max_examples=depth(40),
        stateful_step_count=25,
    )
    run_state_machine_as_test(machine, settings=options)
