"""Reading collections: own rows only, filters, sorting, cursors."""

from urllib.parse import quote

import pytest

from tests.records import every_type
from tests.services import on_sqlite


@pytest.fixture
def titles(alice):
    for title in ["banana", "Apple", "cherry", "50%_off", "apple pie"]:
        alice.new_chat(title)
    return lambda **query: [r["data"]["title"] for r in alice.records("ai-chats", **query)]


@on_sqlite
def test_a_record_has_the_envelope(alice):
    chat = alice.new_chat("Plans")
    record = alice.get(f"/api/records/ai-chats/{chat}").json
    assert list(record) == ["recordId", "data", "createdAt", "updatedAt"]
    assert record["data"] == {"userId": "alice", "title": "Plans"}
    assert record == alice.records("ai-chats")[0]


@on_sqlite
def test_callers_see_only_their_own_records(alice, bob):
    chat = alice.new_chat()
    alice.turn(chat, "hello")
    assert bob.records("ai-chats") == []
    assert bob.records("ai-messages") == []
    theirs = bob.get(f"/api/records/ai-chats/{chat}")
    absent = bob.get("/api/records/ai-chats/absent")
    assert (theirs.status_code, theirs.json) == (absent.status_code, absent.json)
    assert theirs.status_code == 404
    assert [record["recordId"] for record in bob.records("users")] == ["bob"]


def test_the_default_order_is_insertion(titles):
    assert titles() == ["banana", "Apple", "cherry", "50%_off", "apple pie"]


def test_sorting_goes_both_ways(titles):
    assert titles(sort="title") == ["50%_off", "Apple", "apple pie", "banana", "cherry"]
    assert titles(sort="-title") == ["cherry", "banana", "apple pie", "Apple", "50%_off"]


FILTERS = [
    ({"title": "Apple"}, ["Apple"]),
    ({"title": {"ne": "Apple"}}, ["banana", "cherry", "50%_off", "apple pie"]),
    ({"title": {"gt": "b"}}, ["banana", "cherry"]),
    ({"title": {"gte": "banana", "lt": "cherry"}}, ["banana"]),
    ({"title": {"lte": "Apple"}}, ["Apple", "50%_off"]),
    ({"title": {"in": ["cherry", "Apple"]}}, ["Apple", "cherry"]),
    ({"title": {"in": []}}, []),
    ({"title": {"contains": "an"}}, ["banana"]),
    ({"title": {"contains": "APPLE"}}, []),
    ({"title": {"contains": "%_"}}, ["50%_off"]),
    ({"title": {"startsWith": "apple"}}, ["apple pie"]),
    ({"or": [{"title": "Apple"}, {"title": {"startsWith": "ch"}}]}, ["Apple", "cherry"]),
    ({"title": {"contains": "p"}, "or": [{"title": {"lt": "a"}}]}, ["Apple"]),
    ({"createdAt": {"gt": "2020-01-01T00:00:00Z"}, "title": "cherry"}, ["cherry"]),
    ({}, ["banana", "Apple", "cherry", "50%_off", "apple pie"]),
]


@pytest.mark.settings(extensions=every_type.__name__)
def test_the_longest_name_is_sorted_by_in_both_directions(alice):
    for text in ("a", "b"):
        record = {"needed": text, every_type.LONGEST: text}
        assert alice.post("/api/records/every-type", record).status_code == 201
    for sort, texts in ((every_type.LONGEST, ["a", "b"]), (f"-{every_type.LONGEST}", ["b", "a"])):
        answer = alice.get("/api/records/every-type", query_string={"sort": sort})
        assert [one["data"]["needed"] for one in answer.json["records"]] == texts


def test_filters_choose(titles):
    for where, expected in FILTERS:
        assert titles(where=where) == expected, where


BAD = [  # each with what the details name
    ({"where": "not json"}, "where"),
    ({"where": "[]"}, "where"),
    ({"where": '{"nope": 1}'}, "where.nope"),
    ({"where": '{"or": [{"title": "a"}, {"nope": 1}]}'}, "where.nope"),
    ({"where": '{"title": 5}'}, "where.title"),
    ({"where": '{"title": {"like": "x"}}'}, "where.title"),
    ({"where": '{"title": {"in": "x"}}'}, "where.title"),
    ({"where": '{"or": []}'}, "where"),
    ({"where": '{"createdAt": "yesterday"}'}, "where.createdAt"),
    ({"where": '{"createdAt": "2020-01-01T00:00:00"}'}, "where.createdAt"),
    ({"where": '{"title": "a\\u0000"}'}, "where.title"),
    ({"where": '{"or":[{"or":[{"or":[{"or":[{}]}]}]}]}'}, "where"),
    ({"sort": "nope"}, "sort"),
    ({"sort": "--title"}, "sort"),
    ({"limit": "0"}, "limit"),
    ({"limit": "201"}, "limit"),
    ({"limit": "many"}, "limit"),
    ({"cursor": "nonsense"}, "cursor"),
    ({"cursor": "WzEsMiwzXQ"}, "cursor"),
    ({"unknown": "1"}, "unknown"),
]


@on_sqlite
def test_a_bad_query_is_refused_and_the_details_name_the_parameter(alice):
    for query, name in BAD:
        response = alice.get("/api/records/ai-chats", query_string=query)
        assert (response.status_code, response.json["error"]) == (400, "invalid_request"), query
        assert list(response.json["details"]) == [name]


@on_sqlite
@pytest.mark.parametrize("column", ["parts", "absent"])
def test_what_can_not_be_compared_is_told_from_what_is_not_there(alice, column):
    def why(**query):
        response = alice.get("/api/records/ai-messages", query_string=query)
        assert response.status_code == 400
        [[reason]] = response.json["details"].values()
        return reason

    array = "A column of the type array can't be used to"
    start = {"parts": array, "absent": "No such column to"}[column]
    names = "chatId, userId, role, content, edited, recordId, createdAt, updatedAt"
    known = {"parts": "", "absent": f" Known: {names}."}[column]
    assert why(where=f'{{"{column}": null}}') == f"{start} filter by.{known}"
    assert why(sort=f"-{column}") == f"{start} sort by: -{column}.{known}"


@on_sqlite
@pytest.mark.parametrize(
    ("column", "more"), [("edited", ""), ("content", ", contains, startsWith")]
)
def test_the_refusal_of_an_unknown_operator_lists_those_of_the_column(alice, column, more):
    query = {"where": f'{{"{column}": {{"like": "x"}}}}'}
    details = alice.get("/api/records/ai-messages", query_string=query).json["details"]
    known = f"eq, ne, lt, lte, gt, gte, in{more}"
    told = f"No such operator for this column: like. Known: {known}."
    assert details == {f"where.{column}": [told]}


@on_sqlite
def test_a_column_without_an_operator_is_refused(alice):
    """`{eq: chat.id}` of an id that is not there is `{}` as JSON, and would find every record."""
    refused = alice.get('/api/records/tasks?where={"done":{}}')
    known = "eq, ne, lt, lte, gt, gte, in"
    assert refused.status_code == 400
    assert refused.json["details"] == {"where.done": [f"Needs an operator. Known: {known}."]}
    assert alice.get("/api/records/tasks?where={}").status_code == 200


AWKWARD = ["x/y", "/x", "x/", "x//y", "/", "..", "a b", "%41", "\u00fc", "a?b#c", "socket", "\n"]


@on_sqlite
@pytest.mark.parametrize("id", AWKWARD)
def test_any_id_of_a_message_works_in_a_path(alice, id):
    assert alice.turn(alice.new_chat(), "hello", userMessageId=id)
    path = f"/api/records/ai-messages/{quote(id, safe='')}"
    assert alice.get(path).json["data"]["content"] == "hello"
    assert alice.patch(path, {"content": "changed"}).json["recordId"] == id
    assert alice.delete(path).json == {"success": True}
    assert alice.get(path).status_code == 404


@on_sqlite
@pytest.mark.parametrize("id", [".", ".."])
def test_an_id_that_no_path_can_have_is_found_by_a_filter(alice, id):
    alice.turn(alice.new_chat(), "hello", userMessageId=id)
    [found] = alice.records("ai-messages", where={"recordId": {"eq": id}})
    assert (found["recordId"], found["data"]["content"]) == (id, "hello")


@on_sqlite
def test_other_paths_beside_the_records_are_unchanged(alice):
    assert alice.get("/api/records/notes/").json["error"] == "not_found"
    assert alice.get("/api/records/socket/x").json["error"] == "not_found"
    assert alice.post("/api/records/notes/x").status_code == 405


@on_sqlite
def test_an_unknown_collection_is_not_found(alice):
    assert alice.get("/api/records/nothing").status_code == 404
    assert alice.get("/api/records/socket").status_code == 426


@pytest.mark.parametrize("sort", [None, "title", "-title", "createdAt", "-updatedAt"])
def test_the_pages_together_are_the_list(alice, titles, sort):
    for title in ["same", "same", "same"]:
        alice.new_chat(title)
    whole = titles(**({"sort": sort} if sort else {}))
    paged, cursor = [], None
    while cursor is not None or not paged:
        query = {"limit": "2", **({"sort": sort} if sort else {})}
        query |= {"cursor": cursor} if cursor else {}
        page = alice.get("/api/records/ai-chats", query_string=query).json
        paged += [record["data"]["title"] for record in page["records"]]
        cursor = page["nextCursor"]
    assert paged == whole


def test_a_cursor_belongs_to_its_query(alice, titles):
    page = alice.get("/api/records/ai-chats", query_string={"limit": "1", "sort": "title"}).json
    query = {"limit": "1", "sort": "-title", "cursor": page["nextCursor"]}
    assert alice.get("/api/records/ai-chats", query_string=query).status_code == 400
