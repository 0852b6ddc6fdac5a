"""What holds for every endpoint of the catalog, whatever its vendor."""

import re

import pytest

from service.integrations.everything import catalog
from tests.integrations import dialect
from tests.integrations.bodies import minimal
from tests.integrations.schemas import faults
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("database_url")]

ENDPOINTS = list(catalog())
OPEN = [item for item in ENDPOINTS if not item.vendor.oauth]
KEYED = [item for item in OPEN if item.vendor.key and item.vendor.key.required]
NAMES = [(name, item) for item in OPEN for name in item.names]
FIELDS = {
    "name": str, "aliases": list, "category": str, "summary": str, "methods": list,
    "integration": str, "billing": str, "credits": (int, float), "creditConsuming": bool,
    "autoApprove": bool, "async": bool, "scopes": list, "configured": bool,
}  # fmt: skip


def each(endpoints):
    return pytest.mark.parametrize("endpoint", endpoints, ids=lambda item: item.name)


@pytest.fixture
def described(alice):
    return alice.get("/api/integrations/catalog").json["endpoints"]


def test_names_are_unique():
    names = [name for item in ENDPOINTS for name in item.names]
    assert sorted(names) == sorted(set(names))
    assert all(re.fullmatch("[a-z0-9]+([-/][a-z0-9]+)*", name) for name in names)


@pytest.mark.parametrize(("name", "endpoint"), NAMES, ids=[name for name, _ in NAMES])
def test_each_is_callable_in_the_sandbox_by_every_name(ask, name, endpoint):
    answer = ask(name, minimal(endpoint))
    assert (answer.status_code, answer.json["success"]) == (200, True), answer.json
    assert answer.json["data"] not in (None, {}, [])
    assert set(answer.json) == {"success", "data"}


@each(OPEN)
def test_unknown_keys_are_refused_before_anybody_is_asked(ask, vendor, endpoint):
    answer = ask(endpoint.name, {**minimal(endpoint), "noSuchKey": 1})
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
    assert "noSuchKey" in answer.json["details"]
    assert vendor.seen == []


@each([item for item in OPEN if not item.reads])
def test_get_is_only_for_reads(alice, vendor, endpoint):
    answer = alice.get(f"/api/integrations/{endpoint.name}", query_string=minimal(endpoint))
    assert (answer.status_code, answer.json["success"]) == (400, False)
    assert vendor.seen == []


@each([item for item in OPEN if item.reads])
def test_reads_answer_get_as_they_do_post(alice, ask, endpoint):
    body = minimal(endpoint)
    got = alice.get(f"/api/integrations/{endpoint.name}", query_string=body)
    assert (got.status_code, got.json) == (200, ask(endpoint.name, body).json)


@pytest.mark.settings(sandbox="0")
@each(KEYED)
def test_without_its_key_it_names_the_setting(ask, endpoint):
    answer = ask(endpoint.name, minimal(endpoint))
    assert (answer.status_code, answer.json["error"]) == (503, "not_configured")
    assert answer.json["setting"] == endpoint.vendor.key.setting
    assert answer.json["setting"] in answer.json["message"]


@pytest.mark.settings(sandbox="0")
def test_without_keys_the_catalog_says_what_is_configured(described):
    told = {item["name"]: item["configured"] for item in described}
    assert {name for name, ready in told.items() if not ready} >= {item.name for item in KEYED}
    free = [item.name for item in OPEN if item not in KEYED]
    assert all(told[name] for name in free)


def test_the_catalog_tells_the_same_of_each(described):
    assert [item["name"] for item in described] == [item.name for item in ENDPOINTS]
    for item in described:
        wrong = [name for name, kind in FIELDS.items() if not isinstance(item[name], kind)]
        assert (wrong, item["billing"]) == ([], "user"), item
        assert item["creditConsuming"] == (item["credits"] > 0)
        assert item["methods"] == (["POST", "GET"] if item["methods"][1:] else ["POST"])
        assert not (item["autoApprove"] and item["creditConsuming"])
        assert item["docs"].startswith("https://")
        assert item["summary"].endswith(".")


def test_the_routes_schema_is_json_schema(alice):
    response = alice.get("/api/integrations/routes-schema")
    assert response.status_code == 200
    assert response.json["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert dialect.violations(response.json) == []


def test_the_routes_schema_has_every_name_and_takes_what_we_take(alice):
    document = alice.get("/api/integrations/routes-schema").json
    assert set(document["properties"]) == {name for item in ENDPOINTS for name in item.names}
    for item in ENDPOINTS:
        bodies = [document["properties"][name] for name in item.names]
        assert all(body == bodies[0] for body in bodies)
        assert bodies[0]["additionalProperties"] is False
    for item in OPEN:
        schema = document["properties"][item.name]
        assert faults(schema, minimal(item), document, item.name) == []


def test_the_dialect_check_can_fail():
    for broken in (
        {"type": "text"},
        {"type": "object", "required": "name"},
        {"properties": {"a": {"nullable": True}}},
        {"items": {"minimum": "1"}},
        {"$ref": "#/components/schemas/Nowhere"},
        {"enum": []},
        {"pattern": "("},
        {"exclusiveMinimum": True},
    ):
        assert dialect.violations(broken) != [], broken


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


def test_what_stands_beside_the_integrations_has_its_own_errors(alice):
    assert "success" not in alice.get("/api/integrationsx").json
