"""GET /api/credits shows the caller's own account only."""

import re

import pytest

from service.billing import ledger
from service.billing.units import CREDIT
from service.billing.views import EntrySchema
from tests.services import on_sqlite


@on_sqlite
def test_the_first_request_opens_the_account(alice, books):
    answer = alice.get("/api/credits").json
    assert alice.get("/api/credits").json == answer
    assert (answer["balance"], answer["held"], answer["nextCursor"]) == (1000, 0, None)
    [entry] = answer["entries"]
    assert re.fullmatch(r"entry_[0-9a-f]{32}", entry.pop("entryId"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", entry.pop("createdAt"))
    about = {"kind": "grant", "what": "starting credits", "ref": "starting", "facts": {}}
    assert entry == {"amount": 1000, **about}


@on_sqlite
@pytest.mark.settings(starting_credits="7")
def test_the_starting_credits_are_a_setting(alice):
    assert alice.get("/api/credits").json["balance"] == 7


@on_sqlite
def test_amounts_are_in_credits(alice, books):
    books.open("alice", 100)
    books.settle(books.reserve(2, "turn_1"), 3)
    books.reserve(0.25, "turn_2")
    answer = alice.get("/api/credits").json
    assert (answer["balance"], answer["held"]) == (97, 0.25)
    charge = answer["entries"][0]
    assert (charge["kind"], charge["amount"], charge["ref"]) == ("charge", -3, "turn_1")
    assert (charge["what"], charge["facts"]) == ("gen-5.4", {"usage": 1})
    books.settle(books.reserve(2, "turn_3"), 100)
    newest = alice.get("/api/credits").json["entries"][0]
    assert (newest["amount"], newest["facts"]["loss"]) == (-96.75, 3.25)


@on_sqlite
def test_every_kind_of_entry_matches_the_schema(alice, books):
    books.open("alice", 100)
    hold = books.reserve(2, "turn_1")
    books.do(ledger.extend, hold, CREDIT, 2 * CREDIT)
    assert books.sweep(later=3600) == 1
    books.settle(hold, 2)
    entries = alice.get("/api/credits").json["entries"]
    assert [entry["kind"] for entry in entries] == ["rest", "charge", "grant"]
    assert EntrySchema(many=True).validate(entries) == {}


def test_entries_come_in_pages_newest_first(alice, bob, books):
    books.open("alice", 100)
    for number in range(5):
        books.do(ledger.grant, "alice", CREDIT, str(number))
        bob.get("/api/credits")
    refs, cursor = [], {}
    while cursor is not None:
        page = alice.get("/api/credits", query_string={"limit": 2, **cursor}).json
        refs.append([entry["ref"] for entry in page["entries"]])
        cursor = page["nextCursor"] and {"cursor": page["nextCursor"]}
    assert refs == [["4", "3"], ["2", "1"], ["0", "starting"]]


@on_sqlite
def test_callers_see_only_their_own_entries(alice, bob, books):
    books.open("alice", 100)
    books.settle(books.reserve(2, "turn_1"), 1)
    assert [entry["ref"] for entry in bob.get("/api/credits").json["entries"]] == ["starting"]
    assert bob.get("/api/credits", query_string={"subject": "alice"}).status_code == 400


@on_sqlite
@pytest.mark.parametrize(
    "query",
    [{"limit": 0}, {"limit": 201}, {"limit": "x"}, {"cursor": "!"}, {"cursor": "LTE"}]
    + [{"cursor": cursor} for cursor in ("MA", "é", "", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5")],
)
def test_a_bad_query_is_refused_field_by_field(alice, query):
    response = alice.get("/api/credits", query_string=query)
    assert (response.status_code, response.json["error"]) == (400, "invalid_request")
    assert list(response.json["details"]) == list(query)
