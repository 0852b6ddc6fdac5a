"""The price of a call is asked before it: the most that this body can cost."""

import pytest

from tests.services import on_sqlite

pytestmark = on_sqlite

IMAGE = "generate-image"


@pytest.fixture
def price(alice):
    return lambda name, body=None: alice.post(f"/api/integrations/price/{name}", body or {})


def test_the_price_depends_on_the_body_and_is_the_most_that_a_call_costs(alice, price, ask):
    simple = price(IMAGE, {"prompt": "a red boat"}).json["credits"]
    best = price(IMAGE, {"prompt": "a red boat", "quality": "high"}).json["credits"]
    assert simple < best
    spent = 1000 - alice.get("/api/credits").json["balance"]
    assert spent == 0
    assert ask(IMAGE, {"prompt": "a red boat", "wait": 30}).status_code == 200
    assert 0 < 1000 - alice.get("/api/credits").json["balance"] <= simple


@pytest.mark.parametrize(
    ("endpoint", "name"),
    [("text-to-speech", "text"), ("search-web", "query"), ("generate-video", "prompt"),
     ("generate-text", "prompt"), ("aivideo-create-video", "prompt"),
     ("aivideo-create-video", "script")],
)  # fmt: skip
def test_a_blank_text_where_one_is_needed_is_refused_before_anybody_pays(
    ask, price, vendor, endpoint, name
):
    body = {"imageUrl": "https://example.com/a.png"} if endpoint == "generate-video" else {}
    for asked in (price, ask):
        answer = asked(endpoint, {**body, name: " \n\u00a0"})
        assert (answer.status_code, answer.json["details"]) == (400, {name: ["Must not be blank."]})
    assert vendor.seen == []


@pytest.mark.settings(rate_limits="calls=2/hour")
def test_a_question_counts_as_a_call(price):
    asked = [price(IMAGE, {"prompt": "a red boat"}).status_code for _ in range(3)]
    assert asked == [200, 200, 429]


def test_a_fixed_price_is_that_of_the_catalog_under_every_name(alice, price):
    catalog = alice.get("/api/integrations/catalog").json["endpoints"]
    found = {item["name"]: item["credits"] for item in catalog}
    assert price("search-web", {"query": "tea"}).json == {"credits": found["search-web"]}
    assert price("send-email", {"to": "a@b.example", "subject": "s", "content": "c"}).json == {
        "credits": found["cloudsuite/mail-send"]
    }


def test_what_the_call_would_refuse_is_refused_in_the_same_words(alice, price, ask):
    for body in ({}, {"prompt": ""}, {"prompt": "x", "odd": 1}, {"prompt": "x", "wait": 99}):
        refused = price(IMAGE, body)
        assert (refused.status_code, refused.json) == (400, ask(IMAGE, body).json)
    assert price("generate-text").json["error"] == "invalid_request"
    assert price("nothing-like-it").json["error"] == "unknown_endpoint"
    assert alice.post(f"/api/integrations/price/{IMAGE}", []).status_code == 400
    calls = alice.get("/api/records/integration-calls").json["records"]
    assert {one["data"]["status"] for one in calls} == {"refused"}, "asking is no call"
