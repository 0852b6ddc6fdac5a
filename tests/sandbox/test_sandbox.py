"""The sandbox: real HTTP, marked answers, secrets of its own."""

import json
import re
import stat
from dataclasses import replace

import pytest
import requests

from config import ROOT, ConfigError, load
from service.auth.tokens import issue
from service.sandbox import faults
from service.sandbox.assistant import AssistantInput, AssistantReply, reply
from service.sandbox.boot import prepare
from service.sandbox.secrets import database_file, fill
from tests.people import text_of
from tests.services import ENVIRONMENT, on_sqlite, settings_for


@pytest.fixture
def bare(tmp_path):
    """Settings without any secret."""
    settings = settings_for(f"sqlite:///{tmp_path}/app.db")
    return replace(settings, auth_secret=None, owner_token=None, token_encryption_keys=())


def test_secrets_are_made_once_for_their_owners_eyes(bare, tmp_path):
    first, second = fill(bare, tmp_path), fill(bare, tmp_path)
    assert first.auth_secret == second.auth_secret
    assert first.token_encryption_keys == second.token_encryption_keys
    assert len(first.auth_secret) >= 32
    assert stat.S_IMODE((tmp_path / "sandbox.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["sandbox.json"]


def test_the_sandbox_has_a_database_of_its_own(tmp_path):
    assert database_file(tmp_path).name == "sandbox.db"
    (tmp_path / "app.db").touch()  # of a start without the sandbox
    assert database_file(tmp_path).name == "sandbox.db"


def test_a_sandbox_of_an_earlier_release_keeps_its_database(tmp_path):
    made = {"auth_secret": "a" * 48, "sealing_key": "sandbox:" + "A" * 43 + "="}
    (tmp_path / "sandbox.json").write_text(json.dumps(made))
    (tmp_path / "app.db").touch()
    assert database_file(tmp_path).name == "app.db"
    (tmp_path / "app.db").rename(tmp_path / "sandbox.db")  # as CHANGELOG.md says
    (tmp_path / "app.db").touch()
    assert database_file(tmp_path).name == "sandbox.db"


def test_a_database_that_is_set_is_the_sandboxs_too():
    assert prepare(settings_for("sqlite:////tmp/mine.db")).database_url == "sqlite:////tmp/mine.db"
    unset = load(dict(ENVIRONMENT))
    assert prepare(unset).database_url.endswith("instance/sandbox.db")


@pytest.mark.parametrize(
    "reached",
    [
        {"bind": "0.0.0.0:8000"},
        {"bind": "[::]:8000"},
        {"bind": "app.example:8000"},
        {"bind": "127.0.0.1:8000,0.0.0.0:8001"},
        {"public_url": "https://app.example"},
    ],
)
def test_a_sandbox_that_others_can_reach_has_to_be_wanted(reached):
    with pytest.raises(ConfigError, match="must stay on loopback"):
        prepare(settings_for("sqlite:////tmp/mine.db", **reached))
    wanted = settings_for("sqlite:////tmp/mine.db", sandbox_anywhere="1", **reached)
    assert prepare(wanted).sandbox


@pytest.mark.parametrize("bind", ["127.0.0.1:8000", "[::1]:8000,localhost:8000"])
def test_a_sandbox_may_listen_on_loopback(bind):
    assert prepare(settings_for("sqlite:////tmp/mine.db", bind=bind)).sandbox


def test_a_place_that_can_not_have_secrets_is_refused_in_words(bare, tmp_path):
    """As a folder that another user's first start has made."""
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ConfigError, match=r"^SANDBOX: .*file/sandbox.json .* \(FileExistsError\)"):
        fill(bare, file)


KEY = f"sandbox:{'A' * 43}="


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        '{"auth_sec',
        "[]",
        "{}",
        json.dumps({"auth_secret": "s" * 40}),
        json.dumps({"auth_secret": "s" * 31, "sealing_key": KEY}),
        json.dumps({"auth_secret": 4, "sealing_key": KEY}),
        json.dumps({"auth_secret": "s" * 40, "sealing_key": ""}),
        json.dumps({"auth_secret": "s" * 40, "sealing_key": "sandbox:short"}),
    ],
)
def test_damaged_secrets_are_refused_in_words(bare, tmp_path, damaged):
    (tmp_path / "sandbox.json").write_text(damaged)
    with pytest.raises(ConfigError, match=r"^SANDBOX: .*sandbox.json is damaged; delete it"):
        fill(bare, tmp_path)


def test_given_secrets_are_kept(tmp_path):
    settings = settings_for(f"sqlite:///{tmp_path}/app.db")
    assert fill(settings, tmp_path).auth_secret == settings.auth_secret


@on_sqlite
def test_every_answer_says_sandbox(app):
    url = app.extensions["models"]["llm-sonnet-4-6"].provider.base_url
    for path in ("/v1/messages", "/no/such/path"):
        assert requests.post(url + path, json={}).headers["X-Sandbox"] == "1"


@on_sqlite
@pytest.mark.settings(provider_a_api_key="a-real-key", provider_c_base_url="http://127.0.0.1:9/v1")
def test_a_provider_with_a_key_or_url_of_its_own_is_not_replaced(app):
    urls = {m.provider.kind: m.provider.base_url for m in app.extensions["models"].values()}
    assert urls["A"] == "https://api.anthropic.com"
    assert urls["B"].startswith("http://127.0.0.1:")
    assert urls["C"] == "http://127.0.0.1:9/v1"


def test_every_fault_is_documented():
    text = (ROOT / "docs/sandbox.md").read_text()
    assert [name for name in faults.NAMES if f"| `{name}` |" not in text] == []


def test_the_consent_of_the_document_connects_the_account(service):
    block = re.search(r"```python\n(.*?)```", (ROOT / "docs/sandbox.md").read_text(), re.S)
    token = issue(settings_for(service.database_url), "alice", "user", 3600)
    with requests.Session() as alice:
        alice.headers["Authorization"] = f"Bearer {token}"
        exec(block[1], {"alice": alice, "API": f"{service.url}/api"})


def test_an_unknown_fault_is_ordinary_text():
    assert faults.named_fault("/fail whatever") is None
    assert faults.named_fault("please /fail cut this") == "cut"


TOOLS = frozenset({"schema.list", "user.current", "schema.describe"})
EVERY = TOOLS | {"records.create", "records.query", "records.update", "records.delete"}


def test_the_assistant_calls_what_is_asked_for_and_only_what_it_is_given():
    asked = AssistantInput("Which collections are there? And who am I?", tools=TOOLS)
    assert reply(asked).calls == (("schema.list", {}), ("user.current", {}))
    assert reply(replace(asked, tools=frozenset())).calls == ()
    assert reply(replace(asked, may_call=False)).calls == ()


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("schema.describe", {"collection": "tasks"}),
        ("records.create", {"collection": "notes", "data": {"title": "add two tasks: a, b"}}),
        ("records.query", {"collection": "notes", "where": {"title": "mark a as done"}}),
    ],
    ids=["a name", "an input", "a follow-up"],
)
def test_the_words_of_a_call_are_no_further_commands(tool, given):
    text = f"call {tool} with {json.dumps(given)}"
    asked = AssistantInput(text, tools=EVERY)
    assert reply(asked).calls == ((tool, given),)
    found = json.dumps({"records": [{"recordId": "rec_1", "data": {"title": "a"}}]})
    assert reply(replace(asked, results=((tool, found),))).calls == ()


@pytest.mark.parametrize("given", ["{oops}", '{"a": ' * 5000 + "}"], ids=["no JSON", "too deep"])
def test_a_call_with_what_is_not_json_is_told(given):
    """The stand-in answered 500, and the reply said that the provider was down."""
    asked = AssistantInput(f"call schema.list with {given}", tools=TOOLS)
    assert reply(asked) == AssistantReply("I can't call schema.list with that: it is not JSON.")


def test_the_assistant_tells_what_a_tool_said():
    result = json.dumps({"collections": ["notes"]})
    told = reply(
        AssistantInput("which collections?", results=(("schema.list", result),), tools=TOOLS)
    )
    assert told == AssistantReply("There are 1 collections that you may read: notes.")


def test_the_assistant_remembers_what_it_was_told():
    earlier = ("remember that the code is blue", "remember that the code is green")
    assert reply(AssistantInput("What is the code?", earlier)).text == "the code is green."
    assert "not told me" in reply(AssistantInput("What is the key?", earlier)).text


RECORDS = frozenset({"records.query", "records.create", "schema.describe"})


def test_the_assistant_keeps_collections_that_it_has_not_heard_of():
    asked = AssistantInput("What is in my reading-lists?", tools=RECORDS)
    assert reply(asked).calls == (("records.query", {"collection": "reading-lists"}),)
    adding = AssistantInput("Add a city: Oslo", tools=RECORDS)
    assert reply(adding).calls == (("schema.describe", {"collection": "cities"}),)
    columns = [{"name": "note", "required": False}, {"name": "name", "required": True}]
    texts = [{**column, "type": "string", "readOnly": False} for column in columns]
    described = ("schema.describe", json.dumps({"name": "cities", "columns": texts}))
    [(_, written)] = reply(replace(adding, results=(described,))).calls
    assert written == {"collection": "cities", "data": {"name": "Oslo"}}


WEATHER = "mail my first contact the weather in Berlin"
CLEO = json.dumps({"contacts": [{"name": "Cleo", "emails": ["cleo@example.com"]}]})
MILD = json.dumps(
    {"place": {"name": "Berlin"}, "current": {"temperature": 7.0, "condition": "Fog"}}
)


def calling(*results):
    told = tuple(("integrations.call", result) for result in results)
    return reply(AssistantInput(WEATHER, results=told, tools=frozenset({"integrations.call"})))


def test_the_message_is_written_from_both_reads():
    endpoints = [given["endpoint"] for _, given in calling().calls]
    assert endpoints == ["cloudsuite/contacts-list", "current-weather"]
    [(_, given)] = calling(CLEO, MILD).calls
    assert given["endpoint"] == "cloudsuite/mail-send"
    assert given["body"] == {
        "to": "cleo@example.com",
        "subject": "The weather in Berlin",
        "content": "Hello Cleo. In Berlin it is 7 °C now, fog.",
    }


def test_without_both_reads_there_is_no_message():
    refused = "The user did not allow this call."
    assert calling(refused, MILD) == AssistantReply(
        f"integrations.call said: {refused} In Berlin it is 7 °C now, fog."
    )
    assert calling(CLEO, "{}").calls == calling("[]", MILD).calls == ()
    assert calling(CLEO, MILD, '{"sent": true}').text.endswith("I have sent the message.")


@on_sqlite
def test_words_arrive_one_by_one(alice):
    chat = alice.new_chat()
    pieces = [piece for piece in alice.ask(chat, "count to 20").response if b"text-delta" in piece]
    assert len(pieces) > 3
    assert text_of(alice.turn(chat, "count to 3")) == "1 2 3"


ENDED = "/api/integrations/oauth/cloudsuite/callback?state=unknown&code=c"


@on_sqlite
def test_the_page_that_ends_a_consent_says_sandbox(client):
    assert ">sandbox</p>" in client.get(ENDED).text


@on_sqlite
@pytest.mark.settings(sandbox="")
def test_without_the_sandbox_that_page_does_not_say_so(client):
    assert ">sandbox</p>" not in client.get(ENDED).text
