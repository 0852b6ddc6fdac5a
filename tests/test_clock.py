"""The database's clock, as leases and expiries use it."""

from datetime import timedelta

import pytest
import time_machine
from sqlalchemy import bindparam, select

from service.clock import current_time, from_now
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
