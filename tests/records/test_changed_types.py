"""A column whose type was changed: values of the type before count as none."""

from itertools import product

import pytest

from service.auth.users import Caller, enrol
from service.records import creation, match, store, where
from service.records.collection import Collection, Column
from service.records.store import Query
from tests.permissions.rule_collections import ACTIONS, OWNER

OLD = {
    "string": "abc",
    "number": 1.5,
    "integer": 7,
    "boolean": True,
    "datetime": "2026-01-02T03:04:05.000006Z",
    "array": ["abc"],
    "object": {"a": 1},
}
COMPARABLE = [type for type in OLD if type not in ("array", "object")]
OPERATORS = ("eq", "ne", "lt", "lte", "gt", "gte")


def test_records_from_before_a_column_was_required_come_last_in_pages(app):
    with app.app_context():
        enrol("alice")
        caller = Caller("alice", "user")
        for value in (3, None, 1, None, 2):
            creation.create(shelf("integer"), caller, {"value": value})
        required = shelf("integer", required=True)
        for sort, expected in (("value", [1, 2, 3]), ("-value", [3, 2, 1])):
            records = in_pages(required, sort)
            assert [r["data"].get("value") for r in records] == [*expected, None, None]


def in_pages(collection, sort):
    paged, cursor = [], None
    while cursor or not paged:
        query = Query(sort=sort, limit=2, cursor=cursor)
        page = store.find(collection, Caller("alice", "user"), query)
        paged, cursor = paged + page["records"], page["nextCursor"]
    return paged


def shelf(type, **more):
    columns = (OWNER, Column("value", type, **more))
    return Collection("shelf", columns, {"*": dict.fromkeys(ACTIONS, "own")})


@pytest.fixture
def stored(app):
    """One record for each type, and one of the form of a time that is none; and their owner."""
    with app.app_context():
        enrol("alice")
        caller = Caller("alice", "user")
        values = [*OLD.items(), ("string", "next week"), ("number", 8), ("number", 5.0)]
        yield [creation.create(shelf(type), caller, {"value": value}) for type, value in values]


def found(collection, **query):
    return store.find(collection, Caller("alice", "user"), Query(**query))["records"]


@pytest.mark.parametrize("type", COMPARABLE)
def test_a_value_of_another_type_matches_as_little_as_none(stored, type):
    collection, operand = shelf(type), OLD[type]
    filters = [{"value": {operator: operand}} for operator in OPERATORS]
    filters += [{"value": {"in": [operand]}}, {"value": None}, {"value": {"ne": None}}]
    if type == "string":
        filters += [{"value": {"contains": "b"}}, {"value": {"startsWith": "a"}}]
    for filter_ in filters:
        condition = where.parse(collection, "user", filter_)
        expected = [record for record in stored if match.matches(condition, record)]
        assert found(collection, where=filter_) == expected, filter_
    present = found(collection, where={"value": {"ne": None}})
    assert 0 < len(present) < len(stored)


def test_values_of_another_type_come_last_in_pages(stored):
    ids = sorted(record["recordId"] for record in stored)
    for collection, sort in product(map(shelf, COMPARABLE), ("value", "-value")):
        whole, paged = found(collection, sort=sort), in_pages(collection, sort)
        assert paged == whole
        assert sorted(record["recordId"] for record in paged) == ids
        present = found(collection, where={"value": {"ne": None}})
        assert sorted(map(repr, whole[: len(present)])) == sorted(map(repr, present))
