"""A greenlet of the feed or of a session that fails closes its sockets, and starts anew."""

import pytest

from tests.records.http_writer import HttpWriter
from tests.records.subscribers import Subscriber
from tests.services import Service


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def live_service(request, databases):
    url = databases.make(request.param)
    with Service(url, EXTENSIONS="tests.records.failing_filters") as service:
        yield service.start()


@pytest.fixture
def log(live_service):
    return live_service.log.read_text


def test_a_feed_that_fails_closes_its_sockets_and_starts_anew(subscriber, new_writer, log):
    alice, bob, at_hand = subscriber("alice"), subscriber("bob"), new_writer("bob")
    bob.subscribe("notes")
    alice.subscribe("shelf", where={"title": {"startsWith": "a"}})
    at_hand.create("notes", title="before")
    assert [record["data"]["title"] for _, record in bob.changes(1)] == ["before"]
    new_writer("alice").create("shelf", title="abc")
    assert (alice.close_code(), bob.close_code()) == (1011, 1011)
    again = subscriber("bob")
    again.send(op="subscribe", id="s", collection="notes", cursor=bob.cursor)
    at_hand.create("notes", title="after")
    assert [record["data"]["title"] for _, record in again.changes(1)] == ["after"]
    assert '"work": "feed"' in log()


def test_a_writer_that_fails_closes_its_socket_alone(subscriber, new_writer, log):
    alice, bob = subscriber("alice"), subscriber("bob")
    cursor = alice.ask(op="subscribe", id="a", collection="shelf")["cursor"]
    bob.subscribe("notes")
    new_writer("alice").create("shelf", title="abc")
    alice.changes(1)
    missed = {"where": {"title": {"startsWith": "a"}}, "cursor": cursor}
    alice.send(op="subscribe", id="b", collection="shelf", **missed)
    assert alice.close_code() == 1011
    new_writer("bob").create("notes", title="after")
    assert [record["data"]["title"] for _, record in bob.changes(1)] == ["after"]
    assert '"work": "socket"' in log()


def test_a_column_may_list_its_roles(live_service, own_name):
    admin = Subscriber(live_service, own_name("admin"), role="admin")
    admin.subscribe("shelf", where={"grade": "x"})
    HttpWriter(live_service, own_name("admin"), "admin").create("shelf", title="t", grade="x")
    assert [action for action, _ in admin.changes(1)] == ["added"]
    admin.close()
