"""Which provider serves which model, and what it takes to call it."""

import pytest

from config import MODEL_NAMES, ConfigError, load
from service.billing.prices import MODEL_PRICES
from service.providers.catalog import DEFAULT_MODEL, models, providers
from tests.providers.prompts import SETTINGS, model, prompt
from tests.providers.stream_reading import BC, A

MODELS = [
    ("llm-opus-4-7", "A", "claude-opus-4-7"),
    ("llm-sonnet-4-6", "A", "claude-sonnet-4-6"),
    ("llm-haiku-4-5", "A", "claude-haiku-4-5"),
    ("gen-5.4", "B", "gpt-5.4"),
    ("gen-5.4-mini", "B", "gpt-5.4-mini"),
    ("gen-5.4-nano", "B", "gpt-5.4-nano"),
    ("oss-120b", "C", "openai/gpt-oss-120b"),
]
HOSTS = {
    "A": "https://api.anthropic.com",
    "B": "https://api.openai.com/v1",
    "C": "https://api.groq.com/openai/v1",
}
KEYS = {
    "A": ("x-api-key", "key-of-a"),
    "B": ("authorization", "Bearer key-of-b"),
    "C": ("authorization", "Bearer key-of-c"),
}


def test_there_are_seven_models_and_the_default_is_one():
    assert list(models(load({}))) == [model_id for model_id, _, _ in MODELS]
    assert DEFAULT_MODEL in models(load({}))
    assert set(MODEL_NAMES) == {model_id for model_id, _, _ in MODELS} == set(MODEL_PRICES)


@pytest.mark.parametrize(("model_id", "kind", "upstream_name"), MODELS)
def test_a_model_is_served_by_its_provider_under_its_upstream_name(model_id, kind, upstream_name):
    served = models(load(SETTINGS))[model_id]
    provider = served.provider
    assert (served.id, served.upstream_name) == (model_id, upstream_name)
    assert (provider.kind, provider.base_url) == (kind, HOSTS[kind])
    assert provider.wire is (A if kind == "A" else BC)
    request = provider.wire.request(provider, served.upstream_name, prompt())
    header, value = KEYS[kind]
    assert request.headers[header] == value
    assert f'"model":"{upstream_name}"'.encode() in request.body


@pytest.mark.parametrize("kind", ["A", "B", "C"])
def test_a_base_url_may_be_another(kind):
    settings = {f"PROVIDER_{kind}_BASE_URL": "http://127.0.0.1:9000/v9/"}
    assert model(kind, **settings).provider.base_url == "http://127.0.0.1:9000/v9"


def test_an_upstream_name_may_be_another():
    served = models(load({"MODEL_NAMES": "oss-120b=gpt-oss:120b, gen-5.4=my-gen"}))
    assert served["oss-120b"].upstream_name == "gpt-oss:120b"
    assert served["gen-5.4"].upstream_name == "my-gen"
    assert served["gen-5.4-mini"].upstream_name == "gpt-5.4-mini"
    with pytest.raises(ConfigError, match="MODEL_NAMES"):
        load({"MODEL_NAMES": "gen-6=x"})


def test_a_missing_key_is_named_by_its_setting():
    missing = {kind: found.missing_setting for kind, found in providers(load({})).items()}
    assert missing == {
        "A": "PROVIDER_A_API_KEY",
        "B": "PROVIDER_B_API_KEY",
        "C": "PROVIDER_C_API_KEY",
    }
    found = providers(load(SETTINGS))
    assert [provider.missing_setting for provider in found.values()] == [None, None, None]


@pytest.mark.parametrize(("kind", "missing"), [("A", "PROVIDER_A_API_KEY"), ("C", None)])
def test_only_a_host_of_ones_own_for_c_needs_no_key(kind, missing):
    settings = {f"PROVIDER_{kind}_API_KEY": "", f"PROVIDER_{kind}_BASE_URL": "http://127.0.0.1:1"}
    assert model(kind, **settings).provider.missing_setting == missing
