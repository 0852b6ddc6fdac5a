"""Calls of the probe, a vendor without OAuth: its endpoints, and what a call leaves."""

from prometheus_client import REGISTRY
from sqlalchemy import update

from service.database.clock import from_now
from service.integrations.models import IdempotencyKey

SEARCH, TASK = "probe-search", "probe-task"


STARTED = {"id": "task-1"}


def balance_of(books, subject: str) -> float:
    balance, held = books.has(subject)
    assert held == 0
    return balance


def call_once(caller, key="k1", endpoint=SEARCH, body=None):
    body = {"q": "x"} if body is None else body
    return caller.call(endpoint, body, headers={"Idempotency-Key": key})


def lapse(books) -> None:
    ends = update(IdempotencyKey).values(held_until=from_now(-1))
    books.do(lambda session: session.execute(ends))


def measured(endpoint) -> float:
    """The credits that the metrics show for an endpoint."""
    return REGISTRY.get_sample_value("endpoint_credits_total", {"endpoint": endpoint}) or 0
