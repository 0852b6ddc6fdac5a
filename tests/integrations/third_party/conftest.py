"""An app, configured as an operator would, between a real OAuth server and a scripted suite."""

import pytest

from tests.integrations.oauth.user import User, user
from tests.integrations.scripted_vendor import Asked, Said, ScriptedVendor
from tests.integrations.third_party.server import AuthorizationServer
from tests.npm import install

APIS = ("mail", "calendar", "drive", "upload", "contacts")


@pytest.fixture(scope="session")
def process(tmp_path_factory):
    install()
    running = AuthorizationServer(tmp_path_factory.mktemp("authorization"))
    yield running
    running.stop()


@pytest.fixture
def server(process) -> AuthorizationServer:
    process.reset()
    return process


@pytest.fixture
def office(server):
    """The suite's APIs: they take the last token that the server has given, and no other."""

    def answer(asked: Asked) -> Said:
        given = server.asked("token")[-1]["answer"].get("access_token")
        live = asked.headers["authorization"] == f"Bearer {given}"
        return Said({"messages": [], "items": []}) if live else Said({"error": {}}, 401)

    scripted = ScriptedVendor()
    scripted.says(answer)
    yield scripted
    scripted.stop()


@pytest.fixture
def database_url(databases) -> str:
    return databases.make("sqlite")


@pytest.fixture
def configure(server, office) -> dict:
    """Without the sandbox, so that nothing is redirected to it."""
    urls = {f"cloudsuite_{name}_base_url": f"{office.url}/{name}" for name in APIS}
    return {"sandbox": "0", **server.settings, **urls}


@pytest.fixture
def alice(app, server) -> User:
    return user(app, server, "alice")


@pytest.fixture
def bob(app, server) -> User:
    return user(app, server, "bob")


@pytest.fixture
def connected(alice) -> User:
    """Alice, who may read mail."""
    alice.connect()
    return alice
