"""What holds for the catalog as a whole; `bench` has what holds for each endpoint."""

import re

import pytest
from jsonschema_rs import Draft202012Validator, meta

from service.app_keys import APP_SETTINGS
from service.integrations.declare.categories import CATEGORIES
from service.integrations.everything import catalog
from tests.people import person
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("database_url")]

ENDPOINTS = list(catalog())
OPEN = [item for item in ENDPOINTS if not item.vendor.oauth]
KEYED = [item for item in OPEN if any(one.required for one in item.vendor.all_settings)]
NAMES = [(name, item) for item in OPEN for name in item.names]
FIELDS = {
    "name": str, "aliases": list, "category": str, "summary": str, "methods": list,
    "integration": str, "billing": str, "credits": (int, float), "creditConsuming": bool,
    "autoApprove": bool, "async": bool, "scopes": list, "configured": bool, "bodyLimit": int,
}  # fmt: skip


@pytest.fixture
def described(alice):
    return alice.get("/api/integrations/catalog").json["endpoints"]


def test_names_are_unique():
    names = [name for item in ENDPOINTS for name in item.names]
    assert sorted(names) == sorted(set(names))
    assert all(re.fullmatch("[a-z0-9]+([-/][a-z0-9]+)*", name) for name in names)


def test_each_is_callable_in_the_sandbox_by_every_name(app, client):
    """By a person for each, who has all credits and no running job."""
    for name, endpoint in NAMES:
        someone = person(client, APP_SETTINGS.of(app), f"caller of {name}")
        body, headers = dict(endpoint.examples[0].asks), {"Cache-Control": "no-cache"}
        answer = someone.post(f"/api/integrations/{name}", body, headers=headers)
        assert (answer.status_code, answer.json["success"]) == (200, True), (name, answer.json)
        assert answer.json["data"] not in (None, {}, []), name
        assert set(answer.json) == {"success", "data"}, name


@pytest.mark.settings(sandbox="0")
def test_without_keys_the_catalog_says_what_is_configured(described):
    told = {item["name"]: item["configured"] for item in described}
    assert {name for name, ready in told.items() if not ready} >= {item.name for item in KEYED}
    free = [item.name for item in OPEN if item not in KEYED and not item.model]
    assert [name for name in free if not told[name]] == []


def test_the_catalog_tells_the_same_of_each(described):
    assert [item["name"] for item in described] == [item.name for item in ENDPOINTS]
    for item in described:
        wrong = [name for name, kind in FIELDS.items() if not isinstance(item[name], kind)]
        assert (wrong, item["billing"]) == ([], "user"), item
        assert item["creditConsuming"] == (item["credits"] > 0)
        assert item["methods"] == (["POST", "GET"] if item["methods"][1:] else ["POST"])
        assert not (item["autoApprove"] and item["creditConsuming"])
        assert item["category"] in CATEGORIES
        assert bool(item["flag"]) == bool(item["scopes"])
        assert item["docs"].startswith("https://")
        assert item["summary"].endswith(".")


def test_the_routes_schema_is_json_schema(alice):
    response = alice.get("/api/integrations/routes-schema")
    assert response.status_code == 200
    assert response.json["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert meta.validate(response.json) is None


def test_the_routes_schema_has_every_name_and_takes_what_we_take(alice):
    document = alice.get("/api/integrations/routes-schema").json
    assert set(document["properties"]) == {name for item in ENDPOINTS for name in item.names}
    for item in ENDPOINTS:
        bodies = [document["properties"][name] for name in item.names]
        assert all(body == bodies[0] for body in bodies)
        assert bodies[0]["additionalProperties"] is False
    for item in ENDPOINTS:
        taken = Draft202012Validator(document["properties"][item.name])
        for example in item.examples:
            assert list(taken.iter_errors(dict(example.asks))) == []


def test_schemas_tell_which_texts_are_files_and_how_large_a_file_may_be(alice):
    bodies = alice.get("/api/integrations/routes-schema").json["properties"]
    paths = alice.get("/openapi.json").json["paths"]
    content = bodies["drive-upload"]["properties"]["contentBase64"]
    assert (content["contentEncoding"], content["maxLength"]) == ("base64", 6_990_508)
    address, file = bodies["upscale-image"]["properties"]["image"]["anyOf"]
    assert address == {"type": "string", "format": "uri", "maxLength": 2048}
    assert (file["contentEncoding"], file["contentMediaType"]) == ("base64", "image/*")
    for name in ("drive-upload", "upscale-image"):
        post = paths[f"/api/integrations/{name}"]["post"]
        schema = post["requestBody"]["content"]["application/json"]["schema"]
        assert schema["properties"] == bodies[name]["properties"]


def test_every_text_in_base64_can_be_chosen_as_a_file(alice):
    bodies = alice.get("/api/integrations/routes-schema").json["properties"]
    for name, body in bodies.items():
        for parameter, one in body["properties"].items():
            is_file = "contentEncoding" in str(one)
            assert is_file is ("base64" in one["description"].lower()), (name, parameter)


def test_texts_give_the_limit_of_a_file_as_the_explorer_writes_it(alice, described):
    bodies = alice.get("/api/integrations/routes-schema").json["properties"]
    for item in described:
        for one in bodies[item["name"]]["properties"].values():
            file = next((o for o in one.get("anyOf", [one]) if "contentEncoding" in o), {})
            texts = f"{item['summary']} {one['description']}"
            for limit in re.findall(r"of at most (\d+ \w+)", texts) if "maxLength" in file else ():
                assert limit == f"{file['maxLength'] * 3 // 4 >> 20} MiB", item["name"]


def test_the_fields_of_a_mail_and_of_a_day_come_in_their_usual_order(alice):
    bodies = alice.get("/api/integrations/routes-schema").json["properties"]
    assert list(bodies["send-email"]["properties"])[:3] == ["to", "subject", "content"]
    answers = alice.get("/api/integrations/answers-schema").json["properties"]
    day = answers["weather-forecast"]["properties"]["days"]["items"]
    assert next(iter(day["properties"])) == "date"


def test_every_default_fits_its_own_schema(alice):
    document = alice.get("/api/integrations/routes-schema").json
    for name, body in document["properties"].items():
        for parameter, one in body["properties"].items():
            wrong = (
                [*Draft202012Validator(one).iter_errors(one["default"])] if "default" in one else []
            )
            assert wrong == [], (name, parameter)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("DELETE", "/catalog", 405, "method_not_allowed"),
        ("PUT", "/cloudsuite/mail-list", 405, "method_not_allowed"),
        ("GET", "", 404, "not_found"),
        ("GET", "/oauth/nobody", 404, "unknown_endpoint"),
        ("PUT", "/oauth/cloudsuite/disconnect", 405, "method_not_allowed"),
    ],
)
def test_every_error_is_in_the_envelope(alice, client, method, path, status, code):
    for answer in (
        alice.request(method, f"/api/integrations{path}"),
        client.open(f"/api/integrations{path}", method=method),
    ):
        assert answer.json["success"] is False
        assert list(answer.json)[:2] in (["success", "error"], ["error", "message"])
    answer = alice.request(method, f"/api/integrations{path}")
    assert (answer.status_code, answer.json["error"]) == (status, code)


def test_head_calls_no_endpoint(alice, client):
    for path in ("geocode-city?city=Berlin", "send-email", "search-web-raw?query=a"):
        refused = alice.request("HEAD", f"/api/integrations/{path}")
        assert refused.status_code == 405
        assert "HEAD" not in refused.headers["Allow"].split(", ")
    assert alice.records("integration-calls") == []
    assert alice.request("OPTIONS", "/api/integrations/geocode-city").headers["Allow"] == (
        "GET, OPTIONS, POST"
    )
    assert alice.request("HEAD", "/api/integrations/catalog").status_code == 200


def test_a_name_in_capitals_has_its_nearest_names(alice):
    refused = alice.post("/api/integrations/Generate-Text", {})
    assert (refused.status_code, refused.json["error"]) == (404, "unknown_endpoint")
    assert refused.json["nearest"][0] == "generate-text"
    assert alice.post("/api/integrations/GEOCODE-CITY", {}).json["nearest"][0] == "geocode-city"


def test_what_stands_beside_the_integrations_has_its_own_errors(alice):
    assert "success" not in alice.get("/api/integrationsx").json
