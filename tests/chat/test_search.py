"""Searching in chats: on both databases, whatever is written and whatever is asked."""

import time
import unicodedata

import gevent
from flask_migrate import downgrade, upgrade
from sqlalchemy import delete, text, update

from service.chat.finding import index
from service.chat.finding.terms import excerpt, parse
from service.chat.models import Message
from service.database.access import write_transaction
from service.extensions import db
from service.limits import page_turns
from tests.app_database import all_rows_as_text
from tests.chat.chat_searches import search, titles_found, write
from tests.limits.page_queue import as_many_pages_as_allowed, is_queued
from tests.records.greenlet_turns import count_greenlet_turns
from tests.services import on_sqlite, wait_for
from tests.user_erasure import erase


def test_a_search_finds_what_was_said_in_a_turn(alice):
    chat = alice.new_chat("Plans")
    alice.turn(chat, "count to 3, for the zeppelin")
    (result,) = search(alice, "ZEPP")["results"]
    assert result["chat"]["recordId"] == chat
    assert result["chat"]["title"] == "Plans"
    message = result["message"]
    assert message["role"] == "user"
    (hit,) = message["snippet"]["hits"]
    assert message["snippet"]["text"][hit["start"] : hit["end"]] == "zepp"
    assert titles_found(alice, "1 2 3") == ["Plans"]  # the assistant's answer


def test_titles_come_first_and_each_chat_once(app, alice):
    first, second = alice.new_chat("first"), alice.new_chat("second")
    third = alice.new_chat("A walk along the Seine")
    write(app, second, "the seine", "seine once more", "the Seine again")
    write(app, first, "in the seine")
    write(app, third, "seine")
    assert titles_found(alice, "seine") == ["A walk along the Seine", "first", "second"]
    last = search(alice, "seine")["results"][-1]["message"]["snippet"]
    assert last == {"text": "the Seine again", "hits": [{"start": 4, "end": 9}]}


def test_a_search_is_read_page_by_page(app, alice):
    for number in range(4):
        write(app, alice.new_chat(f"chat {number}"), "a hedgehog")
    for number in range(3):
        alice.new_chat(f"hedgehog {number}")
    titles, cursor = [], None
    for _ in range(4):
        page = search(alice, "hedgehog", limit=2, **({"cursor": cursor} if cursor else {}))
        titles += [result["chat"]["title"] for result in page["results"]]
        cursor = page["nextCursor"]
    assert titles == [*(f"hedgehog {n}" for n in (2, 1, 0)), *(f"chat {n}" for n in (3, 2, 1, 0))]
    assert cursor is None


@on_sqlite
def test_a_search_reads_no_results_of_tools(app, alice):
    """Those in the messages of one page may have a hundred megabytes."""
    write(app, alice.new_chat("Plans"), "a zeppelin")
    with app.app_context(), write_transaction() as session:
        session.execute(text("UPDATE messages SET parts = 'no JSON'"))
    assert titles_found(alice, "zeppelin") == ["Plans"]


@on_sqlite
def test_searches_of_one_user_leave_connections_for_others(app, alice, bob, monkeypatch):
    monkeypatch.setattr(page_turns, "WAIT_SECONDS", 60)
    with as_many_pages_as_allowed("alice"):
        waiting = gevent.spawn(search, alice, "zeppelin")
        assert search(bob, "zeppelin")["results"] == []
        wait_for(lambda: is_queued("alice"))
        with app.app_context():
            assert (waiting.ready(), db.engine.pool.checkedout()) == (False, 0)
    assert waiting.get(timeout=20)["results"] == []


@on_sqlite
def test_others_run_between_two_excerpts(app, alice):
    for number in range(20):
        write(app, alice.new_chat(f"chat {number}"), "a hedgehog")
    with count_greenlet_turns() as log:
        assert len(search(alice, "hedgehog")["results"]) == 20
    assert len(log) >= 20


def test_nobody_finds_what_another_has_written(app, alice, bob, admin):
    write(app, alice.new_chat("a secret title"), "a secret word")
    write(app, bob.new_chat("mine"), "my own word", owner="bob")
    assert (
        titles_found(bob, "secret")
        == titles_found(admin, "secret")
        == titles_found(admin, "word")
        == []
    )
    assert titles_found(bob, "word") == ["mine"]


TEXT = (
    "Der Überblick: tasks.create(foo_bar) on 2026-03-05 costs €30; don't use C++! "
    "使用Python编程的北京大学 학교에서 ภาษาไทย שלום עולם hello日本 🎉 “quoted” ΩΜΈΓΑ привет 3rd"
)
FINDING = (
    "überblick", "ÜBER", "tasks create", "tasks.create(", "foo_bar", "bar", "2026-03-05", "€30",
    "don't use", "c++", "C+", "python", "北京", "京大", "大学 北京", "使用Python", "학교", "日本",
    "hello", "ไทย", "שלום", "עול", "🎉", "quot", '"quoted"', "ωμέγα", "ПРИВ", "3rd",
    "create 北京 c++", "überblick\u00a0🎉", "use  C",
)  # fmt: skip
LATIN = "Der Überblick: tasks.create(foo_bar) “quoted” C++"
MISSING = ("berblick", "uberblick", "über ", "reate", "über absent", "quote ", "d++")
HOSTILE = (
    '"', "'", "\\", "*", "a*", 'a" OR "b', "NEAR(a b)", "content:a", "a AND", "-a", "!", "(((", "%",
    "_", "&|!<->:*", "'a' & b:*", "…“”—", " ", "\u200b", "\ufffd", "a'b\\'c", "' || '", ";--", "²",
    "ª", "\u0301", "᾽", "İ", "x" * 200, "好" * 200, "€" * 200, "a " * 100, "\t\n", "1e5", "a_b%",
    " ".join("abcdefghijklmnopqrstuvwxyz"),
)  # fmt: skip


def test_words_of_any_script_are_found(app, alice):
    write(app, alice.new_chat("it"), TEXT)
    assert [question for question in FINDING if titles_found(alice, question) != ["it"]] == []
    results = [search(alice, question)["results"] for question in FINDING]
    assert all(result["message"]["snippet"]["hits"] for (result,) in results)
    assert titles_found(alice, "京北") == titles_found(alice, "学北京") == []


def test_a_greek_word_that_ends_in_a_sigma_is_found_in_capitals(app, alice):
    """In small letters the sigma at the end of a word has a form of its own."""
    for title, words in (("small", "η παλιος οδος"), ("capital", "Η ΠΑΛΙΟΣ ΟΔΟΣ")):
        write(app, alice.new_chat(title), words)
    for question in ("παλιος οδος", "ΠΑΛΙΟΣ ΟΔΟΣ", "παλιοσ οδοσ ", "οδος"):
        assert titles_found(alice, question) == ["capital", "small"], question
        results = search(alice, question)["results"]
        assert all(result["message"]["snippet"]["hits"] for result in results)


def test_a_text_is_found_whether_its_marks_are_apart_from_their_letters_or_not(app, alice):
    """Both look the same, and names of files often have them apart."""
    words = "Müller: résumé of Nguyễn, 学校ガイド, Café, о чём-то Ё"
    write(app, alice.new_chat("whole"), words)
    write(app, alice.new_chat("apart"), unicodedata.normalize("NFD", words))
    for question in ("müller", "MÜLL", "résumé ", "Nguyễn", "学校 ガイド", "café ", "чём ё"):
        for asked in (question, unicodedata.normalize("NFD", question)):
            results = search(alice, asked)["results"]
            assert {one["chat"]["title"] for one in results} == {"whole", "apart"}, asked
            assert all(one["message"]["snippet"]["hits"] for one in results), asked


def test_a_mark_counts(app, alice):
    write(app, alice.new_chat("whole"), "Muller cafe mu ller")
    for question in ("müller", "café ", "müll"):
        assert titles_found(alice, question) == []


def test_a_word_is_found_from_its_beginning(app, alice):
    write(app, alice.new_chat("it"), LATIN)
    assert [question for question in MISSING if titles_found(alice, question)] == []
    assert titles_found(alice, "über") == titles_found(alice, "überblick ") == ["it"]


def test_signs_among_the_letters_of_a_script_are_an_error_nowhere(app, alice):
    """ǃ is a letter without case, ϶ a sign, ᾽ an accent: SQLite divides words there."""
    for number, word in enumerate(("kunǃona", "a϶b", "a᾽b", "İstanbul")):
        write(app, alice.new_chat(str(number)), f"about {word} today")
        assert titles_found(alice, word) == titles_found(alice, f"{word} today") == [str(number)]


def test_no_question_is_an_error(app, alice):
    write(app, alice.new_chat("it"), TEXT)
    for question in HOSTILE:
        search(alice, question)  # asserts 200
    only_punctuation = [*HOSTILE[:4], "!", "(((", "…“”—", " ", "\u200b"]
    assert [question for question in only_punctuation if titles_found(alice, question)] == []


def test_a_question_that_is_none_is_refused(alice):
    for query in ({}, *({"q": asked} for asked in ("", "x" * 201, "x" * 10_000, "a\x00b"))):
        assert alice.get("/api/ai/search", query_string=query).status_code == 400, query


CURSORS = ("x", "W10", "WyJiIiwidGl0bGUiLDFd", "WyJhIiwidGl0bGUiLC0xXQ",
           "WyJhIiwgInRpdGxlIiwgdHJ1ZV0")  # fmt: skip


def test_a_cursor_of_another_search_is_refused(alice):
    for cursor in CURSORS:
        response = alice.get("/api/ai/search", query_string={"q": "a", "cursor": cursor})
        assert (response.status_code, list(response.json["details"])) == (400, ["cursor"]), cursor


def test_what_is_edited_or_deleted_is_no_longer_found(app, alice):
    chat, other = alice.new_chat("one"), alice.new_chat("two")
    alice.turn(chat, "a canary, a 金丝雀")
    write(app, other, "another canary")
    (message,) = (r for r in alice.records("ai-messages") if "金" in r["data"]["content"])
    path = f"/api/records/ai-messages/{message['recordId']}"
    assert alice.patch(path, {"content": "a raven, a 乌鸦"}).status_code == 200
    assert titles_found(alice, "canary") == ["two"]
    assert titles_found(alice, "金丝雀") == []
    assert titles_found(alice, "raven") == titles_found(alice, "乌鸦") == ["one"]
    alice.patch(f"/api/ai/chats/{other}", {"title": "renamed"})
    assert titles_found(alice, "renamed") == ["renamed"]
    assert titles_found(alice, "two") == []
    alice.delete(f"/api/ai/chats/{other}")
    assert titles_found(alice, "canary") == titles_found(alice, "renamed") == []


@on_sqlite
def test_sqlite_keeps_no_word_of_a_deleted_chat(app, alice):
    kept, chat = alice.new_chat("kept"), alice.new_chat("a canary")
    for number in range(30):
        write(app, chat, f"canary{number} 金丝雀")
        write(app, kept, f"raven{number}")
    alice.delete(f"/api/ai/chats/{chat}")
    with app.app_context():
        db.session.execute(text("DELETE FROM outbox"))
        db.session.commit()
        index.forget_deleted()
        for name in index.TABLES:
            check = f"INSERT INTO search_{name} (search_{name}) VALUES ('integrity-check')"
            db.session.execute(text(check))
        db.session.commit()
    assert "canary" not in all_rows_as_text(app)
    assert titles_found(alice, "raven7") == ["kept"]


def test_an_erased_user_is_found_by_nobody(app, alice, bob):
    write(app, alice.new_chat("canary title"), "a canary 金丝雀")
    write(app, bob.new_chat("other"), "a canary 金丝雀", owner="bob")
    assert erase(app, "alice")
    assert titles_found(bob, "canary") == titles_found(bob, "金丝雀") == ["other"]


def test_rows_that_were_there_before_the_search_are_found(app, alice):
    write(app, alice.new_chat("old"), "an old canary, 金丝雀")
    with app.app_context():
        downgrade(revision="0024")
        upgrade()
    assert (
        titles_found(alice, "canary")
        == titles_found(alice, "金丝雀")
        == titles_found(alice, "old")
        == ["old"]
    )


def test_a_row_that_any_release_changes_is_found_by_its_new_words(app, alice):
    chat = alice.new_chat("it")
    write(app, chat, "first words")
    with app.app_context(), write_transaction() as session:
        session.execute(update(Message).values(content="later words"))
    assert titles_found(alice, "first") == []
    assert titles_found(alice, "later") == ["it"]
    with app.app_context(), write_transaction() as session:
        session.execute(delete(Message))
    assert titles_found(alice, "later") == []


def test_a_message_of_any_size_and_content_is_stored(app, alice):
    long = " ".join(f"word{number}" for number in range(20_000))
    odd = "".join(chr(c) for c in range(1, 0xD800)) + "\U0001f600"
    write(app, alice.new_chat("it"), long, odd, "好" * 100_000, "x" * 100_000, role="assistant")
    assert titles_found(alice, "word7") == ["it"]


@on_sqlite
def test_the_newest_schema_still_has_the_triggers(app):
    """A migration that makes a table anew drops them: it has to create them again."""
    with app.app_context():
        triggers = (
            "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'search%'"
        )
        assert db.session.scalar(text(triggers)) == 6
        db.session.commit()


def test_a_snippet_stands_around_its_first_hit():
    long = "word " * 100 + "the\nneedle here " + "more " * 100
    cut = excerpt(long, parse("needle"))
    assert cut.text.startswith("… word")
    assert cut.text.endswith("more …")
    assert [cut.text[a:b] for a, b in cut.hits] == ["needle"]
    assert len(cut.text) < 180
    assert excerpt("好" * 300 + "金" + "好" * 300, parse("金")).hits == [(52, 53)]
    assert excerpt("nothing", parse("absent")).text == "nothing"


def test_many_terms_are_looked_for_nearly_as_fast_as_one():
    """The search for an excerpt keeps others waiting."""
    text, many = "# " * 200_000, parse(f"{' '.join('abcdefghijklmnopqrst')} 日、本、語、東、京")
    assert len(many.words) == 20
    times = []
    for terms in (parse("a "), many):
        began = time.process_time()
        assert list(terms.hits(text)) == []
        times.append(time.process_time() - began)
    assert times[1] < 5 * times[0] + 0.01
