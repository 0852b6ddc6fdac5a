"""`RATE_LIMITS`: how often one user may do something, by each of the stores."""

import re
import sqlite3
from contextlib import closing, suppress

import pytest
from sqlalchemy import func, select, update

from config import ConfigError
from service import create_app
from service.database import sqlite
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.limits.models import RateCount
from service.limits.rates import Rates
from service.upkeep.sweeping import sweep
from service.web.errors import RateLimited
from tests.redis import redis_server
from tests.services import close, on_sqlite, settings_for

RULES = "turns=2/minute,calls=2/hour,records=2/day,records=100/minute,tokens=1/minute"
in_database = pytest.mark.settings(rate_limits=RULES, rate_limit_storage_url="database://")


def refused(answer) -> bool:
    assert answer.status_code in (200, 201, 429), answer.text
    return answer.status_code == 429 and int(answer.headers["Retry-After"]) >= 1


def call(person, number: int):
    return person.post("/api/integrations/geocode-city", {"city": f"Berlin {number}"})


def outcomes(person) -> dict[str, list[bool]]:
    """Which of three attempts of each kind are refused."""
    chat, calls = person.new_chat(), range(3)
    turns = [person.ask(chat, "hello") for _ in calls]
    return {
        "turns": [refused(turn) for turn in turns if turn.get_data() or True],
        "calls": [refused(call(person, number)) for number in calls],
        "records": [refused(person.post("/api/records/notes", {"title": "t"})) for _ in calls],
        "tokens": [refused(person.post("/api/tokens", {"scope": "calls"})) for _ in calls],
    }  # fmt: skip


EXPECTED = {
    "turns": [False, False, True],
    "calls": [False, False, True],
    "records": [False, True, True],  # after the chat, which is one too
    "tokens": [False, True, True],
}


@on_sqlite
@in_database
def test_each_user_has_limits_of_its_own_in_the_database(alice, bob):
    assert outcomes(alice) == EXPECTED
    assert outcomes(bob) == EXPECTED


@on_sqlite
@in_database
def test_a_clock_set_back_does_not_put_the_end_of_a_window_off(app, alice):
    assert [refused(call(alice, number)) for number in range(3)] == [False, False, True]
    with app.app_context(), write_transaction() as session:
        session.execute(update(RateCount).values(ends_at=from_now(2 * 3600)))
    assert [refused(call(alice, number)) for number in range(3)] == [False, False, True]
    assert int(call(alice, 3).headers["Retry-After"]) <= 3600


@on_sqlite
@in_database
def test_chats_count_as_records_at_their_own_routes(alice):
    made = [alice.post("/api/ai/chats", {}) for _ in range(3)]
    assert [refused(answer) for answer in made] == [False, False, True]
    assert len(alice.records("ai-chats")) == 2


@on_sqlite
@in_database
def test_an_undo_is_a_change_of_records(alice):
    alice.new_chat()
    undone = [alice.post("/api/ai/turns/none/undo") for _ in range(2)]
    assert [answer.status_code for answer in undone] == [404, 429]
    assert refused(undone[1])


def ask(person, chat: str, message: str, **body):
    answer = person.ask(chat, body.pop("content", "hello"), userMessageId=message, **body)
    return answer.status_code, answer.get_data(as_text=True)


@on_sqlite
@in_database
def test_an_answer_that_is_given_again_does_not_count_and_is_not_refused(alice):
    chat = alice.new_chat()
    first = [ask(alice, chat, "u") for _ in range(5)]
    assert {status for status, _ in first} == {200}
    assert [ask(alice, chat, message)[0] for message in ("v", "w")] == [200, 429]
    assert ask(alice, chat, "v")[0] == 200, "its answer is there"
    assert ask(alice, chat, "v", trigger="regenerate-message")[0] == 429
    assert ask(alice, chat, "x", modelId="no-such-model")[0] == 400
    assert ask(alice, "no-such-chat", "x")[0] == 404


@on_sqlite
@pytest.mark.settings(rate_limits=RULES)
def test_one_worker_counts_in_memory(alice):
    assert outcomes(alice) == EXPECTED


@on_sqlite
@pytest.mark.settings(rate_limits=RULES)
def test_a_refusal_says_what_there_was_too_much_of(alice):
    """And each kind has its verb: tokens are made here, and not sent."""
    one, two = (alice.post("/api/tokens", {"scope": "calls"}) for _ in range(2))
    assert one.status_code == 201
    assert re.fullmatch(
        r"You have requested too many tokens\. Try again in \d+ s\.", two.json["message"]
    )


@on_sqlite
@in_database
def test_counts_do_not_name_their_user(app, alice):
    """They outlive an erased one for up to a day."""
    alice.new_chat()
    with app.app_context():
        keys = db.session.scalars(select(RateCount.key)).all()
        db.session.commit()
    assert len(keys) == 2
    assert "alice" not in repr(keys)


@in_database
def test_a_window_ends(app, alice):
    assert outcomes(alice)["records"][2]
    with app.app_context(), write_transaction() as session:
        session.execute(update(RateCount).values(ends_at=from_now(-1)))
    assert not refused(alice.post("/api/records/notes", {"title": "t"}))
    with app.app_context():
        sweep()
        assert db.session.scalar(select(func.count()).select_from(RateCount)) == 2  # of records
        db.session.rollback()


@on_sqlite
@in_database
def test_what_is_given_back_after_its_window_is_not_taken_off_the_next_one(app):
    rates = app.extensions["rates"]
    with app.app_context():
        rates.hit("calls", "alice")
        with write_transaction() as session:
            session.execute(update(RateCount).values(ends_at=from_now(-1)))
        rates.give_back("calls", "alice")
        for _ in range(2):
            rates.hit("calls", "alice")
        with pytest.raises(RateLimited):
            rates.hit("calls", "alice")
        rates.give_back("calls", "alice")
        rates.give_back("calls", "alice")
        rates.hit("calls", "alice")


@pytest.mark.settings(rate_limits="calls=1/minute", rate_limit_storage_url="database://")
def test_a_window_that_ends_while_a_call_is_given_back_begins_at_zero(app, monkeypatch):
    """Below zero, it would admit a call too many."""
    rates = app.extensions["rates"]
    is_below = rates._limiter.test

    def end_window(*given, **cost):
        answer = is_below(*given, **cost)
        with write_transaction() as session:
            session.execute(update(RateCount).values(ends_at=from_now(-1)))
        return answer

    with app.app_context():
        rates.hit("calls", "alice")
        monkeypatch.setattr(rates._limiter, "test", end_window)
        rates.give_back("calls", "alice")
        monkeypatch.undo()
        rates.hit("calls", "alice")
        with pytest.raises(RateLimited):
            rates.hit("calls", "alice")


@in_database
def test_a_refused_request_does_not_prolong_the_window(app):
    rates, ends = app.extensions["rates"], []
    with app.app_context():
        for _ in range(4):
            with suppress(RateLimited):
                rates.hit("records", "alice")
            ends.append(db.session.execute(select(RateCount.key, RateCount.ends_at)).all())
            db.session.commit()
    assert sorted(ends[0]) == sorted(ends[-1])


@pytest.mark.settings(
    rate_limits="calls=2/day,calls=1/minute", rate_limit_storage_url="database://"
)
def test_what_the_rate_of_a_minute_refuses_does_not_count_for_the_day(app):
    rates = app.extensions["rates"]
    with app.app_context():
        rates.hit("calls", "alice")
        for _ in range(3):
            with pytest.raises(RateLimited):
                rates.hit("calls", "alice")
        of_minute = update(RateCount).where(RateCount.key.endswith("minute"))
        with write_transaction() as session:
            session.execute(of_minute.values(ends_at=from_now(-1)))
        rates.hit("calls", "alice")


@on_sqlite
def test_workers_share_the_counts_of_redis(app, settings, tmp_path):
    with redis_server(tmp_path) as url, app.app_context():
        given = {"rate_limits": "calls=3/minute", "rate_limit_storage_url": url}
        workers = [Rates(app, settings_for(settings.database_url, **given)) for _ in range(2)]
        workers[0].give_back("calls", "alice")  # of a window that has ended
        for number in range(3):
            workers[number % 2].hit("calls", "alice")
        for worker in workers:
            with pytest.raises(RateLimited) as limited:
                worker.hit("calls", "alice")
            assert 1 <= int(limited.value.headers["Retry-After"]) <= 60
        workers[0].hit("calls", "bob")


@on_sqlite
def test_nobody_is_refused_while_the_counts_are_away(app, settings, capfd):
    given = {"rate_limits": "calls=1/minute", "rate_limit_storage_url": "redis://127.0.0.1:9"}
    rates = Rates(app, settings_for(settings.database_url, **given))
    for _ in range(3):
        rates.hit("calls", "alice")
    told = capfd.readouterr().err
    assert told.count("rates not counted") == 1
    assert '"cause": "ConnectionError"' in told


@on_sqlite
@in_database
def test_nobody_is_refused_while_the_database_takes_no_counts(app, monkeypatch, capfd):
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.01)
    rates: Rates = app.extensions["rates"]
    with app.app_context(), closing(sqlite3.connect(db.engine.url.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        for _ in range(5):
            rates.hit("records", "alice")
    assert capfd.readouterr().err.count("rates not counted") == 1


@on_sqlite
def test_without_rates_nothing_is_counted(alice, statements):
    alice.post("/api/records/notes", {"title": "t"})
    assert not [one for one in statements if "rate_counts" in one]


def test_memory_is_refused_with_several_workers(databases):
    given = {"rate_limits": "calls=1/minute", "web_concurrency": 2}
    with pytest.raises(ConfigError, match="^RATE_LIMIT_STORAGE_URL: "):
        create_app(settings_for(databases.make("sqlite"), **given))
    close(create_app(settings_for(databases.make("sqlite"), web_concurrency=2)))
