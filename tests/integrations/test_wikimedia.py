"""Articles of Wikipedia: the host of each language, redirects, the name we give ourselves."""

import time
from urllib.parse import quote

import pytest

from service.integrations.vendors.wikimedia import SAN_FRANCISCO, WIKIMEDIA
from service.release import USER_AGENT
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

SUMMARY = "/api/rest_v1/page/summary/"
PAGE = {"id": 1, "key": "AC/DC", "title": "AC/DC"}


def moved(location, status=302):
    return Said({}, status, {"Location": location})


@pytest.fixture
def by_language(app, vendor):
    """The host's first label stands in the path, where one server can see it."""
    settings = app.extensions["vendor_settings"]
    settings["WIKIMEDIA_BASE_URL"] = f"{vendor.url}/at/{{language}}"
    return vendor


def test_each_language_has_its_host(ask, by_language):
    by_language.says(SAN_FRANCISCO, {"pages": []})
    ask("encyclopedia-summary", {"title": "x", "language": "de"})
    ask("encyclopedia-search", {"query": "x", "language": "zh-yue"})
    ask("encyclopedia-search", {"query": "x", "language": "simple"})
    paths = [asked.path for asked in by_language.seen]
    search = "w/rest.php/v1/search/page"
    assert paths == [f"/at/de{SUMMARY}x", f"/at/zh-yue/{search}", f"/at/simple/{search}"]
    assert WIKIMEDIA.bases[0].default == "https://{language}.wikipedia.org"


@pytest.mark.parametrize("language", ["simple.evil.ex/", "en#", "EN", "en\n", "", "a" * 64, "en-"])
def test_a_language_cannot_lead_to_another_host(ask, vendor, language):
    answer = ask("encyclopedia-summary", {"title": "x", "language": language})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["language"])
    assert vendor.seen == []


@pytest.mark.parametrize(
    ("title", "path"),
    [
        (".hack//Sign", ".hack%2F%2FSign"),
        ("/dev/null", "%2Fdev%2Fnull"),
        ("C? 100 % of #1", "C%3F_100_%25_of_%231"),
        ("東京 😀", "%E6%9D%B1%E4%BA%AC_%F0%9F%98%80"),
    ],
)
def test_a_title_may_have_any_characters(ask, vendor, title, path):
    vendor.says(SAN_FRANCISCO)
    assert ask("encyclopedia-summary", {"title": title}).status_code == 200
    assert vendor.seen[0].target == f"{SUMMARY}{path}"


@pytest.mark.parametrize("title", [".", "..", "a/../b", "../../../x", "a/.", "./a"])
def test_no_title_leads_to_another_path(ask, vendor, title):
    """Some servers resolve dots between quoted slashes."""
    answer = ask("encyclopedia-summary", {"title": title})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["title"])
    vendor.says(moved(quote(title, safe="")), SAN_FRANCISCO)
    assert ask("encyclopedia-summary", {"title": "x"}).status_code == 404
    assert [asked.path for asked in vendor.seen] == [f"{SUMMARY}x"]


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("Rock_%26_Roll", "Rock_%26_Roll"),
        (f"{SUMMARY}AC%2FDC?x=1", "AC%2FDC"),
        (f"https://en.wikipedia.org{SUMMARY}Caf%C3%A9#top", "Caf%C3%A9"),
    ],
)
def test_a_redirect_is_another_title_at_the_same_host(ask, vendor, location, path):
    vendor.says(moved(location, 301), SAN_FRANCISCO)
    answer = ask("encyclopedia-summary", {"title": "a title/of ours"})
    assert answer.json["data"]["title"] == "San Francisco"
    titles = [asked.path.removeprefix(SUMMARY) for asked in vendor.seen]
    assert titles == ["a_title%2Fof_ours", path]


@pytest.mark.parametrize("location", ["", "..", "%2e", "https://evil.example/x", "//x/y", SUMMARY])
def test_a_redirect_to_no_title_is_not_followed(ask, vendor, location):
    vendor.says(moved(location))
    answer = ask("encyclopedia-summary", {"title": "x"})
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")
    assert len(vendor.seen) == 1


def test_a_circle_of_redirects_ends(ask, vendor):
    vendor.says(moved("x"))
    assert ask("encyclopedia-summary", {"title": "x"}).status_code == 404
    assert len(vendor.seen) == 4


def test_we_name_ourselves_and_a_contact_where_there_is_one(ask, app, vendor):
    vendor.says({"pages": []})
    ask("encyclopedia-search", {"query": "x"})
    del app.extensions["vendor_settings"]["WIKIMEDIA_CONTACT"]
    ask("encyclopedia-search", {"query": "x"})
    names = [asked.headers["user-agent"] for asked in vendor.seen]
    assert names == [f"{USER_AGENT} (wikimedia-canary)", USER_AGENT]


NINES = "9" * 5000  # more digits than Python reads


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({}, "url", "https://de.wikipedia.org/wiki/AC/DC"),
        ({"key": "Größe"}, "url", "https://de.wikipedia.org/wiki/Gr%C3%B6%C3%9Fe"),
        ({"excerpt": 'a <span class="x">b</span> &amp; c'}, "excerpt", "a b & c"),
        ({"excerpt": f"a &#{NINES};"}, "excerpt", f"a &#{NINES};"),
        ({"thumbnail": {"url": "//x/y.jpg"}}, "thumbnailUrl", "https://x/y.jpg"),
        ({"thumbnail": {"url": "https://x/y.jpg"}}, "thumbnailUrl", "https://x/y.jpg"),
        ({"thumbnail": None}, "thumbnailUrl", None),
    ],
)
def test_a_result_is_made_readable(ask, vendor, changes, name, value):
    vendor.says({"pages": [{**PAGE, **changes}]})
    data = ask("encyclopedia-search", {"query": "x", "language": "de"}).json["data"]
    assert (data["query"], data["results"][0][name]) == ("x", value)


def test_an_excerpt_of_marks_that_do_not_end_takes_no_time(ask, vendor):
    vendor.says({"pages": [{**PAGE, "excerpt": "<" * 200_000}]})
    began = time.process_time()
    ask("encyclopedia-search", {"query": "x"})
    assert time.process_time() - began < 2


def test_half_a_character_in_a_key_is_replaced_in_its_address(ask, vendor):
    vendor.says({"pages": [{**PAGE, "key": "A\ud83d"}]})
    [result] = ask("encyclopedia-search", {"query": "x"}).json["data"]["results"]
    assert result["url"] == "https://en.wikipedia.org/wiki/A%EF%BF%BD"


def test_an_article_without_its_address_gets_one(ask, vendor):
    vendor.says({**SAN_FRANCISCO, "content_urls": None, "type": "disambiguation"})
    data = ask("encyclopedia-summary", {"title": "x"}).json["data"]
    assert data["url"] == "https://en.wikipedia.org/wiki/San_Francisco"
    assert data["isDisambiguation"] is True
