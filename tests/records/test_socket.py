"""The socket: subscriptions, operations, refusals."""

import json
import time
from contextlib import suppress

import gevent
import pytest
import requests
import websocket

from service.records.cursor import RUNNING
from service.records.query import decode_cursor, encode_cursor
from service.records.socket_operations import OPERATIONS
from tests.records.bulk_rows import MANY, announce, fill
from tests.records.subscribers import Subscriber, begins, connection, token_of
from tests.services import flask, wait_for
from tests.websocket_handshake import HANDSHAKE


def test_a_subscriber_sees_what_happens_to_its_records(subscriber, new_writer):
    alice, writer = subscriber(), new_writer()
    kept = writer.create("notes", title="before")
    assert alice.subscribe("notes") == [kept]
    made = writer.create("notes", title="first")
    changed = writer.update("notes", made["recordId"], text="more")
    writer.delete("notes", made["recordId"])
    assert alice.changes(3) == [
        ("added", made),
        ("updated", changed),
        ("removed", {"recordId": made["recordId"]}),
    ]


def test_the_handshake_has_the_id_of_its_request(subscriber):
    alice = subscriber(header={"X-Request-Id": "page-7"})
    assert alice.socket.headers["x-request-id"] == "page-7"


def test_text_that_is_not_utf8_is_refused_in_words(subscriber):
    alice = subscriber()
    alice.socket.send(b"\xff\xfe", websocket.ABNF.OPCODE_TEXT)
    _opcode, data = alice.socket.recv_data(control_frame=True)
    assert data == b"\x03\xeftext must be UTF-8"


def test_nobody_receives_changes_that_they_may_not_read(subscriber, new_writer):
    bob = subscriber("bob")
    bob.subscribe("notes")
    made = new_writer("alice").create("notes", title="mine")
    new_writer("alice").update("notes", made["recordId"], title="still mine")
    new_writer("alice").delete("notes", made["recordId"])
    his = new_writer("bob").create("notes", title="his")
    assert bob.changes(1) == [("added", his)]


def test_a_record_that_leaves_the_filter_is_removed_and_comes_back(subscriber, new_writer):
    alice, writer = subscriber(), new_writer()
    alice.subscribe("tasks", where={"or": [{"done": False}, {"done": None}]})
    task = writer.create("tasks", title="write")
    finished = writer.update("tasks", task["recordId"], done=True)
    writer.update("tasks", task["recordId"], title="write well")
    again = writer.update("tasks", task["recordId"], done=False)
    assert finished["data"]["done"] is True
    assert alice.changes(3) == [
        ("added", task),
        ("removed", {"recordId": task["recordId"]}),
        ("added", again),
    ]


def test_a_cursor_resumes_without_a_snapshot(subscriber, new_writer):
    first, writer = subscriber(), new_writer()
    first.subscribe("notes")
    one = writer.create("notes", title="one")
    assert first.changes(1) == [("added", one)]
    first.close()
    two = writer.create("notes", title="two")
    writer.delete("notes", one["recordId"])
    second = subscriber()
    second.send(op="subscribe", id="s", collection="notes", cursor=first.cursor)
    assert second.changes(2) == [("added", two), ("removed", {"recordId": one["recordId"]})]


def test_operations_write_through_the_same_store(subscriber, new_writer):
    alice = subscriber()
    made = alice.ask(op="create", id=1, collection="notes", data={"title": "by socket"})
    assert (made["type"], made["id"]) == ("ok", 1)
    record = made["record"]
    assert new_writer().call("GET", f"notes/{record['recordId']}").json() == record
    target = {"collection": "notes", "recordId": record["recordId"]}
    changed = alice.ask(op="update", id="u", **target, data={"text": "x"})
    assert changed["record"]["data"]["text"] == "x"
    stale = alice.ask(op="update", id="u", **target, data={}, ifMatch=record["updatedAt"])
    wrong = alice.ask(op="update", id="w", **target, data={}, ifMatch="yesterday")
    assert (stale["type"], stale["error"]) == ("error", "conflict")
    assert (wrong["error"], list(wrong["details"])) == ("invalid_request", ["ifMatch"])
    assert alice.ask(op="delete", id="d", **target) == {"type": "ok", "id": "d"}
    assert new_writer().call("GET", f"notes/{record['recordId']}").status_code == 404


def test_a_key_works_across_socket_and_http(subscriber, new_writer):
    alice, message = subscriber(), {"op": "create", "collection": "notes", "idempotencyKey": "k-1"}
    made = alice.ask(id=1, data={"title": "once"}, **message)["record"]
    assert alice.ask(id=2, data={"title": "once"}, **message)["record"] == made
    by_http = new_writer().call("POST", "notes", {"title": "once"}, **{"Idempotency-Key": "k-1"})
    assert by_http.json() == made
    assert alice.ask(id=3, data={"title": "other"}, **message)["error"] == "conflict"
    for key in ["", "a\tb", "\u00e9", "k" * 256, "k\n", 5]:
        error = alice.ask(id=4, data={"title": "t"}, **{**message, "idempotencyKey": key})
        assert list(error["details"]) == ["idempotencyKey"], key
    assert alice.subscribe("notes") == [made]


def test_unsubscribing_ends_the_changes(subscriber, new_writer):
    alice = subscriber()
    alice.subscribe("notes", id="n")
    alice.subscribe("tasks", id="t")
    assert alice.ask(op="unsubscribe", id="n") == {"type": "ok", "id": "n"}
    new_writer().create("notes", title="unheard")
    task = new_writer().create("tasks", title="heard")
    assert alice.read()["record"] == task


REFUSED = [
    ("not json", "invalid_request"),
    ("[]", "invalid_request"),
    ('{"op": "shout", "id": "x"}', "invalid_request"),
    ('{"op": "subscribe", "id": "x"}', "invalid_request"),
    ('{"op": "subscribe", "id": "x", "collection": "nothing"}', "not_found"),
    ('{"op": "subscribe", "id": "x", "collection": "notes", "where": {"no": 1}}',
     "invalid_request"),
    ('{"op": "subscribe", "id": "x", "collection": "notes", "more": 1}', "invalid_request"),
    ('{"op": "subscribe", "id": null, "collection": "notes"}', "invalid_request"),
    ('{"op": "unsubscribe", "id": "x"}', "not_found"),
    ('{"op": "create", "id": "x", "collection": "ai-messages", "data": {"role": "assistant"}}',
     "forbidden"),
    ('{"op": "create", "id": "x", "collection": "ai-chats", "data": {"title": "t"}}', "forbidden"),
    ('{"op": "create", "id": "x", "collection": "notes", "data": {"title": 5}}',
     "invalid_request"),
    ('{"op": "create", "id": "x", "collection": "notes", "data": {"title": "\\ud800"}}',
     "invalid_request"),
    ('{"op": "delete", "id": "x", "collection": "notes", "recordId": "absent"}', "not_found"),
]  # fmt: skip


def test_a_failed_operation_is_answered_and_leaves_the_connection_open(subscriber):
    alice = subscriber()
    for message, code in REFUSED:
        alice.socket.send(message)
        answer = alice.read()
        assert (answer["type"], answer["error"]) == ("error", code), (message, answer)
    assert alice.subscribe("notes") == []
    assert alice.ask(op="subscribe", id="s", collection="notes")["error"] == "conflict"
    assert alice.subscribe("ai-messages", id="m") == []


def test_the_refusal_of_an_unknown_operation_lists_those_that_there_are(subscriber):
    refused = subscriber().ask(op="shout", id="x")
    known = ", ".join(OPERATIONS)
    assert "subscribe, " in known
    assert refused["details"] == {"op": [f"Must be one of: {known}."]}


def test_an_id_may_be_half_a_surrogate_pair(subscriber, new_writer):
    alice = subscriber()
    assert alice.subscribe("notes", id="\ud800") == []
    note = new_writer().create("notes", title="t")
    assert alice.read()["id"] == "\ud800"
    assert alice.ask(op="unsubscribe", id="\ud800") == {"type": "ok", "id": "\ud800"}
    assert alice.subscribe("notes") == [note]


def test_a_thousand_subscriptions_are_refused_one_by_one(subscriber):
    alice = subscriber()
    for number in range(60):
        alice.send(op="subscribe", id=number, collection="notes")
    answers = [alice.read() for _ in range(60)]
    assert [a["type"] for a in answers] == ["snapshot"] * 50 + ["error"] * 10
    assert answers[-1]["error"] == "too_large"


def test_the_searches_in_the_filters_of_a_connection_are_limited(subscriber):
    alice = subscriber()
    for id, count in enumerate([20, 20, 10]):
        many = {"or": [{"title": {"contains": str(number)}} for number in range(count)]}
        assert alice.subscribe("notes", id=id, where=many) == []
    one = {"collection": "tasks", "where": {"title": {"contains": "x"}}}
    assert alice.ask(op="subscribe", id="more", **one)["error"] == "too_large"
    resumed = alice.ask(op="subscribe", id="more", cursor=alice.cursor, **one)
    assert resumed["error"] == "too_large"
    assert subscriber().subscribe("tasks", where=one["where"]) == []
    alice.ask(op="unsubscribe", id=2)
    assert alice.subscribe("tasks", id="more", where=one["where"]) == []


def test_a_snapshot_is_measured_in_bytes(subscriber, new_writer):
    writer = new_writer()
    for number in range(28):  # of 80,000 characters and 320,000 bytes
        writer.create("canvases", title=str(number), io={"text": "\U0001f600" * 80_000})
    answer = subscriber().ask(op="subscribe", id="s", collection="canvases")
    assert (answer["type"], answer["error"]) == ("error", "too_large")


@pytest.mark.parametrize("live_service", ["sqlite"], indirect=True)
def test_a_snapshot_has_at_most_5000_records(subscriber, live_service, own_name):
    fill(live_service, own_name("alice"), 5_001, "")
    alice = subscriber()
    answer = alice.ask(op="subscribe", id="s", collection="notes")
    assert (answer["type"], answer["error"]) == ("error", "too_large")
    but_one = {"title": {"ne": "0"}}
    assert len(alice.subscribe("notes", where=but_one)) == 5_000


def test_after_a_hundred_operations_at_once_twenty_a_second_are_answered(subscriber):
    alice, began = subscriber(), time.monotonic()
    for number in range(120):
        alice.send(op="unsubscribe", id=number)
    answers = [alice.read()["id"] for _ in range(120)]
    assert (answers, time.monotonic() - began > 0.95) == (list(range(120)), True)


def test_a_cursor_of_another_database_asks_for_a_resync(subscriber):
    alice = subscriber()
    alice.subscribe("notes")
    _, view, *place = decode_cursor(alice.cursor)
    foreign = encode_cursor(["elsewhere", view, *place])
    for cursor in ["", "\0", "nonsense", foreign, alice.cursor[:-6]]:
        answer = alice.ask(op="subscribe", id="r", collection="notes", cursor=cursor)
        assert answer == {"type": "resync", "id": "r"}


def test_a_forged_cursor_asks_for_a_resync(subscriber):
    """Each of its running transactions would be compared with every change."""
    alice = subscriber()
    alice.subscribe("notes")
    epoch, view, *place = decode_cursor(alice.cursor)
    own = [epoch, view, *place[:2]]
    far = 2**62
    for snapshot in ([far], [far, *range(RUNNING)], [place[0] + 1, *range(RUNNING + 1)]):
        forged = encode_cursor([*own, *snapshot])
        answer = alice.ask(op="subscribe", id="r", collection="notes", cursor=forged)
        assert answer == {"type": "resync", "id": "r"}


def test_a_connection_is_refused_before_the_upgrade(live_service):
    def refusal(**options):
        with pytest.raises(websocket.WebSocketBadStatusException) as error:
            Subscriber(live_service, "alice", **options)
        return error.value.status_code, json.loads(error.value.resp_body)["error"]

    assert refusal(token="nonsense") == (401, "unauthorized")
    assert refusal(seconds=-120) == (401, "unauthorized")
    url = f"{live_service.url}/api/records/socket"
    token = {"Authorization": f"Bearer {token_of(live_service, 'alice')}"}
    plain = requests.get(url, headers=token)
    assert (plain.status_code, plain.headers["Upgrade"]) == (426, "websocket")
    assert "`Upgrade: websocket`. A proxy in between may have removed it" in plain.json()["message"]
    upgrade = token | {"Upgrade": "websocket", "Connection": "Upgrade"}
    assert requests.get(url, headers=upgrade).json()["error"] == "invalid_request"
    older = requests.get(url, headers=upgrade | {"Sec-WebSocket-Version": "8"})
    assert (older.status_code, older.headers["Sec-WebSocket-Version"]) == (426, "13")
    foreign = requests.get(url, headers=upgrade | {"Origin": "https://evil.example"})
    assert (foreign.status_code, foreign.json()["error"]) == (403, "forbidden")
    assert "PUBLIC_URL" in foreign.json()["message"], "which an operator may have forgotten"


def test_a_handshake_without_a_host_is_refused_and_counts_as_no_socket(
    live_service, own_name, subscriber
):
    headers = HANDSHAKE | {"Authorization": f"Bearer {token_of(live_service, own_name('alice'))}"}
    lines = [f"{name}: {value}" for name, value in headers.items() if name != "Host"]
    asked = "\r\n".join(["GET /api/records/socket HTTP/1.1", *lines, "", ""]).encode()
    for _ in range(20):
        with connection(live_service.port, slow=False) as sock:
            sock.sendall(asked)
            assert sock.recv(4096).startswith(b"HTTP/1.1 400 ")
    assert subscriber().subscribe("notes") == []


def test_the_21st_socket_of_a_user_is_refused(subscriber):
    for _ in range(20):
        subscriber()
    with pytest.raises(websocket.WebSocketBadStatusException, match="429"):
        subscriber()
    subscriber("bob").subscribe("notes")


def test_sockets_that_are_opened_in_parallel_are_counted(live_service, own_name):
    def connect():
        try:
            return Subscriber(live_service, own_name("alice"))
        except websocket.WebSocketBadStatusException as error:
            return error.status_code

    def count():
        answers = [job.get() for job in [gevent.spawn(connect) for _ in range(40)]]
        opened = [answer for answer in answers if answer != 429]
        for one in opened:
            one.close()
        assert len(opened) <= 20
        return len(opened)

    assert count() == 20
    wait_for(lambda: count() == 20)  # once the server has seen them leave


SOON = 4  # seconds of a token's life: on a busy machine, a handshake may take some of them


def test_a_disabled_user_and_an_expired_token_end_the_session(subscriber, live_service, own_name):
    expiring, disabled = subscriber("bob", seconds=SOON), subscriber("carol")
    disabled.subscribe("notes")
    flask(live_service.database_url, "users", "disable", own_name("carol"))
    assert disabled.close_code() == 4401
    assert expiring.close_code() == 4401


def test_the_session_of_an_erased_and_new_user_ends(subscriber, live_service, own_name):
    idle, slow = subscriber("carol"), subscriber("carol", slow=True)
    for one in (idle, slow):
        assert one.subscribe("notes") == []
    flask(live_service.database_url, "users", "erase", "--yes", own_name("carol"))
    time.sleep(1)  # a token issued in the same second is revoked too
    back = subscriber("carol")
    assert back.subscribe("notes") == []
    assert [idle.close_code(), slow.close_code()] == [4401, 4401]
    assert back.subscribe("tasks", id="t") == []


def test_a_changed_role_changes_the_visible_records(subscriber, new_writer, live_service, own_name):
    root = subscriber("root", role="admin")
    assert root.subscribe("notes", where={"title": {"contains": "admins"}}) == []
    note = new_writer("alice").create("notes", title="seen by admins")
    assert root.changes(1) == [("added", note)]
    flask(live_service.database_url, "users", "role", own_name("root"), "user")
    assert root.read() == {"type": "resync", "id": "s"}
    assert root.subscribe("notes") == []
    new_writer("alice").update("notes", note["recordId"], title="no longer")
    own = new_writer("root").create("notes", title="own")
    assert root.changes(1) == [("added", own)]


@pytest.mark.parametrize(("before", "after"), [("user", "admin"), ("admin", "user")])
def test_a_cursor_ends_with_the_rights_that_it_was_given_for(
    subscriber, new_writer, own_name, before, after
):
    title = own_name("title")
    notes = {"op": "subscribe", "id": "s", "collection": "notes", "where": {"title": title}}
    of_alice = new_writer("alice").create("notes", title=title)
    first = subscriber("root", role=before)
    assert first.ask(**notes)["records"] == ([of_alice] if before == "admin" else [])
    second = subscriber("root", role=after)
    assert second.ask(**notes, cursor=first.cursor) == {"type": "resync", "id": "s"}
    assert second.ask(**notes)["records"] == ([of_alice] if after == "admin" else [])
    third = subscriber("root", role=after)
    third.send(**notes, cursor=second.cursor)
    own = new_writer("root").create("notes", title=title)
    assert third.changes(1) == [("added", own)]


@pytest.fixture
def backlog(subscriber, live_service, own_name):
    """A cursor before `MANY` large changes."""
    first = subscriber()
    first.subscribe("notes")
    first.close()
    announce(live_service, own_name("alice"))
    return first.cursor


def messages_until(listener, end):
    """Return the messages up to the first for which `end` is true."""
    messages = []
    while not messages or not end(messages[-1]):
        messages.append(listener.read())
    return messages


def names(messages, id):
    changed = [message["record"] for message in messages if message["id"] == id]
    return [record["data"]["title"] for record in changed]


def is_change_of(record):
    return lambda message: message.get("record") == record


def test_resuming_beside_a_slow_subscription_loses_nothing(subscriber, new_writer, backlog):
    before, writer = subscriber(), new_writer()
    before.subscribe("tasks")
    for title in ("one", "two"):
        writer.create("tasks", title=title)
    alice = subscriber(slow=True)
    alice.send(op="subscribe", id="large", collection="notes", cursor=backlog)
    assert begins(alice, 20)  # its backlog is being written
    alice.send(op="subscribe", id="small", collection="tasks", cursor=before.cursor)
    time.sleep(0.3)
    last = writer.create("tasks", title="three")
    messages = messages_until(alice, is_change_of(last))
    assert names(messages, "small") == ["one", "two", "three"]
    assert names(messages, "large") == [str(number) for number in range(MANY)]


def test_after_unsubscribing_no_pending_change_follows(subscriber, new_writer, backlog):
    alice = subscriber(slow=True)
    alice.send(op="subscribe", id="s", collection="notes", cursor=backlog)
    assert begins(alice, 20)
    alice.send(op="unsubscribe", id="s")
    alice.send(op="subscribe", id="s", collection="tasks")
    messages = messages_until(alice, lambda message: message["type"] == "snapshot")
    assert [message["type"] for message in messages[-2:]] == ["ok", "snapshot"]
    assert {message["type"] for message in messages[:-2]} == {"change"}
    assert len(messages) < MANY
    task = new_writer().create("tasks", title="of the second")
    assert alice.changes(1) == [("added", task)]


def test_an_ended_session_is_closed_for_a_slow_reader_too(
    subscriber, backlog, live_service, own_name
):
    disabled, expired = subscriber(slow=True), subscriber(slow=True, seconds=SOON)
    for listener in (disabled, expired):
        listener.send(op="subscribe", id="s", collection="notes", cursor=backlog)
    assert subscriber(seconds=SOON).close_code() == 4401  # the worker has noticed
    assert whole_messages(expired) < MANY
    reading = subscriber()
    flask(live_service.database_url, "users", "disable", own_name("alice"))
    assert reading.close_code() == 4401
    assert whole_messages(disabled) < MANY


def test_an_expired_token_writes_nothing_though_its_socket_is_open(subscriber):
    earliest = time.time() + 4  # its seconds are whole ones
    alice, expired = subscriber(seconds=5), time.time() + 5
    answers = []  # when each was sent, and how it was answered
    with suppress(websocket.WebSocketException, ConnectionError, ValueError):
        while True:
            sent = time.time()
            alice.send(op="create", id=1, collection="notes", data={"title": "t"})
            answer = json.loads(alice.socket.recv())
            answers.append((sent, answer.get("error", answer["type"])))
    assert (answers[0][1], time.time() > earliest) == ("ok", True)  # it was open until then
    assert {how for moment, how in answers if moment > expired} <= {"unauthorized"}


def whole_messages(listener):
    """Count the complete messages until the connection ends."""
    count = 0
    with suppress(websocket.WebSocketConnectionClosedException, ConnectionError):
        while listener.socket.recv():
            count += 1
    return count


def test_an_ending_worker_closes_its_sockets_for_a_restart(service):
    alice = Subscriber(service, "alice")
    alice.subscribe("notes")
    service.stop()
    assert alice.close_code() == 1012
    alice.close()


def test_what_a_column_checks_is_refused_here_too(subscriber):
    wrong = {"title": "t", "io": {"version": 0}}
    refused = subscriber().ask(op="create", id=1, collection="canvases", data=wrong)
    assert (refused["type"], refused["error"]) == ("error", "invalid_request")
