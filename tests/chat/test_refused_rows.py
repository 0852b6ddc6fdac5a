"""A row that PostgreSQL refuses, which comes out at the commit: it is tried once more."""

import pytest
from sqlalchemy import text

from service.extensions import db
from tests.people import types

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('refusals') <= {times} THEN
        RAISE check_violation;
    END IF;
    RETURN NEW;
END $$
"""


def refuse(app, table, times):
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(text("CREATE SEQUENCE refusals"))
        connection.execute(text(REFUSE.format(times=times)))
        trigger = f"BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"
        connection.execute(text(f"CREATE TRIGGER refusing {trigger}"))


@pytest.mark.parametrize("table", ["messages", "turns"])
@pytest.mark.parametrize(("times", "ending", "stored"), [(1, "finish", 2), (2, "error", 0)])
def test_a_row_is_tried_twice(app, alice, table, times, ending, stored):
    chat = alice.new_chat()
    refuse(app, table, times)
    assert types(alice.turn(chat, "hello"))[-1] == ending
    assert len(alice.rows(chat)) == stored


def test_a_refusal_of_another_statement_is_no_rows_refusal(app, alice):
    """The whole transaction is tried once more, as after a lost connection."""
    chat = alice.new_chat()
    refuse(app, "outbox", 1)
    assert types(alice.turn(chat, "hello"))[-1] == "finish"
    assert len(alice.rows(chat)) == 2
