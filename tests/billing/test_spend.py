"""GET /api/credits/spend: what the caller's own account has spent, by day and by source."""

from datetime import UTC, datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import pytest

from service.billing import ledger
from service.billing.charges import entry_values
from service.billing.models import Entry
from service.billing.spend import Sum, spend
from service.billing.units import CREDIT
from tests.billing.books import Books
from tests.services import on_sqlite

NOW = datetime(2024, 11, 23, 12, tzinfo=UTC)
CALLED = {"integration": "search"}
refs = count()


@pytest.fixture
def books(app):
    """The charges of these tests have no holds, and their times are set."""
    return Books(app)


@pytest.fixture
def charge(books):
    """Add an entry of alice's at a time: a charge of one credit, unless told otherwise."""
    books.open()

    def add(moment, what="gen-5.4", facts=None, amount=-1.0, kind="charge", ref=""):
        micro = int(amount * CREDIT)
        row = entry_values("alice", kind, micro, ref or f"r{next(refs)}", what, facts or {})
        books.do(lambda session: session.add(Entry(**row | {"created_at": moment})))

    return add


def read(books, days=3, zone="UTC", now=NOW):
    return books.do(spend, "alice", days, ZoneInfo(zone), now)


def credits(result):
    return [(day.isoformat(), one.amount / CREDIT, one.calls) for day, one in result.days]


def test_every_day_is_there_with_its_charges(books, charge):
    for hours in (0, 1, 40):
        charge(NOW - timedelta(hours=hours))
    charge(NOW - timedelta(days=3))
    days = [("2024-11-21", 1, 1), ("2024-11-22", 0, 0), ("2024-11-23", 2, 2)]
    assert credits(read(books)) == days
    assert read(books).total == Sum(3 * CREDIT, 3)


@pytest.mark.parametrize(
    ("zone", "day"),
    [("UTC", "22"), ("Asia/Tokyo", "23"), ("America/New_York", "22"), ("Pacific/Kiritimati", "23")],
)
def test_days_are_those_of_the_requested_time_zone(books, charge, zone, day):
    charge(datetime(2024, 11, 22, 23, 59, 59, 999_999, tzinfo=UTC))
    spent = [name for name, amount, _ in credits(read(books, 5, zone)) if amount]
    assert spent == [f"2024-11-{day}"]


def test_a_day_on_which_the_clocks_change_is_whole(books, charge):
    """25 October 2026 has 25 hours in Berlin: 22:00 UTC to 23:00 UTC."""
    for moment in ("24T21:59", "24T22:00", "25T22:59", "25T23:00"):
        charge(datetime.fromisoformat(f"2026-10-{moment}:00+00:00"))
    result = read(books, 3, "Europe/Berlin", datetime(2026, 10, 26, 12, tzinfo=UTC))
    assert [calls for _, _, calls in credits(result)] == [1, 2, 1]


def test_sources_are_models_and_endpoints_with_the_largest_first(books, charge):
    charge(NOW)
    charge(NOW, "search-web", CALLED, -0.5)
    charge(NOW, "search-web", CALLED, -4)
    charge(NOW - timedelta(days=9), "old", CALLED)
    assert read(books).sources == [
        ("search-web", "endpoint", Sum(4_500_000, 2)),
        ("gen-5.4", "model", Sum(CREDIT, 1)),
    ]


def test_a_refund_and_a_late_rest_count_for_what_they_belong_to(books, charge):
    charge(NOW, "research", CALLED, -5)
    charge(NOW, "refund research", None, 3, "grant", "refund:job_1")
    charge(NOW, "granted", None, 50, "grant", "refund:by-hand")
    hold = books.reserve(2, "turn_1")
    books.do(ledger.extend, hold, CREDIT, 2 * CREDIT)
    books.sweep(later=3600)
    books.settle(hold, 2)
    result = read(books, 1, now=datetime.now(UTC))
    swept = ("interrupted", "interrupted", Sum(CREDIT, 1))
    assert result.sources == [("gen-5.4", "model", Sum(CREDIT, 0)), swept]
    assert read(books).sources == [("research", "endpoint", Sum(2 * CREDIT, 1))]


def test_the_route_adds_up_the_callers_own_account(alice, bob, books):
    alice.get("/api/credits")
    books.settle(books.reserve(2, "turn_1"), 1.5)
    answer = alice.get("/api/credits/spend", query_string={"days": 7}).json
    assert (answer["credits"], answer["calls"], len(answer["days"])) == (1.5, 1, 7)
    assert answer["days"][-1] | {"day": ""} == {"day": "", "credits": 1.5, "calls": 1}
    assert answer["sources"] == [{"what": "gen-5.4", "kind": "model", "credits": 1.5, "calls": 1}]
    assert bob.get("/api/credits/spend").json["sources"] == []
    assert len(bob.get("/api/credits/spend").json["days"]) == 30


@on_sqlite
@pytest.mark.parametrize(
    "query",
    [
        {"days": 0},
        {"days": 367},
        {"days": "x"},
        {"timeZone": "Mars/Olympus"},
        {"timeZone": "localtime"},
    ],
)
def test_a_bad_query_is_refused(alice, query):
    response = alice.get("/api/credits/spend", query_string=query)
    assert (response.status_code, list(response.json["details"])) == (400, list(query))


@on_sqlite
def test_a_year_in_a_zone_is_answered(alice):
    answer = alice.get("/api/credits/spend", query_string={"days": 366, "timeZone": "Asia/Tokyo"})
    assert len(answer.json["days"]) == 366
