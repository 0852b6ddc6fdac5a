"""Every combination of collection, role, action and door answers as declared."""

import pytest

from tests.permissions import rule_collections
from tests.permissions.all_collections import COLLECTIONS, title_of
from tests.permissions.doors import DOORS, Socket, Tools, Turns, on_sqlite

ROLES = ("user", "editor", "admin", "stranger")  # no collection declares `stranger`
# All doors call the same functions, whose statements are nearly the same on both databases.
DOORS_OF = {"sqlite": DOORS, "postgresql": {"http": DOORS["http"]}}
NEVER_WRITTEN = {"users", "ai-messages", "ai-turns", "integration-calls"}


def expected(collection, role, two):
    """Return the expected answer of a cell by the declaration."""
    permissions = collection.permissions
    declared_for = permissions[role] if role in permissions else permissions.get("*", {})
    rule = {action: declared_for.get(action, False) for action in rule_collections.ACTIONS}
    own = {True: "allowed", "own": "allowed", False: "forbidden"}
    other = {True: "allowed", "own": "not_found", False: "forbidden"}
    listed = {True: {two.own, two.other}, "own": {two.own}, False: "forbidden"}
    return {
        "list": listed[rule["read"]],
        "read own": own[rule["read"]],
        "read other's": other[rule["read"]],
        "create": own[rule["create"]],
        "update own": own[rule["update"]],
        "update other's": other[rule["update"]],
        "delete own": own[rule["delete"]],
        "delete other's": other[rule["delete"]],
    }


def answers_of(place, collection, door, two):
    """Return each cell's answer, and check that reads and refusals change nothing."""
    name, data = collection.name, {title_of(collection.name): "written"}
    asking = {
        "list": lambda: door.list(name),
        "read own": lambda: door.read(name, two.own),
        "read other's": lambda: door.read(name, two.other),
        "create": lambda: door.create(name, data),
        "update own": lambda: door.update(name, two.own, data),
        "update other's": lambda: door.update(name, two.other, data),
        "delete own": lambda: door.delete(name, two.own),
        "delete other's": lambda: door.delete(name, two.other),
    }
    answers, before = {}, place.state(collection, two.me, two.them)
    for cell, ask in asking.items():
        answer, after = ask(), place.state(collection, two.me, two.them)
        writes = cell != "list" and not cell.startswith("read")
        assert (after != before) == (writes and answer == "allowed"), cell
        before = after
        answers[cell] = answer & {two.own, two.other} if isinstance(answer, set) else answer
    return answers


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_cell_answers_as_declared(place, enter, two, name, role):
    collection = COLLECTIONS[name]
    for door in DOORS_OF[place.kind].values():
        seeded = two(collection)
        answers = answers_of(place, collection, enter(door, seeded.me, role), seeded)
        assert answers == expected(collection, role, seeded), door


@on_sqlite
@pytest.mark.parametrize("role", ROLES)
def test_turns_answer_as_declared(place, enter, two, role):
    collection = COLLECTIONS["grid-2"]
    seeded = two(collection)
    answers = answers_of(place, collection, enter(Turns, seeded.me, role), seeded)
    assert answers == expected(collection, role, seeded)


def test_the_table_has_every_rule_for_every_action_and_role():
    every = {
        (role, action, rule)
        for collection in COLLECTIONS.values()
        for role, rules in collection.permissions.items()
        for action, rule in rules.items()
    }
    roles = ("user", "editor", "admin")
    assert every >= {
        (r, a, rule)
        for r in roles
        for a in rule_collections.ACTIONS
        for rule in (True, False, "own")
    }


@on_sqlite
@pytest.mark.parametrize("role", ROLES)
def test_the_lookups_return_the_declared_rules(place, enter, role):
    tools = enter(Tools, place.called("me"), role)
    readable = []
    for name, collection in COLLECTIONS.items():
        permissions = collection.permissions
        rules = permissions[role] if role in permissions else permissions.get("*", {})
        whole = {action: rules.get(action, False) for action in rule_collections.ACTIONS}
        output, error = tools.call("schema.describe", collection=name)
        assert (error is None) is any(whole.values()), name
        assert error or output["permissions"] == whole, name
        readable += [name] if whole["read"] else []
    assert set(tools.call("schema.list")[0]["collections"]) == set(readable)


@on_sqlite
@pytest.mark.parametrize("role", ROLES)
def test_the_route_lists_the_collections_as_the_lookups_describe_them(place, enter, role):
    me = place.called("me")
    tools = enter(Tools, me, role)
    answer = enter(DOORS["http"], me, role).person.get("/api/records").json["collections"]
    assert [one["name"] for one in answer] == tools.call("schema.list")[0]["collections"]
    for one in answer:
        assert one.pop("owner") == COLLECTIONS[one["name"]].owner
        assert one == tools.call("schema.describe", collection=one["name"])[0]


@on_sqlite
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", sorted(COLLECTIONS.keys() - NEVER_WRITTEN))
def test_changes_are_sent_as_declared(enter, two, name, role):
    """Another user writes a record, and the rule for reading decides who receives the change."""
    collection = COLLECTIONS[name]
    seeded = two(collection)
    listed = expected(collection, role, seeded)["list"]
    if listed == "forbidden":
        return
    socket = enter(Socket, seeded.me, role)
    socket.subscriber.subscribe(name)
    socket.subscriber.subscribe("canvases", id="barrier")
    for owner, record_id in ((seeded.them, seeded.other), (seeded.me, seeded.own)):
        writer = enter(DOORS["http"], owner, who_may_update(collection))
        assert writer.update(name, record_id, {title_of(name): "changed"}) == "allowed"
    assert enter(DOORS["http"], seeded.me, role).create("canvases", {"title": "end"}) == "allowed"
    received = set()
    while (message := socket.subscriber.read())["id"] != "barrier":
        received.add(message["record"]["recordId"])
    assert received == listed


def who_may_update(collection):
    """Return a role that may update its own records."""
    return next(
        role for role, rules in collection.permissions.items() if rules.get("update", False)
    )
