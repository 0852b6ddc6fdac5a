"""A database that refuses while the rows of a turn are written: all three rows, or none."""

import sqlite3

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from service.extensions import db
from tests.people import types
from tests.services import on_sqlite

pytestmark = on_sqlite


@pytest.fixture
def refuse(app):
    """Refuse statements that begin so, as many times as said; the list tells which came."""
    with app.app_context():
        engine = db.engine
    heard = []

    def refusing(beginning, times):
        tried = []

        def before(_connection, _cursor, statement, *_rest):
            if statement.startswith(beginning):
                tried.append(statement)
                if len(tried) <= times:
                    raise OperationalError(statement, {}, sqlite3.OperationalError("refused"))

        event.listen(engine, "before_cursor_execute", before)
        heard.append(before)
        return tried

    yield refusing
    for before in heard:
        event.remove(engine, "before_cursor_execute", before)


def test_a_row_that_is_refused_once_is_written_at_the_second_try(alice, refuse):
    chat = alice.new_chat()
    tried = refuse("INSERT INTO messages", 1)
    assert types(alice.turn(chat, "hello"))[-1] == "finish"
    assert len(tried) == 3
    assert len(alice.rows(chat)) == 2


@pytest.mark.parametrize("table", ["messages", "turns"])
def test_a_row_that_is_refused_twice_takes_the_others_along(alice, refuse, table):
    chat = alice.new_chat()
    tried = refuse(f"INSERT INTO {table}", 2)
    chunks = alice.turn(chat, "hello", userMessageId="u")
    assert (chunks[-1]["type"], len(tried)) == ("error", 2)
    assert "could not be saved" in chunks[-1]["errorText"]
    assert alice.rows(chat) == []
    assert types(alice.turn(chat, "hello", userMessageId="u"))[-1] == "finish"


@pytest.mark.parametrize(("times", "ending", "stored"), [(1, "finish", 2), (2, "error", 0)])
def test_a_group_that_the_database_drops_is_tried_once_more(alice, refuse, times, ending, stored):
    """As when it had to make way for another transaction."""
    chat = alice.new_chat()
    tried = refuse("UPDATE chats", times)
    assert types(alice.turn(chat, "hello"))[-1] == ending
    assert (len(tried), len(alice.rows(chat))) == (2, stored)
