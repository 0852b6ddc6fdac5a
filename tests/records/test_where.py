"""Filters and orders: both databases agree with plain Python."""

import json
import random
import timeit
import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st
from sqlalchemy import literal, select

from service.auth.users import Caller, enrol
from service.extensions import db
from service.records import creation, match, store, where
from service.records.collection import Collection, Column
from service.records.query import encode_cursor
from service.records.store import Query
from service.web.errors import InvalidRequest
from tests.depth import depth
from tests.permissions.rule_collections import ACTIONS, OWNER, Base, Ticket
from tests.query_plans import blocks_read, noting_statements
from tests.records.greenlet_turns import count_greenlet_turns
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
# In the same table as the shared collection: the same names, but values that can't be converted.
DECOY = Collection(
    "decoy", columns=(OWNER, *(Column(c.name) for c in SHARED.columns[1:])), permissions=OWN
)
NOTES = "/api/records/notes"
TURNS = "/api/records/ai-turns"
NAMES = [column.name for column in SHARED.columns[1:]]
TEXTS = st.text(st.sampled_from("aAb%_\\/\u00e9\u00df\ue000\U0001f600"), max_size=4) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=3
)
# Different numbers with one double, and different doubles with the same first 15 digits.
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
    """A comparison of a column, usually with a value that a record has."""
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
def query(draw):
    records = draw(st.lists(RECORD, min_size=1, max_size=8))
    return records, draw(tree(records))


@pytest.fixture(params=[SHARED, OF_ITS_OWN], ids=lambda collection: collection.name)
def collection(app, request):
    """A collection of the shared table, and one with a table of its own."""
    with app.app_context():
        Base.metadata.create_all(db.engine)
        yield request.param


def write(collection, records):
    """Write records as a new caller; return the caller and the envelopes."""
    caller = Caller(uuid.uuid4().hex, "user")
    enrol(caller.subject)
    creation.create(DECOY, caller, dict.fromkeys(NAMES, "not convertible"))
    return caller, [creation.create(collection, caller, record) for record in records]


def examples(count):
    return example_settings(
        max_examples=depth(count),
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@examples(30)
@given(drawn=query())
@example(drawn=([{"title": "a"}, {"title": "%"}, {"title": "_"}], {"title": {"contains": "%"}}))
@example(drawn=([{"title": "ab"}, {"title": "a_"}], {"title": {"startsWith": "a_"}}))
@example(drawn=([{"weight": 2**53 + 1}], {"weight": 2**53}))
@example(drawn=([{"weight": 0.3}, {"weight": 0.1 + 0.2}], {"weight": 0.3}))
@example(drawn=([{"done": True}, {"done": False}, {}], {"done": {"gt": False}}))
def test_sql_finds_what_the_filter_matches(collection, drawn):
    records, filter_ = drawn
    caller, stored = write(collection, records)
    condition = where.parse(collection, "user", filter_)
    expected = [record for record in stored if match.matches(condition, record)]
    assert store.find(collection, caller, Query(where=filter_))["records"] == expected


@pytest.mark.parametrize("text", ["a", "\U0001f600"])
def test_a_search_takes_at_most_a_thousand_characters(collection, text):
    caller, stored = write(collection, [{"title": text * 2_000}])
    for operator in ("contains", "startsWith"):
        query = Query(where={"title": {operator: text * 1_000}})
        assert store.find(collection, caller, query)["records"] == stored
        halves = [{"title": {operator: text * 500}}, {"title": {"contains": text * 501}}]
        with pytest.raises(InvalidRequest) as error:
            store.find(collection, caller, Query(where={"or": halves}))
        assert "at most 1000 characters together" in error.value.facts["details"]["where"][0]


@pytest.mark.parametrize(
    ("comparison", "most"), [({"title": {"contains": "a"}}, 20), ({"count": 1}, 100)]
)
def test_the_comparisons_of_a_filter_are_limited(collection, comparison, most):
    caller, _ = write(collection, [{}])
    assert store.find(collection, caller, Query(where={"or": [comparison] * most}))
    with pytest.raises(InvalidRequest) as error:
        store.find(collection, caller, Query(where={"or": [comparison] * (most + 1)}))
    assert f"At most {most}" in error.value.facts["details"]["where"][0]


def test_the_lists_of_a_filter_take_a_thousand_values_together(collection):
    caller, stored = write(collection, [{"count": 199}])
    lists = [{"count": {"in": list(range(200))}}] * 5
    assert store.find(collection, caller, Query(where={"or": lists}))["records"] == stored
    with pytest.raises(InvalidRequest) as error:
        store.find(collection, caller, Query(where={"or": [*lists, {"count": {"in": [1]}}]}))
    assert "at most 1000 values in all" in error.value.facts["details"]["where"][0]


def test_a_search_with_many_near_matches_is_fast(collection):
    """LIKE compares again at every place, which takes more than ten times as long."""
    text, part = "a" * 100_000, "a" * 999 + "b"
    caller, _ = write(collection, [{"title": text}])

    def search():
        query = Query(where={"title": {"contains": part}})
        assert store.find(collection, caller, query)["records"] == []

    def search_by_like():
        assert not db.session.scalar(select(literal(text).like(f"%{part}%")))

    seconds = {search: [], search_by_like: []}
    for _ in range(3):
        for one, measured in seconds.items():
            measured += timeit.repeat(one, number=1, repeat=1)
    assert 2 * min(seconds[search]) < min(seconds[search_by_like])


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_many_comparisons_of_a_column_read_it_as_often_as_a_few(collection):
    """PostgreSQL would parse or decompress each text again for each comparison."""
    text = "z" + random.Random(1).randbytes(20_000).hex()  # it takes at least four blocks
    caller, _ = write(collection, [{"title": text}] * 10)

    def blocks(count: int) -> int:
        query = Query(where={"or": [{"title": {"lt": f"a{number}"}} for number in range(count)]})
        with noting_statements(db.engine) as statements:
            assert store.find(collection, caller, query)["records"] == []
        return blocks_read(statements)

    few, many = blocks(2), blocks(100)
    assert 40 < many <= few


@on_sqlite
def test_other_greenlets_run_during_a_search(app):
    """On SQLite, which runs inside the worker, and in matching changes against filters."""
    with app.app_context():
        caller, stored = write(SHARED, [{"title": "a" * 100_000}] * 40)
        query = {"title": {"contains": "a" * 999 + "b"}}
        with count_greenlet_turns() as in_sql:
            assert store.find(SHARED, caller, Query(where=query))["records"] == []
        condition = where.parse(SHARED, "user", query)
        with count_greenlet_turns() as in_memory:
            assert not any(match.matches(condition, record) for record in stored)
    assert len(in_sql) > 5
    assert len(in_memory) > 5


@examples(10)
@given(records=st.lists(RECORD, min_size=1, max_size=9), seed=st.integers(0, 2**32))
def test_the_pages_together_are_the_sorted_list(collection, records, seed):
    caller, stored = write(collection, [*records, *records[:2]])
    chance = random.Random(seed)
    for sort in SORTS:
        limit, paged = chance.randint(1, 4), []
        query = Query(sort=sort, limit=limit)
        while query:
            page = store.find(collection, caller, query)
            paged += page["records"]
            assert len(page["records"]) <= query.limit
            cursor = page["nextCursor"]
            query = Query(sort=sort, limit=limit, cursor=cursor) if cursor else None
        assert paged == in_order(stored, sort), sort


@pytest.mark.parametrize("text", ["x", "\u00e9", "\U0001f600", "\x01", '"'])
def test_the_cursor_of_a_page_of_long_texts_is_accepted(alice, text):
    """Long texts sort by their beginning, and equal ones by insertion."""
    begins = [text * 254, "b", "a", text * 254 + "a", text * 254 + "ab", text * 2_000]
    made = [alice.post(NOTES, {"title": "t", "text": b + "~" * 3_000}).json for b in begins]
    for direction in (1, -1):
        sort, records, cursor = ("text" if direction == 1 else "-text"), [], None
        while cursor or not records:
            query = {"sort": sort, "limit": "1"} | ({"cursor": cursor} if cursor else {})
            page = alice.get(NOTES, query_string=query)
            assert page.status_code == 200, page.json
            records, cursor = records + page.json["records"], page.json["nextCursor"]
        numbered = sorted((r["data"]["text"][:255], n) for n, r in enumerate(made))
        assert records == [made[n] for _, n in numbered][::direction]


@pytest.mark.parametrize("due", ["1001-01-01T00:00:00+14:00", "9998-12-31T23:59:59-14:00"])
def test_a_time_out_of_range_is_refused_with_any_offset(alice, due):
    error = alice.post("/api/records/tasks", {"title": "t", "due": due})
    assert (error.status_code, list(error.json["details"])) == (400, ["due"])


def test_a_filter_takes_numbers_beyond_the_width_of_the_tables_column(alice):
    """`steps` is stored in 32 bits, and an integer of the API has 64."""
    for number in (2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1):
        for steps in (number, {"in": [number]}, {"gte": number} if number > 0 else {"lte": number}):
            found = alice.get(TURNS, query_string={"where": json.dumps({"steps": steps})})
            assert (found.status_code, found.json["records"]) == (200, []), steps
        last = encode_cursor(["steps", number, 1])
        page = alice.get(TURNS, query_string={"sort": "steps", "cursor": last})
        assert (page.status_code, page.json["records"]) == (200, []), number


def in_order(records, sort):
    """Sort in Python: equal values by insertion, and missing values last."""
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
