"""The database's clock, as leases and expiries use it."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import bindparam, select

from service.auth.models import User
from service.clock import current_time, from_now, microseconds
from service.database import write_transaction
from service.extensions import db, now

MILLISECOND = timedelta(milliseconds=1)  # SQLite's clock shows no more


def test_the_databases_time_is_aware_and_now(app):
    before = now()
    with app.app_context():
        moment = db.session.scalar(select(current_time()))
    assert before - MILLISECOND <= moment <= now() + MILLISECOND


@pytest.mark.parametrize("seconds", [15, -15, 0.25])
def test_an_offset_counts_in_seconds(app, seconds):
    with app.app_context():
        both = select(from_now(bindparam("seconds")), current_time())
        later, here = db.session.execute(both, {"seconds": seconds}).one()
    assert abs((later - here).total_seconds() - seconds) < 0.1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_workers_own_clock_does_not_count(app):
    with app.app_context():
        before = now()
        with time_machine.travel(before + timedelta(hours=1)):
            moment = db.session.scalar(select(current_time()))
    assert before <= moment <= now()


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("moment", [datetime(2026, 11, 22, 6, 7, 8, 9, UTC), EPOCH])
def test_a_time_counts_in_microseconds(app, moment):
    with app.app_context(), write_transaction() as session:
        session.add(User(subject="alice", created_at=moment))
        session.flush()
        counted = session.scalar(select(microseconds(User.created_at)))
    assert counted == (moment - EPOCH) // timedelta(microseconds=1)
