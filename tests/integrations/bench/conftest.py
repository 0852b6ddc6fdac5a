"""The bench: one app for all its tests."""

import pytest

from service import create_app
from service.auth.users import rights_cache
from service.integrations.calling import sending
from tests import model_streams
from tests.integrations.bench.bench import Bench
from tests.services import close, settings_for
from tests.upstream import Answer, ScriptedUpstream

# A text in which every composed endpoint finds all that it looks for.
WRITTEN = "Subject: A subject\n\nScore: 70\n+ What fits.\n- What does not.\nWhat the model writes."


@pytest.fixture(scope="package")
def model():
    """The provider of the models that composed endpoints ask; it always writes the same."""
    scripted = ScriptedUpstream()
    scripted.answers = [Answer(model_streams.anthropic(WRITTEN))]
    yield scripted
    scripted.stop()


@pytest.fixture(scope="package")
def one_bench(databases, model):
    rights_cache.clear()
    provider = {"provider_a_base_url": model.url, "provider_a_api_key": "k"}

    url = databases.make("sqlite")
    app = create_app(settings_for(url, sandbox="0", starting_credits=1_000_000_000, **provider))
    made = Bench(app)
    yield made
    made.vendor.stop()
    close(app)


@pytest.fixture
def bench(one_bench, monkeypatch):
    """It has forgotten what other tests did. No pause is made between two attempts."""
    rights_cache.clear()
    monkeypatch.setattr(sending, "sleep", lambda seconds: None)
    one_bench.reset()
    return one_bench
