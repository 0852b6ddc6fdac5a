"""The clock of the database."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import bindparam, select

from service.auth.models import User
from service.database.access import write_transaction
from service.database.clock import current_time, from_now, microseconds
from service.extensions import db
from service.times import now, utc_text

MILLISECOND = timedelta(milliseconds=1)  # the resolution of SQLite's clock


def test_the_time_of_the_database_is_aware_and_current(app):
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
def test_the_clock_of_a_worker_is_not_used(app):
    with app.app_context():
        before = now()
        with time_machine.travel(before + timedelta(hours=1)):
            moment = db.session.scalar(select(current_time()))
    assert before <= moment <= now()


def test_the_time_is_the_same_throughout_a_statement(app):
    """Nor is SQLite's function called again for each row."""
    with app.app_context(), write_transaction() as session:
        session.add_all(User(subject=f"user-{number}") for number in range(200))
        session.flush()
        moments = session.scalars(select(current_time()).select_from(User)).all()
    assert len(moments) == 200
    assert len(set(moments)) == 1


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("moment", [datetime(2026, 11, 22, 6, 7, 8, 9, UTC), EPOCH])
def test_a_time_is_converted_to_microseconds(app, moment):
    with app.app_context(), write_transaction() as session:
        session.add(User(subject="alice", created_at=moment))
        session.flush()
        counted = session.scalar(select(microseconds(User.created_at)))
    assert counted == (moment - EPOCH) // timedelta(microseconds=1)


ZONES = st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone)


@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=ZONES), st.sampled_from(" T")
)
def test_a_time_is_written_as_python_writes_it_in_utc(moment, separator):
    whole = moment.astimezone(UTC).isoformat(separator, "microseconds")
    assert utc_text(moment, separator) == whole.removesuffix("+00:00")
