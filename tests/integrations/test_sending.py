"""Requests of every method and body, answers of every form, credentials of every kind."""

import base64
import json
import socket
from dataclasses import replace
from email.parser import BytesParser

import pytest
from gevent.event import Event
from joserfc import jwt
from joserfc.jwk import OctKey

from service.integrations.calling import sending
from service.integrations.calling.call import Call, Resources
from service.integrations.declare import request
from service.integrations.declare.credential import Basic, HeaderKey, HeaderKeys, QueryKey, Signer
from service.integrations.declare.credential import bearer as bearer_key
from service.integrations.declare.fields import (
    Amount,
    Bytes,
    Choice,
    Count,
    Day,
    Parameters,
    Part,
    Several,
    Switch,
    Words,
)
from service.integrations.declare.request import Template, elsewhere
from service.integrations.declare.setting import Setting, base_url, secret
from service.integrations.declare.vendor import Vendor
from service.outbound import guarded
from service.outbound.upstream import Upstream
from service.web.errors import (
    Forbidden,
    InvalidRequest,
    NotConfigured,
    NotFound,
    UpstreamFailed,
    UpstreamTimedOut,
)
from tests.integrations.acme import weights
from tests.integrations.scripted_vendor import Said, ScriptedVendor

KEY, SECRET = secret("ANY_KEY", "a key"), secret("ANY_SECRET", "a secret" * 4)
VALUES = {"ANY_KEY": "k-canary", "ANY_SECRET": "s-canary-of-thirty-two-characters"}


@pytest.fixture
def said():
    scripted = ScriptedVendor()
    yield scripted
    scripted.stop()


@pytest.fixture
def call(said):
    """A call of a vendor with these facts, at the scripted server."""
    upstream = Upstream()

    def begin(seconds=5.0, bearer=None, **facts):
        bases = facts.pop("bases", (base_url("ANY_BASE_URL", said.url),))
        vendor = Vendor(integration="any", name="any", bases=bases, **facts)
        return Call(Resources(upstream, {}, VALUES), vendor, seconds=seconds, bearer=bearer)

    yield begin
    upstream.close()


class Inner(Parameters):
    name = Words(to="label.text", required=True)
    size = Count(least=1, most=9)


class Wide(Parameters):
    id = Words(to="path.id", required=True)
    many = Several(Words(), most=5, joined=",", to="query.many")
    mode = Choice("fast", "slow", to=("query.mode", "header.X-Mode"), theirs={"fast": "F"})
    on = Switch(to="query.on", theirs={True: 1, False: None})
    day = Day(to="json.span.from")
    part = Part(Inner, to="json.part")
    parts = Several(Part(Inner), most=3, to="json.list.items")


def filled(template, body, parameters=Wide):
    schema = parameters()
    return template.fill(schema, schema.load(body))


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method_is_sent_with_its_targets(said, call, method):
    template = Template(
        method=method, path="/things/{id}", query={"v": 2}, json={"span": {"to": 1}}
    )
    body = {
        "id": "a/b", "many": ["x", "y"], "mode": "fast", "on": True, "day": "2026-11-22",
        "part": {"name": "n", "size": 3}, "parts": [{"name": "m"}],
    }  # fmt: skip
    assert call().send(filled(template, body)) == {}
    seen = said.seen[0]
    assert (seen.method, seen.path) == (method, "/things/a%2Fb")
    assert seen.query == {"v": ["2"], "many": ["x,y"], "mode": ["F"], "on": ["1"]}
    assert seen.headers["x-mode"] == "F"
    assert seen.json == {
        "span": {"to": 1, "from": "2026-11-22"},
        "part": {"label": {"text": "n"}, "size": 3},
        "list": {"items": [{"label": {"text": "m"}}]},
    }


def test_a_value_that_has_no_counterpart_is_left_out(said, call):
    call().send(filled(request.get("/things/{id}"), {"id": "a", "on": False, "mode": "slow"}))
    assert said.seen[0].query == {"mode": ["slow"]}
    assert said.seen[0].body == b""


def test_a_body_whose_parameters_are_all_left_out_is_an_empty_object(said, call):
    call().send(filled(request.post("/things/{id}"), {"id": "a"}))
    assert said.seen[0].json == {}


def test_constants_are_not_changed_by_a_call(said, call):
    template = request.post("/things/{id}", json={"span": {"to": 1}})
    for day in ("2026-01-01", None):
        call().send(filled(template, {"id": "a", **({"day": day} if day else {})}))
    assert said.seen[1].json == {"span": {"to": 1}}


class Sited(Parameters):
    site = Words(to="base.site", required=True)


@pytest.mark.parametrize(
    "site", ["evil.example", "a/b", "a?", "a#", "a:1", "a@b", "-a", "a-", "ä", "a\n", "a" * 64]
)
def test_what_varies_in_a_host_is_one_label_of_it(site):
    with pytest.raises(InvalidRequest) as refused:
        filled(request.get("/"), {"site": site}, Sited)
    assert list(refused.value.facts["details"]) == ["site"]


class Marked(Parameters):
    mark = Words(to="header.X-Mark", least=0, most=50)


@pytest.mark.parametrize("mark", ["a\r\nX-Evil: 1", "a\n", "a\x7f", "a\tb", "é", "東京"])
def test_what_no_header_can_carry_is_the_callers_mistake(mark):
    """As the vendor's failure it would count for the breaker that all users share."""
    with pytest.raises(InvalidRequest) as refused:
        filled(request.get("/"), {"mark": mark}, Marked)
    assert list(refused.value.facts["details"]) == ["mark"]


@pytest.mark.parametrize("mark", ["", 'a b; c="d"'])
def test_a_header_carries_printable_ascii(said, call, mark):
    call().send(filled(request.get("/"), {"mark": mark}, Marked))
    assert said.seen[0].headers["x-mark"] == mark


class Form(Parameters):
    text = Words(to="form.text", required=True)
    on = Switch(to="form.on")
    size = Amount(least=0, most=1, to="form.size")
    image = Bytes(most=10, to="file.image")
    raw = Bytes(most=10, to="bytes")


def test_a_form_and_a_file_and_bytes_are_sent_as_such(said, call):
    encoded = base64.b64encode(b"\x89PNG").decode()
    call().send(filled(request.post("/a", form={"n": 1}), {"text": "ä b", "on": False}, Form))
    call().send(
        filled(request.post("/a"), {"text": "t", "on": True, "size": 0.5, "image": encoded}, Form)
    )
    call().send(filled(request.put("/a"), {"text": "t", "raw": encoded}, Form))
    form, multipart, raw = said.seen
    assert form.headers["content-type"] == "application/x-www-form-urlencoded"
    assert form.body == b"n=1&text=%C3%A4+b&on=false"
    head = f"Content-Type: {multipart.headers['content-type']}\r\n\r\n".encode()
    parts = BytesParser().parsebytes(head + multipart.body).get_payload()
    assert [part.get_payload(decode=True) for part in parts] == [b"t", b"true", b"0.5", b"\x89PNG"]
    assert raw.body == b"\x89PNG"


def test_an_answer_comes_in_the_form_that_was_declared(said, call):
    said.says(Said(b"<a>\xff", headers={"Content-Type": "text/xml; charset=x"}))
    assert call().send(filled(request.get("/{id}", returns="text"), {"id": "a"})) == "<a>�"
    wanted = filled(request.get("/{id}", returns="bytes"), {"id": "a"})
    assert call().send(wanted) == (b"<a>\xff", "text/xml")
    assert call().send(filled(request.get("/{id}", returns="reply"), {"id": "a"})).status == 200
    with pytest.raises(UpstreamFailed):
        call().send(filled(request.get("/{id}"), {"id": "a"}))


def test_an_answer_over_its_own_cap_is_refused(said, call):
    said.says({"a": "x" * 100})
    with pytest.raises(UpstreamFailed):
        call().send(filled(request.get("/{id}", limit=100), {"id": "a"}))
    assert call().send(filled(request.get("/{id}", limit=200), {"id": "a"}))["a"]


def test_an_answer_may_stand_for_a_status(said, call):
    said.says(Said({"error": "empty"}, 409))
    assert call().send(filled(request.get("/{id}", instead={409: []}), {"id": "a"})) == []


@pytest.mark.parametrize(
    ("template", "times"),
    [
        (request.get("/"), 3),
        (request.put("/"), 3),
        (request.post("/"), 1),
        (request.patch("/"), 1),
        (request.delete("/"), 1),
        (request.post("/", repeatable=True), 3),
        (request.patch("/", repeatable=True), 3),
    ],
)
def test_only_what_is_safe_is_sent_again(said, call, monkeypatch, template, times):
    monkeypatch.setattr(sending, "sleep", lambda seconds: None)
    said.says(Said({}, 503))
    with pytest.raises(UpstreamFailed):
        call().send(template.with_parts())
    assert len(said.seen) == times


def refuse(reply):
    return (
        Forbidden("no") if isinstance(reply.body, dict) and reply.body.get("ok") is False else None
    )


def test_a_vendor_may_refuse_with_status_200(said, call):
    said.says({"ok": False}, {"ok": True})
    with pytest.raises(Forbidden):
        call(refusal=refuse).send(request.get("/").with_parts())
    assert call(refusal=refuse).send(request.get("/").with_parts()) == {"ok": True}


def test_a_refusal_with_status_200_has_changed_nothing(said, call):
    """So that its idempotency key is free for a corrected call."""
    said.says({"ok": False})
    refused = call(refusal=refuse)
    with pytest.raises(Forbidden):
        refused.send(request.post("/").with_parts(json={"a": 1}))
    assert not refused.effects.may_have_acted


def test_a_request_may_carry_a_credential_of_its_own(said, call):
    own = replace(request.get("/").with_parts(), credential=HeaderKey(KEY, "X-Own"))
    call(credential=bearer_key(KEY)).send(own)
    assert said.seen[0].headers["x-own"] == "k-canary"
    assert "authorization" not in said.seen[0].headers


@pytest.mark.parametrize(
    ("credential", "header", "value"),
    [
        (HeaderKey(KEY, "X-Api-Key"), "x-api-key", "k-canary"),
        (bearer_key(KEY), "authorization", "Bearer k-canary"),
        (Basic(KEY), "authorization", f"Basic {base64.b64encode(b'k-canary:').decode()}"),
        (
            Basic(KEY, SECRET),
            "authorization",
            f"Basic {base64.b64encode(b'k-canary:' + VALUES['ANY_SECRET'].encode()).decode()}",
        ),
        (HeaderKeys({"X-Id": KEY, "X-Key": SECRET}), "x-key", VALUES["ANY_SECRET"]),
        (HeaderKeys({"X-Id": KEY, "X-Key": SECRET}), "x-id", "k-canary"),
    ],
)
def test_a_credential_stands_where_the_vendor_wants_it(said, call, credential, header, value):
    call(credential=credential).send(request.get("/").with_parts())
    assert said.seen[0].headers[header] == value
    call(credential=credential).send(request.get("/", has_key=False).with_parts())
    assert header not in said.seen[1].headers


def test_a_key_in_the_query_and_a_signed_token(said, call):
    call(credential=QueryKey(KEY, "token")).send(request.get("/").with_parts(query={"a": 1}))
    assert said.seen[0].query == {"a": ["1"], "token": ["k-canary"]}
    signer = Signer(KEY, SECRET, {"video": {"roomList": True}})
    call(credential=signer).send(request.get("/").with_parts())
    token = said.seen[1].headers["authorization"].removeprefix("Bearer ")
    claims = jwt.decode(token, OctKey.import_key(VALUES["ANY_SECRET"])).claims
    assert (claims["iss"], claims["video"]) == ("k-canary", {"roomList": True})
    assert claims["exp"] - claims["nbf"] == 60


FREE = Setting("ANY_BASE_URL", "where", default="https://free.example")


@pytest.mark.parametrize(
    ("values", "base"),
    [
        ({}, "https://free.example"),
        ({"ANY_KEY": "k"}, "https://paid.example"),
        ({"ANY_KEY": "k", "ANY_BASE_URL": "https://own.example"}, "https://own.example"),
    ],
)
def test_a_key_has_a_host_of_its_own_unless_an_operator_names_one(values, base):
    paid = {"credential": QueryKey(KEY, "key"), "with_key": {FREE.name: "https://paid.example"}}
    assert Vendor(integration="any", name="any", bases=(FREE,), **paid).base("", values) == base


def test_a_missing_setting_is_named_before_anything_is_sent(said, call):
    absent = secret("ABSENT_KEY", "not there")
    with pytest.raises(NotConfigured, match="ABSENT_KEY"):
        call(credential=bearer_key(absent))
    with pytest.raises(NotConfigured, match="ABSENT_ID"):
        call(settings=(Setting("ABSENT_ID", "an id", required=True),))
    assert said.seen == []


@pytest.fixture
def public(monkeypatch):
    """The scripted server counts as public, 127.0.0.2 does not."""
    monkeypatch.setattr(guarded, "is_public", lambda address: str(address) == "127.0.0.1")


def test_an_address_that_a_caller_names_gets_no_credential(said, call, public):
    said.says(Said(b"a page", headers={"Content-Type": "text/plain"}))
    answer = call(credential=bearer_key(KEY), headers={"X-Ours": "1"}).send(elsewhere(said.url))
    assert answer == (b"a page", "text/plain")
    assert not {"authorization", "x-ours"} & said.seen[0].headers.keys()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://localhost/", "http://[::1]/"])
def test_an_address_that_is_not_public_is_refused(call, url):
    with pytest.raises(InvalidRequest, match="public"):
        call().send(elsewhere(url))


@pytest.mark.parametrize("is_listening", [False, True])
def test_what_was_never_sent_has_changed_nothing(call, is_listening):
    """So that its idempotency key is free for another try. The one that listens never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        if not is_listening:
            listener.close()
        asking = call(seconds=0.3, bases=(base_url("ANY_BASE_URL", f"http://127.0.0.1:{port}"),))
        with pytest.raises((UpstreamFailed, UpstreamTimedOut)):
            asking.send(request.post("/").with_parts(json={"a": 1}))
    assert asking.effects.may_have_acted is is_listening


def test_an_address_that_fails_is_no_failure_of_the_vendor(said, call, public):
    """Or anybody could have its breaker opened for all."""
    said.says(Said({}, 500))
    asking = call()
    with pytest.raises(UpstreamFailed):
        asking.send(elsewhere(said.url))
    assert asking.effects.last_integration is None


def moved(to):
    return Said({}, 302, {"Location": to})


def test_redirects_of_such_an_address_are_followed_and_guarded_alike(said, call, public):
    said.says(moved("/there"), Said(b"found"))
    assert call().send(elsewhere(f"{said.url}/here"))[0] == b"found"
    assert [seen.path for seen in said.seen] == ["/here", "/there"]
    port = said.url.rpartition(":")[2]
    said.says(moved(f"http://127.0.0.2:{port}/"))
    with pytest.raises(InvalidRequest, match="public"):
        call().send(elsewhere(said.url))


@pytest.mark.parametrize("target", ["ftp://127.0.0.1/", "http://[", "//[::1/"])
def test_a_redirect_to_what_is_no_address_of_a_page_leads_nowhere(said, call, public, target):
    said.says(moved(target))
    with pytest.raises(NotFound):
        call().send(elsewhere(said.url))


def test_redirects_in_a_circle_end(said, call, public):
    said.says(moved("/"))
    with pytest.raises(NotFound):
        call().send(elsewhere(said.url))
    assert len(said.seen) == 5


def test_another_vendor_shares_the_deadline_and_not_the_credential(said, call):
    first = call(credential=bearer_key(KEY), seconds=3.0)
    other = Vendor(integration="other", name="other", bases=(base_url("OTHER_URL", said.url),))
    first.at(other).send(request.post("/").with_parts(json={"a": 1}))
    assert "authorization" not in said.seen[0].headers
    assert first.effects.may_have_acted
    assert first.at(other).seconds_left == pytest.approx(first.seconds_left, abs=0.5)


@pytest.mark.parametrize("kind", ["status", "body"])
def test_of_requests_at_the_same_time_each_counts_what_it_has_done(said, call, kind):
    """The first one is refused, and its answer is the last one to come."""
    is_done = Event()

    def answer(asked):
        if asked.json["number"]:
            is_done.set()
            return Said({"ok": True})
        is_done.wait(5)
        return Said({"ok": False}, status=400 if kind == "status" else 200)

    said.says(answer)
    asking = call(refusal=refuse)

    def ask(number):
        return asking.send(request.post("/").with_parts(json={"number": number}))

    with pytest.raises((Forbidden, InvalidRequest)):
        asking.each(ask, [0, 1])
    assert asking.effects.may_have_acted
    refused = call(refusal=refuse)
    said.says(Said({"ok": False}, status=400 if kind == "status" else 200))
    with pytest.raises((Forbidden, InvalidRequest)):
        refused.each(lambda _: refused.send(request.post("/").with_parts()), range(4))
    assert not refused.effects.may_have_acted


def test_an_endpoint_is_served_by_the_first_of_its_vendors_that_is_configured():
    other = Vendor(
        integration="other",
        name="other",
        bases=(base_url("OTHER_URL", "https://other.example"),),
        credential=bearer_key(KEY),
    )
    either = replace(weights, alternatives=(other,))
    key = {"ACME_API_KEY": "k"}
    served = [either.vendor_for({**VALUES, **key}), either.vendor_for(key), either.vendor_for({})]
    assert served == [weights.vendor] * 3
    assert (either.vendor_for(VALUES), weights.vendor_for(VALUES)) == (other, weights.vendor)


def test_json_keeps_what_a_client_sent(said, call):
    sent = {"text": "ä\U0001f600", "deep": [[1.5, None, True]]}
    call().send(request.post("/").with_parts(json=sent))
    assert json.loads(said.seen[0].body) == sent
