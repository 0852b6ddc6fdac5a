"""A vendor that one module of `EXTENSIONS` declares is everywhere that a built-in one is."""

import json
import re
from dataclasses import replace

import pytest

from config import ConfigError, load, with_declared
from service import create_app
from service.billing.units import CREDIT
from service.generation.completion import MODELS
from service.integrations import everything
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.credential import bearer
from service.integrations.declare.setting import Setting, base_url, secret
from service.integrations.declare.vendor import Vendor
from tests.integrations import acme
from tests.services import ENVIRONMENT, command, environment, flask, on_sqlite

pytestmark = pytest.mark.settings(extensions=acme.__name__)
NAMES = {"anvils-list", "anvils-judge"}


def integrations(person, path):
    return person.get(f"/api/integrations/{path}").json


@on_sqlite
def test_a_vendor_of_an_extension_is_in_the_catalog_with_its_prices(alice):
    entries = {one["name"]: one for one in integrations(alice, "catalog")["endpoints"]}
    assert entries.keys() >= NAMES
    free, composed = entries["anvils-list"], entries["anvils-judge"]
    assert (free["credits"], free["autoApprove"], free["methods"]) == (0, True, ["POST", "GET"])
    assert composed["credits"] == 0.5 + acme.judge.model.max_cost / CREDIT
    assert composed["metered"] is composed["configured"] is True


@on_sqlite
def test_the_schemas_of_a_vendor_of_an_extension_are_published(alice, client):
    bodies = integrations(alice, "routes-schema")["properties"]
    answers = integrations(alice, "answers-schema")["properties"]
    assert bodies["anvils-list"]["properties"]["most"]["maximum"] == 100
    assert answers["anvils-list"]["required"] == ["anvils"]
    paths = client.get("/openapi.json").json["paths"]
    assert set(paths["/api/integrations/anvils-list"]) == {"get", "post"}
    body = paths["/api/integrations/anvils-judge"]["post"]["requestBody"]
    assert body["content"]["application/json"]["schema"]["required"] == ["anvil", "question"]


@on_sqlite
def test_the_sandbox_answers_with_its_example(alice):
    listed = alice.post("/api/integrations/anvils-list", {"material": "steel", "most": 3})
    assert listed.json["data"] == {"anvils": [{"id": "a-1", "weight": 50, "maker": "Acme"}]}
    assert listed.json["success"] is True


@on_sqlite
def test_a_composed_endpoint_costs_its_price_and_what_its_model_cost(alice):
    before = alice.get("/api/credits").json["balance"]
    answer = alice.post(
        "/api/integrations/anvils-judge", {"anvil": "a-1", "question": "Does it ring?"}
    )
    assert answer.json["data"]["report"] == "It rings."
    assert answer.json["data"]["verdict"]
    paid = before - alice.get("/api/credits").json["balance"]
    assert 0.5 < paid < 0.5 + acme.judge.model.max_cost / CREDIT
    assert alice.get("/api/credits").json["held"] == 0


@on_sqlite
def test_an_endpoint_whose_model_has_no_provider_says_which_setting_is_missing(app, alice):
    models, model_id = MODELS.of(app), acme.judge.model.model_id
    keyless = replace(models[model_id].provider, needs_key=True, api_key=None)
    model = replace(models[model_id], provider=keyless)
    MODELS.set(app, {**models, model_id: model})
    answer = alice.post("/api/integrations/anvils-judge", {"anvil": "a-1", "question": "a"})
    assert (answer.status_code, answer.json["setting"]) == (503, "PROVIDER_A_API_KEY")


def test_the_settings_of_a_vendor_of_an_extension_are_redacted_and_may_be_files(tmp_path):
    path = tmp_path / "key"
    path.write_text("acme-canary\n")
    environ = {"ACME_API_KEY_FILE": str(path), "ACME_BASE_URL": "https://acme.test/"}
    catalog = everything.catalog(acme.VENDORS, acme.ENDPOINTS)
    settings = with_declared(load(environ), catalog.settings)
    assert settings.vendors["ACME_API_KEY"] == "acme-canary"
    assert settings.vendors["ACME_BASE_URL"] == "https://acme.test"
    assert "acme-canary" in settings.secrets
    assert "acme-canary" not in repr(settings)
    with pytest.raises(ConfigError, match="^ACME_BASE_URL: must be an http"):
        with_declared(load({"ACME_BASE_URL": "acme"}), catalog.settings)
    with pytest.raises(ConfigError, match="^ACME_API_KY: must be spelt ACME_API_KEY"):
        with_declared(load({"ACME_API_KY": "x"}), catalog.settings)


@on_sqlite
def test_the_billing_of_a_vendor_of_an_extension_can_be_chosen(settings):
    environ = {**ENVIRONMENT, "DATABASE_URL": settings.database_url, "EXTENSIONS": acme.__name__}
    create_app(load({**environ, "INTEGRATIONS_BILLING": "anvils=developer"}))
    with pytest.raises(ConfigError, match="^INTEGRATIONS_BILLING: no integration is named 'tongs'"):
        create_app(load({**environ, "INTEGRATIONS_BILLING": "tongs=user"}))


@on_sqlite
def test_the_commands_of_the_catalog_show_it(database_url):
    names = {"EXTENSIONS": acme.__name__}
    table = flask(database_url, "catalog", "settings", **names)
    assert "| `ACME_API_KEY` | unset | anvils: the key of an account at Acme |" in table
    shown = json.loads(flask(database_url, "catalog", "show", "anvils-list", **names))
    assert shown["settings"] == ["ACME_API_KEY", "ACME_BASE_URL"]
    assert "anvils-judge" in flask(database_url, "catalog", "list", **names)
    wrong = command(environment(database_url, **names), "catalog", "show", "anvils-lst")
    assert " The nearest names: anvils-list.\n" in wrong.output
    unknown = command(environment(database_url, **names), "catalog", "show", "???")
    assert unknown.output == "Error: There is no endpoint of that name.\n"


@on_sqlite
def test_an_endpoint_is_not_called_without_the_settings_that_it_needs(app, alice):
    known = Setting("ACME_LIST", "what may be listed")
    vendor = replace(acme.ACME, settings=(known,))
    needy = replace(acme.weights, vendor=vendor, needs=(known,))
    app.extensions["proxy"].catalog = Catalog([needy])
    body = {"material": "iron"}
    refused = alice.post("/api/integrations/anvils-list", body)
    assert (refused.status_code, refused.json["setting"]) == (503, "ACME_LIST")
    app.extensions["vendor_settings"]["ACME_LIST"] = "all"
    assert alice.post("/api/integrations/anvils-list", body).status_code == 200
    with pytest.raises(ValueError, match="anvils-list needs a setting that its vendor has not"):
        Catalog([replace(acme.weights, needs=(known,))])


def test_settings_of_every_vendor_that_it_names_are_read():
    """Also of one that only a function asks, or that is only the alternative of another."""
    scales, forge = (
        Vendor(
            integration=name,
            name=name,
            bases=(base_url(f"{name.upper()}_BASE_URL", f"https://{name}.example"),),
            credential=bearer(secret(f"{name.upper()}_API_KEY", "a key")),
        )
        for name in ("scales", "forge")
    )
    either = replace(acme.weights, alternatives=(forge,))
    catalog = everything.catalog((*acme.VENDORS, scales), (either,))
    environ = {"SCALES_API_KEY": "s", "FORGE_API_KEY": "f", "FORGE_BASE_URL": "https://f.test"}
    values = with_declared(load(environ), catalog.settings).vendors
    assert values.items() >= environ.items()
    assert either.vendor_for(values) is forge
    built_in = everything.catalog().vendors
    assert catalog.vendors == (*built_in, acme.ACME, forge, scales)


def test_a_vendor_has_a_name_and_a_consent_of_its_own():
    """Else one's settings would not be read, and its users' tokens would go to the other."""
    impostor = replace(acme.ACME, name="exa")
    with pytest.raises(ValueError, match="vendor exa is declared in two ways"):
        everything.catalog((impostor,), (replace(acme.weights, vendor=impostor),))
    office = next(vendor for vendor in everything.catalog().vendors if vendor.oauth)
    second = replace(office, name="second")
    with pytest.raises(ValueError, match=f"two vendors of {office.integration} have OAuth"):
        everything.catalog((second,), (replace(acme.weights, vendor=second),))


def test_a_name_that_no_column_takes_is_refused():
    long, longest = "a" * 65, "a" * 64
    integration = replace(acme.ACME, integration=long)
    for item in (
        replace(acme.weights, name=long),
        replace(acme.weights, vendor=integration),
        replace(acme.weights, alternatives=(integration,)),
    ):
        with pytest.raises(ValueError, match=f"the name {long} has more than 64 characters"):
            Catalog([item])
    Catalog([replace(acme.weights, name=longest, vendor=replace(acme.ACME, integration=longest))])


def test_an_endpoint_of_a_vendor_that_is_not_named_is_refused():
    with pytest.raises(ValueError, match="anvils-list is not in VENDORS"):
        everything.catalog((), acme.ENDPOINTS)
    with pytest.raises(ValueError, match="declared twice"):
        Catalog([acme.weights, acme.weights])


def test_an_endpoint_at_the_address_of_another_route_is_refused(app):
    """A call of it would be one of that route."""
    prefix, general = "/api/integrations/", "<path:endpoint>"
    rules = [str(rule).partition(prefix)[2] for rule in app.url_map.iter_rules()]
    own = {re.sub("<.*?>", "x", rule) for rule in rules if rule not in ("", general)}
    assert {"status", "jobs/x", "price/x", "oauth/x/callback"} < own
    for name in own:
        with pytest.raises(ValueError, match=f"endpoint {name} could not be called"):
            everything.catalog(acme.VENDORS, (replace(acme.weights, aliases=(name,)),))
    everything.catalog(acme.VENDORS, (replace(acme.weights, name="jobs", aliases=("status/x",)),))
