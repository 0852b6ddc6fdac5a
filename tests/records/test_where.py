"""Filters and orders: both databases find what plain Python finds, in the order it sorts."""

import random
import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from service.auth.users import Caller, enrol
from service.database import limited
from service.errors import InvalidRequest
from service.extensions import db
from service.records import match, store, where, writes
from service.records.collection import Collection, Column
from service.records.store import Query
from tests.depth import depth
from tests.permissions.declared import ACTIONS, OWNER, Base, Ticket
from tests.records.others import turns
from tests.services import on_sqlite

OWN = {"*": dict.fromkeys(ACTIONS, "own")}
SHARED = Collection(
    "shared",
    columns=(
        OWNER,
        Column("title"),
        Column("count", "integer"),
        Column("weight", "number"),
        Column("done", "boolean"),
        Column("due", "datetime"),
    ),
    permissions=OWN,
)
OF_ITS_OWN = Collection(
    "of-its-own",
    columns=(
        Column("holder", attribute="holder", required=True, fixed=True),
        Column("title", attribute="subject"),
        Column("count", "integer", "votes"),
        Column("weight", "number", "weight"),
        Column("done", "boolean", "open"),
        Column("due", "datetime", "due"),
    ),
    permissions=OWN,
    owner="holder",
    model=Ticket,
    record_id="number",
)
# Beside the shared collection in its table: the same names, but nothing that could be converted.
DECOY = Collection(
    "decoy", columns=(OWNER, *(Column(c.name) for c in SHARED.columns[1:])), permissions=OWN
)
NOTES = "/api/records/notes"
NAMES = [column.name for column in SHARED.columns[1:]]
TEXTS = st.text(st.sampled_from("aAb%_\\/\u00e9\u00df\ue000\U0001f600"), max_size=4) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=3
)
# Doubles that are one, though the numbers are not, and two, though 15 digits are the same.
CLOSE = st.sampled_from([2**53, 2**53 + 1, 0.3, 0.1 + 0.2, 0, -0.0])
INTEGERS = st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)
NUMBERS = INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | CLOSE
ZONES = st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m)))
MOMENTS = st.datetimes(datetime(1001, 1, 2), datetime(9998, 12, 30), timezones=ZONES | st.just(UTC))
VALUES = {
    "title": TEXTS,
    "count": INTEGERS,
    "weight": NUMBERS,
    "done": st.booleans(),
    "due": MOMENTS.map(datetime.isoformat),
}
SORTS = [None, *VALUES, *(f"-{name}" for name in VALUES), "recordId", "-createdAt"]
RECORD = st.fixed_dictionaries({name: st.none() | values for name, values in VALUES.items()})


@st.composite
def comparison(draw, records):
    """One column asked for one thing, more often than not about a value that a record has."""
    name = draw(st.sampled_from(sorted(VALUES)))
    present = [r[name] for r in records if r[name] is not None]
    value = draw(st.sampled_from(present) | VALUES[name] if present else VALUES[name])
    operators = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "bare", "null"]
    operator = draw(st.sampled_from(operators + (["contains", "startsWith"] * (name == "title"))))
    match operator:
        case "in":
            others = draw(st.lists(VALUES[name], max_size=2))
            return {name: {"in": [*others, value][: draw(st.integers(0, 3))]}}
        case "bare":
            return {name: value}
        case "null":
            return {name: draw(st.sampled_from([None, {"eq": None}, {"ne": None}]))}
        case "contains" | "startsWith":
            start, wild = draw(st.integers(0, len(value))), draw(st.sampled_from(["", "%", "_"]))
            part = value[start:][: draw(st.integers(0, 3))]
            return {name: {operator: draw(st.sampled_from([part, wild + part, part + wild]))}}
    return {name: {operator: value}}


@st.composite
def tree(draw, records, depth=3):
    """Some comparisons that must all hold, and perhaps alternatives."""
    whole = {}
    for part in draw(st.lists(comparison(records), max_size=2)):
        whole |= part
    if depth > 1 and draw(st.booleans()):
        whole["or"] = draw(st.lists(tree(records, depth=depth - 1), min_size=1, max_size=3))
    return whole


@st.composite
def asked(draw):
    records = draw(st.lists(RECORD, min_size=1, max_size=8))
    return records, draw(tree(records))


@pytest.fixture(params=[SHARED, OF_ITS_OWN], ids=lambda collection: collection.name)
def collection(app, request):
    """A collection of the shared table, and one with a table of its own."""
    with app.app_context():
        Base.metadata.create_all(db.engine)
        yield request.param


def write(collection, records):
    """Somebody new writes records; the caller and the envelopes."""
    caller = Caller(uuid.uuid4().hex, "user")
    enrol(caller.subject)
    writes.create(DECOY, caller, dict.fromkeys(NAMES, "not convertible"))
    return caller, [writes.create(collection, caller, record) for record in records]


def examples(count):
    return example_settings(
        max_examples=depth(count),
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@examples(80)
@given(drawn=asked())
@example(drawn=([{"title": "a"}, {"title": "%"}, {"title": "_"}], {"title": {"contains": "%"}}))
@example(drawn=([{"title": "ab"}, {"title": "a_"}], {"title": {"startsWith": "a_"}}))
@example(drawn=([{"weight": 2**53 + 1}], {"weight": 2**53}))
@example(drawn=([{"weight": 0.3}, {"weight": 0.1 + 0.2}], {"weight": 0.3}))
@example(drawn=([{"done": True}, {"done": False}, {}], {"done": {"gt": False}}))
def test_sql_finds_what_the_filter_matches(collection, drawn):
    records, filter_ = drawn
    caller, stored = write(collection, records)
    parsed = where.parse(collection, "user", filter_)
    expected = [record for record in stored if match.matches(parsed, record)]
    assert store.find(collection, caller, Query(where=filter_))["records"] == expected


@pytest.mark.parametrize("text", ["a", "\U0001f600"])
def test_a_text_is_found_by_a_thousand_characters_and_no_more(collection, text):
    caller, stored = write(collection, [{"title": text * 2_000}])
    for operator in ("contains", "startsWith"):
        asked = Query(where={"title": {operator: text * 1_000}})
        assert store.find(collection, caller, asked)["records"] == stored
        halves = [{"title": {operator: text * 500}}, {"title": {"contains": text * 501}}]
        with pytest.raises(InvalidRequest) as refused:
            store.find(collection, caller, Query(where={"or": halves}))
        assert "at most 1000 characters in all" in refused.value.facts["details"]["where"][0]


@pytest.mark.parametrize(
    ("comparison", "most"), [({"title": {"contains": "a"}}, 20), ({"count": 1}, 100)]
)
def test_a_filter_has_so_many_comparisons_and_no_more(collection, comparison, most):
    caller, _ = write(collection, [{}])
    assert store.find(collection, caller, Query(where={"or": [comparison] * most}))
    with pytest.raises(InvalidRequest) as refused:
        store.find(collection, caller, Query(where={"or": [comparison] * (most + 1)}))
    assert f"At most {most}" in refused.value.facts["details"]["where"][0]


def test_a_search_that_nearly_finds_its_text_everywhere_is_no_more_work(collection):
    """LIKE tries every place anew: it takes some ten seconds for these, and is ended."""
    caller, _ = write(collection, [{"title": "a" * 100_000}] * 40)
    with limited(4):
        asked = Query(where={"title": {"contains": "a" * 999 + "b"}})
        assert store.find(collection, caller, asked)["records"] == []


@on_sqlite
def test_others_run_while_texts_are_looked_through(app):
    """On SQLite, which works inside of the worker; and where a change is held against filters."""
    with app.app_context():
        caller, stored = write(SHARED, [{"title": "a" * 100_000}] * 40)
        asked = {"title": {"contains": "a" * 999 + "b"}}
        with turns() as in_sql:
            assert store.find(SHARED, caller, Query(where=asked))["records"] == []
        parsed = where.parse(SHARED, "user", asked)
        with turns() as in_memory:
            assert not any(match.matches(parsed, record) for record in stored)
    assert len(in_sql) > 5
    assert len(in_memory) > 5


@examples(40)
@given(records=st.lists(RECORD, min_size=1, max_size=9), seed=st.integers(0, 2**32))
def test_pages_join_to_the_sorted_whole(collection, records, seed):
    caller, stored = write(collection, [*records, *records[:2]])
    chance = random.Random(seed)
    for sort in SORTS:
        limit, paged = chance.randint(1, 4), []
        asked = Query(sort=sort, limit=limit)
        while asked:
            page = store.find(collection, caller, asked)
            paged += page["records"]
            assert len(page["records"]) <= asked.limit
            cursor = page["nextCursor"]
            asked = Query(sort=sort, limit=limit, cursor=cursor) if cursor else None
        assert paged == in_order(stored, sort), sort


@pytest.mark.parametrize("text", ["x", "\u00e9", "\U0001f600", "\x01", '"'])
def test_a_page_of_long_texts_goes_on_at_a_cursor_that_is_taken(alice, text):
    """They sort by their beginning; those that have the same keep the order of insertion."""
    begins = [text * 254, "b", "a", text * 254 + "a", text * 254 + "ab", text * 2_000]
    made = [alice.post(NOTES, {"title": "t", "text": b + "~" * 3_000}).json for b in begins]
    for direction in (1, -1):
        sort, found, cursor = ("text" if direction == 1 else "-text"), [], None
        while cursor or not found:
            asked = {"sort": sort, "limit": "1"} | ({"cursor": cursor} if cursor else {})
            page = alice.get(NOTES, query_string=asked)
            assert page.status_code == 200, page.json
            found, cursor = found + page.json["records"], page.json["nextCursor"]
        numbered = sorted((r["data"]["text"][:255], n) for n, r in enumerate(made))
        assert found == [made[n] for _, n in numbered][::direction]


@pytest.mark.parametrize("due", ["1001-01-01T00:00:00+14:00", "9998-12-31T23:59:59-14:00"])
def test_a_moment_outside_of_the_years_is_refused_wherever_its_offset_puts_it(alice, due):
    refused = alice.post("/api/records/tasks", {"title": "t", "due": due})
    assert (refused.status_code, list(refused.json["details"])) == (400, ["due"])


def in_order(records, sort):
    """As Python sorts, by insertion where values are equal; what has no value comes last."""
    name, direction = (
        (sort or "recordId").removeprefix("-"),
        -1 if (sort or "").startswith("-") else 1,
    )
    if sort is None:
        return records
    numbered = [(sortable(name, record), n) for n, record in enumerate(records)]
    present = sorted(pair for pair in numbered if pair[0] is not None)[::direction]
    absent = [pair for pair in numbered if pair[0] is None][::direction]
    return [records[n] for _, n in present + absent]


def sortable(name, record):
    value = record[name] if name in record else record["data"].get(name)
    if value is not None and (name in ("due", "createdAt")):
        return datetime.fromisoformat(value)
    return float(value) if name == "weight" and value is not None else value
