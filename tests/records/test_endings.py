"""Sessions on the socket whose endings cross something else, and what a refusal holds."""

import json

import gevent
import pytest

from service.extensions import db
from service.records.socket import _serve
from service.records.socket_operations import answer
from service.websockets.websocket import Closed
from tests.records.board import subscription
from tests.services import on_sqlite
from tests.websocket_handshake import HANDSHAKE

pytestmark = on_sqlite


def apply_role(app, session):
    with app.app_context():
        session._apply_role()


def test_a_subscription_that_ends_while_the_end_of_another_is_sent_ends_once(board):
    session = board.session()
    session.subscriptions = {id: subscription(id) for id in ("first", "second")}
    board.audiences.leave(session)
    with session.socket._message_lock:
        applying = gevent.spawn(apply_role, board.app, session)
        gevent.sleep(0.1)  # it waits to send the first end
        assert session.unsubscribe("second")
        session.subscriptions["second"] = another = subscription("second")
    applying.get()
    assert board.read(session).count(b'"type":"error"') == 1
    assert session.subscriptions == {"second": another}


def test_a_socket_that_begins_during_the_drain_is_closed_for_a_restart(board):
    session = board.session()
    board.audiences.leave(session)
    board.app.extensions["lifecycle"].draining = True
    with pytest.raises(Closed) as closed:
        _serve(board.app, session, session.socket)
    assert closed.value.code == 1012


def test_a_worker_that_drains_opens_no_socket(app, alice):
    app.extensions["lifecycle"].draining = True
    headers = HANDSHAKE | {"Authorization": f"Bearer {alice.token}"}
    refused = alice.client.get("/api/records/socket", headers=headers)
    assert (refused.status_code, refused.json["error"]) == (503, "draining")
    assert app.extensions["concurrency"].count("sockets") == 0


def test_a_refusal_that_its_client_reads_slowly_holds_no_connection(board):
    session, in_use = board.session(), []
    session.send = lambda _: in_use.append(db.engine.pool.checkedout())
    absent = {"op": "delete", "id": 1, "collection": "ai-chats", "recordId": "absent"}
    with board.app.app_context():
        answer(session, board.app.extensions["collections"], json.dumps(absent))
    assert in_use == [0]


def test_a_worker_with_too_many_sockets_closes_only_quiet_ones(board):
    busy, behind, *quiet = [board.session() for _ in range(4)]
    feed = board.app.extensions["feed"]
    feed._listeners.update([busy, behind, *quiet])
    behind._pending = True
    with busy.asking:
        gevent.sleep(0.05)
        moved = [feed.move(9, 60), feed.move(1, 0.01)]
        gevent.sleep(0.05)
        moved.append(sum(one.socket.closed for one in quiet))
        feed.move(9, 0.01)
        gevent.sleep(0.05)
    assert moved == [0, 1, 1]
    assert [one.socket.closed for one in (busy, behind)] == [False, False]
    assert [one.socket.code for one in quiet] == [1012, 1012]
    feed._listeners.clear()
