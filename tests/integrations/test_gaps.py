"""Gaps that the vendors' own descriptions allow: the rest of such an answer is answered."""

import json

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

PUBLIC = {"full_name": "o/r", "private": False, "visibility": "public"}
REPOSITORY = {"owner": "o", "repo": "r"}
ADA = {"name": "Ada", "authorId": "1"}
PAGE = {"url": "https://a.example/", "title": "a"}
TAGS = [{"slug": "dog"}, {"slug": "pet", "name": "Pet"}]
ICON = {"id": 1, "name": "Dog", "tags": TAGS}
PAGING = {"pagination": {"total": 1}}


def issue(labels):
    return {"number": 1, "title": "t", "labels": labels}


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["bug", {"name": "help"}], ["bug", "help"]),
        ([{"id": 1}, {"name": "help"}, {"name": None}], ["help"]),
        ([{"id": 1}], []),
        (None, []),
    ],
)
def test_a_label_may_be_its_name_alone_or_have_none(ask, vendor, labels, names):
    vendor.says(lambda asked: Said([issue(labels)] if "/issues" in asked.path else PUBLIC))
    data = ask("codehost-get-repository-issues", REPOSITORY).json["data"]
    assert [one["labels"] for one in data["issues"]] == [names]


@pytest.mark.parametrize("endpoint", ["crawl-search", "search-pdfs"])
def test_a_result_without_an_address_is_left_out_and_the_others_are_not(ask, vendor, endpoint):
    vendor.says({"success": True, "data": {"web": [{"title": "no url"}, PAGE, None]}})
    results = ask(endpoint, {"query": "x"}).json["data"]["results"]
    assert [one["url"] for one in results] == ["https://a.example/"]


def test_results_none_of_which_can_be_read_are_the_upstreams_failure(ask, vendor):
    vendor.says({"success": True, "data": {"web": [{"link": "https://a.example/"}]}})
    assert ask("crawl-search", {"query": "x"}).json["error"] == "upstream_provider_error"


@pytest.mark.parametrize("endpoint", ["search-web-raw", "search-images", "search-videos"])
def test_a_search_of_brave_without_results_is_an_empty_list(ask, vendor, endpoint):
    vendor.says({"query": {"original": "x"}})
    assert ask(endpoint, {"query": "x"}).json["data"]["results"] == []


def test_a_feed_without_alerts_has_its_header_alone(ask, vendor):
    vendor.says({"header": {"timestamp": 1}})
    assert ask("transit-subway-alerts").json["data"] == {"alerts": []}
    for feed in ({}, {"header": {}, "entity": 5}):
        vendor.says(feed)
        assert ask("transit-subway-alerts").status_code == 502


def test_a_tag_of_an_icon_may_have_no_name(ask, vendor):
    vendor.says({"data": [ICON], "meta": PAGING})
    data = ask("search-icons", {"query": "dog"}).json["data"]
    assert [one["tags"] for one in data["results"]] == [["Pet"]]


def test_an_author_without_a_name_does_not_hide_the_others(ask, vendor):
    paper = {"paperId": "p", "title": "t", "authors": [{"authorId": "2"}, ADA]}
    vendor.says({"total": 1, "offset": 0, "data": [paper]})
    data = ask("scholar-search-papers", {"query": "graphs"}).json["data"]
    assert [one["authors"] for one in data["papers"]] == [[{"name": "Ada", "id": "1"}]]
    vendor.says({"offset": 0, "data": [{"citingPaper": paper, "contexts": ["a", None]}]})
    asked = {"paperId": "649def34f8be52c8b66281af98ae884c09aef38b", "view": "citing"}
    (citation,) = ask("scholar-get-citation-details", asked).json["data"]["citations"]
    assert [one["name"] for one in citation["paper"]["authors"]] == ["Ada"]
    assert citation["contexts"] == ["a"]


@pytest.mark.parametrize("more", [{}, {"refusal": None}])
def test_a_model_that_has_thought_to_its_limit_has_written_nothing(ask, vendor, more):
    choice = {"message": {"role": "assistant", "content": None, **more}, "finish_reason": "length"}
    usage = {"prompt_tokens": 9, "completion_tokens": 16, "total_tokens": 25}
    vendor.says({"model": "gpt-5.4-mini", "choices": [choice], "usage": usage})
    data = ask("generate-text", {"prompt": "a", "maxTokens": 16}).json["data"]
    assert (data["text"], data["finishReason"]) == (None, "length")
    assert data["usage"]["outputTokens"] == 16


@pytest.mark.parametrize("message", [None, {}, {"content": 5, "refusal": None}])
def test_an_answer_without_a_message_is_the_upstreams_failure(ask, vendor, message):
    choice = {"message": message, "finish_reason": "stop"}
    vendor.says({"model": "gpt-5.4-mini", "choices": [choice]})
    assert ask("generate-text", {"prompt": "a"}).status_code == 502


def told(capfd):
    """What the log says of answers' shapes, without the places in the code."""
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    events = [line for line in lines if line["event"] in ("items left out", "wrong shape")]
    return [(one["event"], one["of"], one.get("count")) for one in events]


def test_items_that_are_left_out_are_one_line_of_the_log(ask, vendor, capfd):
    paper = {"paperId": "p", "title": "t", "authors": [{"authorId": "7"}] * 50 + [ADA]}
    vendor.says({"total": 10, "offset": 0, "data": [paper] * 10})
    assert ask("scholar-search-papers", {"query": "graphs"}).status_code == 200
    assert told(capfd) == [("items left out", "authors", 500)]


def test_a_wrong_field_of_an_item_that_is_kept_is_logged_as_before(ask, vendor, capfd):
    wrong = {"success": True, "data": {"web": [{"title": 5}, {**PAGE, "title": 5}]}}
    vendor.says(wrong)
    assert ask("crawl-search", {"query": "x"}).status_code == 200
    assert told(capfd) == [("wrong shape", "title", None), ("items left out", "data.web", 1)]
