"""The check of requests against vendors' API descriptions finds what is not described.

`SPECS_DIR` holds the descriptions, which are not part of this project: a/exa.json (2.0.0),
a/magnific.json (1.0.0), b/github.openapi.trimmed.json (npm @octokit/openapi 23.0.2),
b/google-drive.v3.discovery.json.
"""

import os
from pathlib import Path

import pytest

from tests.integrations.descriptions import check, operations

SPECS = os.environ.get("SPECS_DIR")
pytestmark = pytest.mark.skipif(not SPECS, reason="set SPECS_DIR to the vendors' API descriptions")
GITHUB, EXA = "b/github.openapi.trimmed.json", "a/exa.json"
MAGNIFIC = "a/magnific.json"
DRIVE = "b/google-drive.v3.discovery.json"
FLIGHTS, AMAZON = "b/serpapi.google_flights.json", "b/serpapi.amazon.json"
FLY = {"engine": "google_flights", "api_key": "k"}
SHOP = {"engine": "amazon", "api_key": "k"}


def spec(name):
    return Path(SPECS or "") / name


@pytest.mark.parametrize(
    ("description", "method", "path", "query", "body"),
    [
        (GITHUB, "GET", "/repos/o/r/issues", {"state": "open", "per_page": ["5"]}, None),
        (GITHUB, "GET", "/repos/o/r/contents/a/b.md", {}, None),
        (MAGNIFIC, "GET", "/v1/icons", {"filters[icon_type][]": ["uicon", "sticker"]}, None),
        (MAGNIFIC, "GET", "/v1/resources", {"filters[people][include]": "1"}, None),
        (EXA, "POST", "/search", {}, {"query": "a", "contents": {"text": True}}),
        (EXA, "POST", "/answer", {}, {"query": "a", "outputSchema": {"any": ["thing"]}}),
        (DRIVE, "GET", "/drive/v3/files", {"pageSize": "5", "q": "a", "alt": "json"}, None),
        (DRIVE, "PATCH", "/drive/v3/files/f", {"addParents": "p"}, {"name": "a"}),
        (FLIGHTS, "GET", "/search.json", {**FLY, "type": "2", "outbound_date": "any"}, None),
        (AMAZON, "GET", "/search.json", {**SHOP, "k": "tea", "language": "en_US"}, None),
        (DRIVE, "POST", "/upload/drive/v3/files", {"uploadType": "multipart"}, {"name": "a"}),
    ],
)
def test_what_is_described_is_allowed(description, method, path, query, body):
    check(spec(description), method, path, query, body)


@pytest.mark.parametrize(
    ("description", "method", "path", "query", "body", "why"),
    [
        (GITHUB, "POST", "/repos/o/r/issues", {}, None, "no operation"),
        (GITHUB, "GET", "/repos/o/r/nothing", {}, None, "no operation"),
        (GITHUB, "GET", "/repos/o/r/issues", {"perPage": "5"}, None, "perPage: is unknown"),
        (
            GITHUB,
            "GET",
            "/repos/o/r/issues",
            {"per_page": "five"},
            None,
            'is not of type "integer"',
        ),
        (GITHUB, "GET", "/repos/o/r/issues", {"state": "shut"}, None, "is not one of"),
        (GITHUB, "GET", "/repos/o/r/issues", {"since": "yesterday"}, None, 'is not a "date-time"'),
        (GITHUB, "GET", "/repos/o/r/issues", {"state": ["open", "all"]}, None, "is repeated"),
        (GITHUB, "GET", "/search/repositories", {}, None, "q: is missing"),
        (MAGNIFIC, "GET", "/v1/icons", {"filters[icon_type]": "uicon"}, None, "is unknown"),
        (MAGNIFIC, "GET", "/v1/icons", {"filters[icon_type][]": "x"}, None, "is not one of"),
        (MAGNIFIC, "GET", "/v1/resources", {"filters[people]": "1"}, None, "is unknown"),
        (GITHUB, "GET", "/repos/o/r", {}, {"a": 1}, "takes no body"),
        (
            EXA,
            "POST",
            "/search",
            {},
            {"query": "a", "contents": {"texts": 1}},
            "'texts' was unexpected",
        ),
        (EXA, "POST", "/search", {}, {"query": "a", "numResults": 101}, "greater than the maximum"),
        (EXA, "POST", "/search", {}, {"query": "a", "numResults": "9"}, 'is not of type "integer"'),
        (EXA, "POST", "/search", {}, {"numResults": 9}, '"query" is a required'),
        (EXA, "POST", "/search", {}, None, "needs a body"),
        (EXA, "POST", "/contents", {}, {"urls": ["a"], "text": "yes"}, "not valid under any"),
        (DRIVE, "GET", "/drive/v3/files", {"pagesize": "5"}, None, "pagesize: is unknown"),
        (DRIVE, "GET", "/drive/v3/files", {"pageSize": "many"}, None, 'is not of type "integer"'),
        (DRIVE, "GET", "/drive/v2/files", {}, None, "no operation"),
        (FLIGHTS, "GET", "/search.json", SHOP, None, "no operation"),
        (FLIGHTS, "GET", "/search.json", {**FLY, "type": "4"}, None, "is not one of"),
        (AMAZON, "GET", "/search.json", {**SHOP, "language": "en_XX"}, None, "is not one of"),
        (AMAZON, "GET", "/search.json", {"engine": "amazon"}, None, "api_key: is missing"),
        (DRIVE, "PATCH", "/drive/v3/files/f", {}, {"title": "a"}, "'title' was unexpected"),
        (DRIVE, "PATCH", "/drive/v3/files/f", {}, {"parents": "p"}, 'is not of type "array"'),
    ],
)
def test_what_is_not_described_is_refused(description, method, path, query, body, why):
    with pytest.raises(AssertionError, match=why):
        check(spec(description), method, path, query, body)


def test_a_path_may_have_servers_of_its_own():
    [forecast] = operations(str(spec("b/open-meteo.forecast.openapi.yml")))[:1]
    assert (forecast.host, forecast.name) == ("api.open-meteo.com", "GET /v1/forecast")
