"""A ledger under test, and checks of its sums."""

import time
from collections.abc import Callable
from typing import Any

from flask import Flask
from sqlalchemy import and_, func, literal, select, text

from service.billing import ledger
from service.billing.allowances import TokenLimit
from service.billing.models import Account, Allowance, Entry, Hold
from service.billing.payer import Payer
from service.billing.units import CREDIT
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.integrations.models import IntegrationJob
from tests.services import wait_for

OTHERS = text(
    "SELECT count(*) FROM pg_stat_get_activity(NULL) AS one WHERE one.pid <> pg_backend_pid()"
    " AND datid = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
ALICE = Payer("alice", is_owner=False)


def limited(credits: float, subject: str = "alice", token: str = "token") -> Payer:
    """A payer whose request has come with a limited token."""
    limit = TokenLimit(token, "alice", int(credits * CREDIT), time.time() + 600)
    return Payer(subject, is_owner=False, limit=limit)


def _is_alone() -> bool:
    others = db.session.scalar(OTHERS)
    db.session.commit()  # within a transaction PostgreSQL would tell the same again
    return bool(others == 0)


class Books:
    """Call the ledger, each time in a write transaction of its own."""

    def __init__(self, app: Flask) -> None:
        self.app = app

    def do(self, action: Callable[..., Any], *arguments: Any) -> Any:
        with self.app.app_context(), write_transaction() as session:
            return action(session, *arguments)

    def open(self, subject: str = "alice", credits: int = 100) -> None:
        self.do(ledger.ensure_account, subject, credits * CREDIT)

    def reserve(
        self,
        credits: float,
        ref: str,
        seconds: float = 60,
        lease: str | None = None,
        payer: Payer = ALICE,
    ) -> str:
        """A hold on alice's account."""
        return self.do(ledger.reserve, payer, int(credits * CREDIT), ref, lease, seconds)

    def sweep(self, later: float = 0, alive: tuple[str, ...] = ()) -> int:
        """Sweep as if it were `later` seconds from now, with these leases running."""
        leases = select(Hold.lease_id).where(Hold.lease_id.in_(alive))
        return self.do(ledger.sweep, from_now(later), leases)

    def settle(self, hold: str, credits: float) -> float:
        cost = int(credits * CREDIT)
        return self.do(ledger.settle, hold, cost, "gen-5.4", {"usage": 1}) / CREDIT

    def free(self, hold: str) -> None:
        """Release a hold by settling it at no cost."""
        self.settle(hold, 0)

    def wait_until_alone(self) -> None:
        """Wait until PostgreSQL has ended the connections of other processes.

        It may carry out what a killed process has sent, and has its locks until then.
        """
        with self.app.app_context():
            if db.engine.dialect.name == "postgresql":
                db.session.remove()
                db.engine.dispose()
                wait_for(_is_alone, 60)

    def rows(self, table: Any, **where: Any) -> list[Any]:
        with self.app.app_context():
            order = table.__table__.primary_key.columns
            return list(db.session.scalars(select(table).filter_by(**where).order_by(*order)))

    def has(self, subject: str = "alice") -> tuple[float, float]:
        """Return balance and held, in credits."""
        [account] = self.rows(Account, subject=subject)
        return account.balance / CREDIT, account.held / CREDIT

    def charges(self, subject: str = "alice") -> list[float]:
        return [e.amount / CREDIT for e in self.rows(Entry, account=subject, kind="charge")]

    def sums(self, subject: str) -> tuple[int, int]:
        """Return what balance and held must be, in micro-credits."""
        entries = select(func.sum(Entry.amount)).where(Entry.account == subject)
        holds = select(func.sum(Hold.amount)).where(Hold.account == subject, Hold.state == "open")
        with self.app.app_context():
            return int(db.session.scalar(entries) or 0), int(db.session.scalar(holds) or 0)

    def check(self) -> None:
        for account in self.rows(Account):
            assert (account.balance, account.held) == self.sums(account.subject)
            assert 0 <= account.held <= account.balance
        charges = {(e.account, e.ref): -e.amount for e in self.rows(Entry, kind="charge")}
        for entry in self.rows(Entry, kind="rest"):
            charges[entry.account, entry.ref] -= entry.amount  # fails if there is no charge
        for hold in self.rows(Hold):
            charge = charges.pop((hold.account, hold.ref), 0)
            assert charge == 0 or hold.state in ("settled", "swept")
            assert charge <= hold.used or hold.state != "swept"
        assert not charges, "a charge without its hold"
        for allowance in self.rows(Allowance):
            assert allowance.spent == self.spent_by(allowance.token_id) <= allowance.amount

    def spent_by(self, token: str) -> int:
        """What a token's open holds have set aside, and what was charged for the others and not
        given back."""
        paid = and_(Entry.account == Hold.account, Entry.ref == Hold.ref, Entry.amount < 0)
        of_token = select(func.sum(-Entry.amount)).join(Hold, paid).where(Hold.token_id == token)
        held = select(func.sum(Hold.amount)).where(Hold.token_id == token, Hold.state == "open")
        job = Entry.ref == literal("refund:") + IntegrationJob.job_id
        back = select(func.sum(-Entry.amount)).join(IntegrationJob, job).filter_by(token_id=token)
        with self.app.app_context():
            return sum(int(db.session.scalar(one) or 0) for one in (of_token, held, back))
