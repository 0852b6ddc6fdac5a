"""A call whose key was taken over by another attempt, because its worker was paused too long."""

from sqlalchemy import select, update

from service.chat.external_calls import CALLED
from service.chat.models import JournalEntry
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.integrations.models import IdempotencyKey
from tests.assistant.leases import lease_of


def test_what_the_next_try_has_called_stays_in_the_journal(app, alice):
    """The vendor refuses the slow attempt after it has answered the next one."""
    alice.get("/api/me")
    with app.app_context():
        slow = lease_of(app, "turn_a")
        noted = db.session.scalar(select(JournalEntry.seq))
        db.session.execute(update(IdempotencyKey).values(held_until=from_now(-1)))
        db.session.commit()
        following = lease_of(app, "turn_b", noted)
        with write_transaction() as session:
            assert following.keep(session, following.seal_answer("{}"))
        with write_transaction() as session:
            slow.forget(session)
        outcomes = db.session.scalars(select(JournalEntry.outcome)).all()
        db.session.commit()
    assert outcomes == [CALLED]
