"""Which example answers a request to a vendor's stand-in."""

from dataclasses import replace

import pytest
import requests
from structlog.testing import capture_logs

from service.integrations.declare.catalog import Catalog
from service.integrations.declare.credential import bearer
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Parameters, Values, Words
from service.integrations.declare.request import get, post
from service.integrations.declare.setting import Setting, base_url, secret
from service.integrations.declare.shape import Shape
from service.integrations.declare.task import Job, Task
from service.integrations.declare.vendor import Vendor
from service.sandbox.matching import Rules, VendorRequest, fits
from service.sandbox.vendors import KEY, blueprint, redirect_vendors
from tests.services import on_sqlite

SPORTS = Vendor(
    integration="sports",
    name="sports",
    bases=(
        base_url("FOOTBALL_URL", "https://f.example"),
        base_url("BALL_URL", "https://b.example"),
    ),
)
OTHER = replace(SPORTS, name="other", bases=(base_url("OTHER_URL", "https://o.example"),))


class Anything(Parameters):
    team = Words("Any.", to="path.team", default="a")


class Body(Parameters):
    body = Values("Any.", to="json", default={})


def endpoint(*exchanges, name="sports-teams", vendor=SPORTS, asks=None, **facts):
    return Endpoint(
        name=name, vendor=vendor, category="sports", summary="Any.", docs="https://d.example",
        takes=Anything if asks and asks.pieces else Body, asks=asks or post("/none"),
        gives=Shape(name="name"), examples=(Example({}, exchanges),), **facts,
    )  # fmt: skip


def answer(rules, method, target, base="FOOTBALL_URL", **facts):
    path, _, query = target.partition("?")
    pairs = dict(pair.split("=") for pair in query.split("&")) if query else {}
    texts = {name: [text] for name, text in pairs.items()}
    exchange = rules.find(VendorRequest(base, method, path, texts, **facts))
    return exchange.answers if exchange else None


@pytest.mark.parametrize(
    ("pattern", "path", "does"),
    [
        ("/a/{x}", "/a/b", True),
        ("/a/{x}", "/a/b%2Fc", True),
        ("/a/{x}", "/a/b/c", False),
        ("/a/{x}", "/a/", False),
        ("/a/{x}", "/a", False),
        ("/a/{rest+}", "/a/b/c", True),
        ("/a/{rest+}", "/a/", True),
        ("/a/{rest+}/end", "/a/b/c/end", True),
        ("/a/{rest+}/end", "/a/b/c", False),
        ("/a/{id}.json", "/a/5.json", True),
        ("/a/{id}.json", "/a/5xjson", False),
        ("/a b", "/a%20b", True),
        ("", "", True),
        ("", "/", False),
    ],
)
def test_a_path_matches_its_pattern(pattern, path, does):
    assert fits(pattern, path) is does


def test_bases_and_vendors_with_the_same_paths_never_answer_for_one_another():
    rules = Rules([
        endpoint(
            Exchange("GET /teams", "football"), Exchange("GET /teams", "ball", base="BALL_URL"),
        ),
        endpoint(Exchange("GET /teams", "other"), vendor=OTHER),
    ])  # fmt: skip
    for base, said in (("FOOTBALL_URL", "football"), ("BALL_URL", "ball"), ("OTHER_URL", "other")):
        assert answer(rules, "GET", "/teams", base) == said
    assert answer(rules, "GET", "/teams", "") is None
    assert answer(rules, "POST", "/teams") is None


def test_the_most_specific_answers():
    rules = Rules([endpoint(
        Exchange("GET /a", "many", serves="/{rest+}"),
        Exchange("GET /a", "varying", serves="/{x}/b"),
        Exchange("GET /a", "literal", serves="/a/{y}"),
        Exchange("GET /a", "with a condition", serves="/a/{y}", when={"query.q": 1}),
    )])  # fmt: skip
    assert answer(rules, "GET", "/z/z/z") == "many"
    assert answer(rules, "GET", "/z/b") == "varying"
    assert answer(rules, "GET", "/a/b") == "literal"
    assert answer(rules, "GET", "/a/b?q=1") == "with a condition"
    assert answer(rules, "GET", "/a/b?q=2") == "literal"


@pytest.mark.parametrize(
    ("when", "facts"),
    [
        ({"json.model.name": "x"}, {"json": {"model": {"name": "x"}}}),
        ({"json.deep": True}, {"json": {"deep": True}}),
        ({"form.deep": True}, {"form": {"deep": ["true"]}}),
        ({"form.tags": ["a", "b"]}, {"form": {"tags": ["a", "b"]}}),
        ({"query.absent": None}, {}),
    ],
)
def test_a_condition_on_query_or_body(when, facts):
    rules = Rules([endpoint(Exchange("POST /a", "met", when=when), Exchange("POST /a", "not"))])
    assert answer(rules, "POST", "/a", **facts) == "met"
    assert answer(rules, "POST", "/a?absent=1", json={"deep": 1}) == "not"


def test_an_example_serves_the_whole_template_or_its_own_path():
    rules = Rules([
        endpoint(Exchange("GET /teams/a", "team"), asks=get("/teams/{team}")),
        endpoint(Exchange("GET /teams/a", "ball", base="BALL_URL"), asks=get("/teams/{team}")),
    ])  # fmt: skip
    assert answer(rules, "GET", "/teams/b") == "team"
    assert answer(rules, "GET", "/teams/b", "BALL_URL") is None
    assert answer(rules, "GET", "/teams/a", "BALL_URL") == "ball"


def test_a_job_is_polled_for_any_id_and_its_last_state_is_served():
    job = Job(task=lambda it: Task("1"), poll=get("/runs/{id}"), wait=0, limit=60)
    exchanges = (Exchange("POST /none", 1), Exchange("GET /runs/1", 2), Exchange("GET /runs/1", 3))
    assert answer(Rules([endpoint(*exchanges, job=job)]), "GET", "/runs/7") == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Exchange("GET /a", 1, serves="/{x}"), Exchange("GET /b", 2, serves="/{other}")),
        (Exchange("GET /a", 1), Exchange("GET /a", 1, status=404)),
        (Exchange("GET /a", 1), Exchange("GET /a", 1, headers={"X-Total": "1"})),
        (
            Exchange("GET /a", 1, when={"query.q": "a"}),
            Exchange("GET /a", 2, when={"query.other": "b"}),
        ),
    ],
)
def test_examples_that_contradict_each_other_are_refused(one, other):
    with pytest.raises(ValueError, match="sports-teams .*sports-others .*when"):
        Rules([endpoint(one), endpoint(other, name="sports-others")])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Exchange("GET /a", 1), Exchange("GET /a", 1)),
        (Exchange("GET /a", 1), Exchange("GET /a", 2, base="BALL_URL")),
        (Exchange("GET /a", 1), Exchange("POST /a", 2)),
        (Exchange("GET /a", 1, when={"query.q": "a"}), Exchange("GET /a", 2)),
        (Exchange("GET /a", 1, when={"query.q": 1}), Exchange("GET /a", 2, when={"query.q": 2})),
    ],
)
def test_examples_that_do_not_contradict_each_other_stand_together(one, other):
    Rules([endpoint(one), endpoint(other, name="sports-others")])


CHANNELS = Setting("SPORTS_CHANNELS", "Any.", sandbox="C-example")
KEYED = replace(SPORTS, credential=bearer(secret("SPORTS_KEY", "Any.")), settings=(CHANNELS,))
STOOD_IN = {
    "FOOTBALL_URL": "http://here/vendors/sports/0",
    "BALL_URL": "http://here/vendors/sports/1",
    "SPORTS_KEY": KEY,
    "SPORTS_CHANNELS": "C-example",
}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, STOOD_IN),
        ({"SPORTS_CHANNELS": "C-mine"}, {**STOOD_IN, "SPORTS_CHANNELS": "C-mine"}),
        ({"SPORTS_KEY": "real"}, {"SPORTS_KEY": "real"}),
        ({"BALL_URL": "https://own.example"}, {"BALL_URL": "https://own.example"}),
    ],
)
def test_only_a_key_or_a_url_of_its_own_takes_a_vendor_out_of_the_sandbox(given, told):
    catalog = Catalog([endpoint(Exchange("POST /none", 1), vendor=KEYED)])
    assert redirect_vendors(catalog, given, "http://here", None) == told


@on_sqlite
def test_status_headers_and_bytes_are_served_for_every_method(app):
    exchanges = [
        Exchange(f"{method} /x", b"\x89", status=202, headers={"X-Total": "1"}, base="BALL_URL")
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    ]
    app = type(app)("stand-ins")
    app.register_blueprint(blueprint(Catalog([endpoint(*exchanges)])))
    for exchange in exchanges:
        said = app.test_client().open("/vendors/sports/1/x", method=exchange.method)
        assert (said.status_code, said.data, said.headers["X-Total"]) == (202, b"\x89", "1")
    with capture_logs() as logged:
        assert app.test_client().get("/vendors/sports/0/x").status_code == 404
        assert app.test_client().get("/vendors/sports/1").status_code == 404
    asked = [(line["event"], line["vendor"], line["asked"]) for line in logged]
    assert asked == [("no example", "sports", "GET /x"), ("no example", "sports", "GET ")]


@on_sqlite
def test_a_quoted_slash_is_part_of_a_piece(app):
    base = app.extensions["vendor_settings"]["GITHUB_BASE_URL"]
    assert requests.get(f"{base}/repos/a/b").json()["full_name"]
    assert requests.get(f"{base}/repos/a%2Fb/c").json()["full_name"]
    assert requests.get(f"{base}/repos/a%2Fb").status_code == 404
