"""The Flask app without what the service does not use: what stays as Flask has it."""

import pytest
from flask import (
    Blueprint,
    Flask,
    Response,
    after_this_request,
    g,
    redirect,
    request,
    request_tearing_down,
    session,
)
from werkzeug.test import create_environ, run_wsgi_app

from service.app import PlainResponse, Service
from service.websockets.upgrade import WebSocketResponse


@pytest.fixture(params=[Service])
def app(request):
    return request.param("tried")


@pytest.fixture
def client(app):
    return app.test_client()


as_flask = pytest.mark.parametrize("app", [Service, Flask], indirect=True)


def test_checks_and_finishes_are_called_around_flasks_own(app, client):
    seen = []

    def note(name, returns=None):
        def called(*arguments):
            seen.append((name, len(arguments)))
            return arguments[0] if returns else None

        return called

    part = Blueprint("part", __name__)
    part.before_request(note("part before"))
    part.after_request(note("part after", returns=True))
    part.get("/")(lambda: "hello")
    app.check_requests(note("first"))
    app.check_requests(note("second"))
    app.finish_responses(note("last"))
    app.finish_responses(note("next to last"))
    app.before_request(note("before"))
    app.after_request(note("after", returns=True))
    app.register_blueprint(part)
    assert client.get("/").text == "hello"
    assert [name for name, _ in seen] == [
        *("first", "second", "before", "part before"),
        *("part after", "after", "next to last", "last"),
    ]


def test_a_check_gets_the_request_and_ends_it(app, client):
    def check(known, found, facts):
        assert known is app
        assert found.path == "/secret"
        facts.seen = True
        raise PermissionError

    app.check_requests(check)
    app.register_error_handler(PermissionError, lambda _: (str(g.seen), 403))
    app.get("/secret")(lambda: "never")
    answer = client.get("/secret")
    assert (answer.status_code, answer.text) == (403, "True")


@as_flask
def test_what_a_blueprint_asks_concerns_those_within_it(app, client):
    outer, inner = Blueprint("outer", __name__), Blueprint("inner", __name__)
    outer.before_request(lambda: ("refused", 403))
    inner.get("/inner")(lambda: "never")
    outer.register_blueprint(inner)
    app.register_blueprint(outer)
    assert client.get("/inner").status_code == 403


@as_flask
def test_a_view_can_change_the_response_to_its_request(app, client):
    def view():
        @after_this_request
        def mark(response):
            response.headers["X-Mark"] = "seen"
            return response

        return "hello"

    app.get("/")(view)
    assert client.get("/").headers["X-Mark"] == "seen"


@as_flask
@pytest.mark.parametrize(("status", "length"), [(200, "5"), (204, None), (304, None), (404, "5")])
def test_the_length_is_that_of_what_is_sent(app, client, status, length):
    app.get("/")(lambda: ("hello", status))
    assert client.get("/").headers.get("Content-Length") == length


@as_flask
def test_a_stream_has_no_length_and_a_head_has_one(app, client):
    app.get("/stream", endpoint="stream")(lambda: app.response_class(iter([b"a", b"b"])))
    app.get("/whole", endpoint="whole")(lambda: "whole")
    assert "Content-Length" not in client.get("/stream").headers
    assert client.head("/whole").headers["Content-Length"] == "5"


@as_flask
def test_a_list_of_texts_has_its_length(app, client):
    app.get("/")(lambda: app.response_class(["é", "b"]))
    assert client.get("/").headers["Content-Length"] == "3"


@as_flask
def test_addresses_in_headers_are_uris(app, client):
    app.get("/")(lambda: redirect("/é"))
    assert client.get("/").headers["Location"] == "/%C3%A9"


def test_a_response_keeps_its_class(app):
    """A socket's answers in its own way: made another, it would never open."""
    with app.test_request_context():
        own = WebSocketResponse.__new__(WebSocketResponse)
        assert type(app.make_response(own)) is WebSocketResponse
        assert type(app.make_response(Response("a"))) is Response
        assert type(app.make_response("a")) is PlainResponse


@as_flask
def test_addresses_are_found_as_flask_finds_them(app, client):
    app.get("/a/<path:rest>", endpoint="a")(
        lambda rest: f"{rest} {request.args.get('q')} {request.host}"
    )
    app.get("/folder/", endpoint="folder")(lambda: "folder")
    app.get("/", endpoint="root")(lambda: "root")
    assert client.get("/a/%C3%A9/b?q=%C3%BC").text == "é/b ü localhost"
    assert client.get("/folder?q=%C3%BC").headers["Location"] == "http://localhost/folder/?q=%C3%BC"
    bare = client.get("/", environ_overrides={"PATH_INFO": "", "SCRIPT_NAME": "/mount"})
    assert bare.headers["Location"] == "http://localhost/mount/"
    absent = create_environ("/")
    del absent["PATH_INFO"]
    assert run_wsgi_app(app, absent)[1] == "200 OK"
    odd = client.get("/a/b", headers={"Host": "é x"})  # which nobody can be sent to
    assert odd.status_code == 200
    assert client.get("/b", headers={"Upgrade": "websocket"}).status_code == 404


@as_flask
def test_a_remembered_address_is_found_again_for_its_method(app, client):
    def change(rest):
        request.view_args["rest"] = "changed"
        return f"{request.method} {rest}"

    app.get("/a/<path:rest>", endpoint="read")(change)
    app.post("/a/<path:rest>", endpoint="write")(change)
    app.get("/b", endpoint="b")(lambda: "b")
    for _ in range(2):
        assert client.get("/a/1").text == "GET 1"
        assert client.post("/a/1").text == "POST 1"
        assert client.get("/a/2", headers={"Host": "other"}).text == "GET 2"
        assert client.get("/b").text == "b"
        assert client.post("/b").status_code == 405
        assert set(client.options("/b").allow) == {"GET", "HEAD", "OPTIONS"}
        assert client.get("/c").status_code == 404


def test_few_addresses_are_remembered(app, client, monkeypatch):
    monkeypatch.setattr("service.app.KNOWN_ADDRESSES", 3)
    app.get("/<path:rest>")(lambda rest: rest)
    for number in range(10):
        assert client.get(f"/{number}").text == str(number)
        assert len(app._found) <= 3
    known = list(app._found)
    client.get("/" + "long" * 100)
    assert list(app._found) == known


@as_flask
@pytest.mark.parametrize("is_nested", [False, True])
def test_what_follows_a_request_is_called_as_flask_calls_it(app, client, is_nested):
    seen = []
    part = Blueprint("part", __name__)
    app.teardown_request(lambda error: seen.append(("app", type(error))))
    app.teardown_appcontext(lambda error: seen.append(("first", type(error))))
    app.teardown_appcontext(lambda error: seen.append(("second", type(error))))
    if is_nested:
        part.teardown_request(lambda error: seen.append(("part", type(error))))

    def fail():
        raise KeyError

    part.get("/")(fail)
    app.register_blueprint(part)
    with request_tearing_down.connected_to(lambda *_, exc: seen.append(("told", type(exc)))):
        assert client.get("/").status_code == 500
    of_part = [("part", KeyError)] if is_nested else []
    ends = [("second", KeyError), ("first", KeyError)]
    assert seen == [*of_part, ("app", KeyError), ("told", KeyError), *ends]
    seen.clear()
    assert client.get("/").status_code == 500
    assert seen == [*of_part, ("app", KeyError), *ends]


def test_nobody_can_use_a_session_by_mistake(app, client):
    def write():
        session["a"] = 1

    app.get("/")(write)
    app.testing = True
    with pytest.raises(RuntimeError, match="session is unavailable"):
        client.get("/")
