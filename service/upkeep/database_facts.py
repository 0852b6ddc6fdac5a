"""Facts for operators that are read from the database at each scrape.

They describe the whole service, so every host reports the same. Each query is bounded by an index
and a number of rows, and all queries together by `LONGEST_SECONDS`. Without an answer
`database_answers` is 0, and the other facts are left out.
"""

from collections.abc import Iterator
from typing import Any

import gevent
from flask import Flask
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import Connection, case, func, select
from sqlalchemy.exc import SQLAlchemyError

from service.billing.models import Hold
from service.billing.units import to_credits
from service.chat.claims import has_lapsed
from service.chat.models import Claim, Lease
from service.database.clock import current_time
from service.database.time_limits import time_limit
from service.extensions import db, table
from service.integrations.calling.breaker import FAILURES
from service.integrations.models import Breaker
from service.observing.scrape import COLLECTORS

LONGEST_SECONDS = 1.0  # for all queries together
MOST_ROWS = 10_000  # that a query counts

_holds, _claims, _leases, _breakers = map(table, (Hold, Claim, Lease, Breaker))
_open_holds = (
    select(_holds.c.amount, (_holds.c.expires_at < current_time()).label("is_overdue"))
    .where(_holds.c.state == "open")
    .limit(MOST_ROWS)
    .subquery()
)
HOLDS = select(
    func.count().label("number"),
    func.coalesce(func.sum(_open_holds.c.amount), 0).label("amount"),
    func.coalesce(func.sum(case((_open_holds.c.is_overdue, 1), else_=0)), 0).label("overdue"),
).select_from(_open_holds)
_running = (
    select(_claims.c.turn_id)
    .join(_leases, _leases.c.lease_id == _claims.c.lease_id)
    .where(~has_lapsed())
    .limit(MOST_ROWS)
    .subquery()
)
TURNS = select(func.count()).select_from(_running)
BREAKERS = select(_breakers.c.integration, _breakers.c.failures).limit(MOST_ROWS)


class DatabaseFacts(Collector):
    """Collects the facts at each scrape. Needs no app context."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def describe(self) -> list[Metric]:
        return [*_families(None).values()]

    def collect(self) -> Iterator[Metric]:
        yield from _families(self._read()).values()

    def _read(self) -> dict[str, Any] | None:
        try:
            with (
                gevent.Timeout(LONGEST_SECONDS),
                time_limit(LONGEST_SECONDS),
                self._app.app_context(),
            ):
                return _facts(db.session.connection())
        except (SQLAlchemyError, gevent.Timeout):
            return None


def _facts(connection: Connection) -> dict[str, Any]:
    holds = connection.execute(HOLDS).one()
    return {
        "holds_open": holds.number,
        "holds_open_credits": to_credits(int(holds.amount)),
        "holds_overdue": holds.overdue,
        "turns_claimed": connection.scalar(TURNS),
        "breaker_open": {
            row.integration: row.failures >= FAILURES for row in connection.execute(BREAKERS)
        },
    }


def _families(facts: dict[str, Any] | None) -> dict[str, GaugeMetricFamily]:
    families = {
        "database_answers": "1 if the database has answered this scrape in time, otherwise 0.",
        "holds_open": "Holds that are open.",
        "holds_open_credits": "Credits in open holds.",
        "holds_overdue": "Open holds that have expired and should have been swept.",
        "turns_claimed": "Turns that run on all hosts.",
    }
    made = {name: GaugeMetricFamily(name, text) for name, text in families.items()}
    made["database_answers"].add_metric([], facts is not None)
    breaker = made["breaker_open"] = GaugeMetricFamily(
        "breaker_open", "1 while calls of an integration are stopped.", labels=["integration"]
    )
    for name, value in (facts or {}).items():
        if name != "breaker_open":
            made[name].add_metric([], float(value))
    for integration, is_open in (facts or {}).get("breaker_open", {}).items():
        breaker.add_metric([integration], is_open)
    return made


def init_app(app: Flask) -> None:
    COLLECTORS.set(app, [DatabaseFacts(app)])
