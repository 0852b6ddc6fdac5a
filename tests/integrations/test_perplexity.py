"""Perplexity's answers: failed runs, cut answers, sources of several searches, and their cost."""

import json

import pytest

from service.integrations.declare.example import File
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

ANSWER = json.loads(File("perplexity/answer.json").content())
SEARCH, MESSAGE = ANSWER["output"]
FAILED = (502, "upstream_provider_error")


@pytest.mark.parametrize(
    "answer",
    [
        Said({**ANSWER, "status": "failed", "error": {"message": "secret"}}),
        Said({**ANSWER, "status": "cancelled"}),
        Said({**ANSWER, "status": "in_progress", "output": []}),
        Said({**ANSWER, "output": [SEARCH]}),
        Said({"error": {"type": "forbidden", "code": 403}}, 403),
        Said({"error": {"type": "not_found", "code": 404}}, 404),
        Said({"error": {"type": "invalid_model", "code": 400, "message": "secret"}}, 400),
    ],
)
def test_a_run_without_an_answer_is_a_failure(ask, vendor, answer):
    vendor.says(answer)
    reply = ask("search-web", {"query": "x"})
    assert (reply.status_code, reply.json["error"]) == FAILED
    assert "secret" not in reply.text


def test_a_refused_domain_is_named_as_we_name_it(ask, vendor):
    for kind, names in (("invalid_search_domain_filter", ["domains"]), ("invalid_request", [])):
        vendor.says(Said({"error": {"type": kind, "code": 400, "message": "secret"}}, 400))
        answer = ask("search-web", {"query": "x", "domains": ["nasa..gov"]})
        assert (answer.status_code, list(answer.json["details"])) == (400, names)
        assert "secret" not in answer.text


@pytest.mark.parametrize("output", [[SEARCH, MESSAGE], []])
def test_an_answer_that_was_cut_says_so(ask, vendor, output):
    vendor.says({**ANSWER, "status": "incomplete", "output": output})
    data = ask("search-web", {"query": "x"}).json["data"]
    assert data["truncated"] is True
    assert bool(data["answer"]) == bool(output)


def test_each_source_of_several_searches_is_there_once(ask, vendor):
    other = {"url": "https://other.example", "id": 2}
    second = {"type": "search_results", "results": [SEARCH["results"][0], other]}
    vendor.says({**ANSWER, "output": [SEARCH, second, {"type": "unknown"}, MESSAGE]})
    data = ask("search-web", {"query": "x"}).json["data"]
    assert data["citations"] == ["https://science.nasa.gov/jupiter/facts", "https://other.example"]
    assert [result["id"] for result in data["results"]] == [1, 2]


@pytest.mark.parametrize(("reported", "credits"), [(0.00603, 0.3015), (None, 1), (9, 1)])
def test_a_call_costs_what_the_answer_reports(ask, alice, vendor, reported, credits):
    usage = {**ANSWER["usage"], "cost": {"total_cost": reported}}
    vendor.says({**ANSWER, "usage": usage})
    before = alice.get("/api/credits").json["balance"]
    assert ask("search-web", {"query": "x"}).status_code == 200
    after = alice.get("/api/credits").json["balance"]
    assert before - after == pytest.approx(credits)


@pytest.mark.parametrize(
    ("model", "preset"),
    [("sonar", "fast"), ("sonar-pro", "low"), ("sonar-reasoning-pro", "low"),
     ("sonar-deep-research", "medium")],
)  # fmt: skip
def test_each_model_is_a_preset_on_perplexitys_own_model(ask, vendor, model, preset):
    vendor.says(ANSWER)
    ask("search-web-ai", {"query": "x", "prompt": "y", "model": model})
    sent = vendor.seen[0].json
    assert (sent["preset"], sent["model"]) == (preset, "perplexity/sonar")
    assert sent["tools"] == [{"type": "web_search", "search_context_size": "low"}]


def test_a_recency_stands_without_dates(ask, vendor):
    body = {"query": "x", "prompt": "y", "recency": "day", "afterDate": "2026-01-01"}
    answer = ask("search-web-ai", body)
    assert (answer.status_code, list(answer.json["details"])) == (400, ["recency"])
    assert vendor.seen == []


@pytest.mark.parametrize("endpoint", ["search-web", "search-web-ai"])
def test_domains_are_all_kept_to_or_all_left_out(ask, vendor, endpoint):
    body = {"query": "x", **({"prompt": "y"} if endpoint == "search-web-ai" else {})}
    answer = ask(endpoint, {**body, "domains": ["nasa.gov", "-a.example"]})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["domains"])
    assert vendor.seen == []
    vendor.says(ANSWER)
    for domains in (["nasa.gov", "esa.int"], ["-a.example", "-b.example"]):
        assert ask(endpoint, {**body, "domains": domains}).status_code == 200
        assert vendor.seen[-1].json["tools"][0]["filters"] == {"search_domain_filter": domains}


@pytest.mark.parametrize(
    ("more", "credits"),
    [
        ({}, 1),
        ({"model": "sonar-pro"}, 3),
        ({"model": "sonar-reasoning-pro"}, 3),
        ({"model": "sonar-deep-research"}, 25),
        ({"maxTokens": 100_000}, 13.5),
    ],
)
def test_a_call_holds_what_its_model_and_its_length_can_cost(alice, more, credits):
    body = {"query": "x", "prompt": "y", **more}
    price = alice.post("/api/integrations/price/search-web-ai", body).json["credits"]
    assert price == pytest.approx(credits)
