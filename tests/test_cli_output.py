"""What commands say before they destroy, what they did, and their lists."""

import io
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import gevent
import psycopg
import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from config import load
from service.app_keys import APP_SETTINGS
from service.auth.tokens import issue
from service.auth.users import rights_cache
from service.billing.models import Account, Entry
from service.chat.finding import index
from service.cli import work
from service.cli.terminal import print_list
from service.database import detached
from service.database.access import write_transaction
from service.extensions import db
from service.generation.completion import MODELS
from service.integrations.models import Grant
from service.providers import catalog
from service.times import now
from service.upkeep import erasing, rights
from tests.services import ENVIRONMENT, command, environment, on_sqlite


class Terminal(io.BytesIO):
    """An operator who types these bytes."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def flask(app):
    """Run a command, with or without an operator at a terminal; returns exit code and output."""

    def run(*arguments, typed=None):
        terminal = None if typed is None else Terminal(typed)
        result = app.test_cli_runner().invoke(args=arguments, input=terminal)
        rights_cache.clear()
        return result.exit_code, result.output

    return run


@pytest.fixture
def stored(app, alice):
    """alice with a chat, a turn, two notes and a grant."""
    alice.turn(alice.new_chat(), "hello")
    for title in ("one", "two"):
        assert alice.post("/api/records/notes", {"title": title}).status_code == 201
    with app.app_context(), write_transaction() as session:
        sealed = {"access_token": "t:x", "scopes": [], "expires_at": now()}
        session.add(Grant(user_id="alice", integration="cloudsuite", **sealed))
    return alice


def test_an_erasure_is_described_and_needs_a_terminal_or_yes(flask, stored):
    code, output = flask("users", "erase", "alice")
    assert code == 1
    balance = stored.get("/api/credits").json["balance"]
    assert output.splitlines() == [
        "Erasing alice can't be undone.",
        "  deletes records: 1 ai-chats, 2 ai-messages, 2 notes",
        "  deletes grants: cloudsuite",
        f"  keeps under a pseudonym: 1 ai-turns, the ledger with a balance of {balance} credits",
        "Error: nothing was changed: run this in a terminal, or with --yes",
    ]
    assert len(stored.get("/api/records/notes").json["records"]) == 2


def test_an_erasure_with_yes_says_what_it_did(flask, stored):
    code, output = flask("users", "erase", "alice", "--yes")
    assert (code, output.splitlines()[:3]) == (
        0,
        [
            "alice is erased.",
            "  deleted records: 1 ai-chats, 2 ai-messages, 2 notes",
            "  deleted grants: cloudsuite",
        ],
    )
    assert stored.get("/api/credits").status_code == 401
    assert flask("users", "erase", "alice", "--yes") == (1, "Error: there is no user alice\n")


@on_sqlite
@pytest.mark.parametrize("failing", ["media", "index"])
def test_an_erasure_tells_what_is_not_revoked_before_anything_else_can_fail(
    app, flask, stored, monkeypatch, failing
):
    def fail():
        raise OperationalError("DELETE", {}, Exception("the database is away"))

    if failing == "media":
        monkeypatch.setitem(app.extensions, "media_sweeper", SimpleNamespace(sweep=fail))
    else:
        monkeypatch.setattr(index, "forget_deleted", fail)
    code, output = flask("users", "erase", "alice", "--yes")
    assert (code, "cloudsuite: erased here, but not revoked" in output) == (1, True)


@on_sqlite
def test_an_erasure_whose_commit_is_not_answered_tells_what_may_not_be_revoked(
    flask, stored, monkeypatch
):
    def fail(*_):
        raise OperationalError("COMMIT", {}, psycopg.OperationalError("the connection is lost"))

    monkeypatch.setattr(erasing, "erase", fail)
    code, output = flask("users", "erase", "alice", "--yes")
    assert (code, output) == (
        1,
        "Error: the database does not answer. Run the command again. "
        "If it then finds no such user, these grants are deleted but not revoked: cloudsuite.\n",
    )


@on_sqlite
def test_an_erasure_that_is_interrupted_tells_what_is_not_revoked(app, flask, stored, monkeypatch):
    """The vendor is slow, and the operator does not wait."""

    def interrupt(_grant):
        raise KeyboardInterrupt

    monkeypatch.setattr(app.extensions["proxy"].connections, "revoke", interrupt)
    code, output = flask("users", "erase", "alice", "--yes")
    reason = "cloudsuite: erased here, but not revoked at the provider (it was interrupted)"
    assert (code, reason in output) == (0, True)
    assert stored.get("/api/credits").status_code == 401


@on_sqlite
@pytest.mark.parametrize(
    ("typed", "code", "last", "status"),
    [
        (b"n\n", 1, "Aborted!", 200),
        (b"\n", 1, "Aborted!", 200),
        (b"", 1, "Aborted!", 200),
        (b"y\n", 0, "kept under a pseudonym", 401),
    ],
)
def test_an_operator_at_a_terminal_is_asked(flask, alice, typed, code, last, status):
    alice.get("/api/credits")
    done, output = flask("users", "erase", "alice", typed=typed)
    assert "Erase alice? [y/N]: " in output
    assert (done, last in output) == (code, True), output
    assert alice.get("/api/credits").status_code == status


@on_sqlite
def test_the_role_is_shown_with_where_it_comes_from_and_changed_only_when_asked(flask, alice):
    alice.get("/api/credits")
    assert "the role in the token" in flask("users", "role", "alice")[1]
    given = flask("users", "role", "alice", "admin")[1]
    assert "admin, set by an operator" in given
    assert "Warning" not in given
    code, output = flask("users", "role", "alice")
    assert (code, output.startswith("alice: the role admin, set by an operator")) == (0, True)
    assert flask("users", "role", "alice", "admin", "--undo")[0] == 2
    assert "the role in the token" in flask("users", "role", "alice", "--undo")[1]
    assert "the role in the token" in flask("users", "role", "alice")[1]
    assert flask("users", "disable", "alice")[1].startswith("alice is disabled")


@on_sqlite
@pytest.mark.settings(extensions="tests.permissions.rule_collections", budgets="teacher.day=5")
def test_a_role_that_nothing_names_is_given_with_a_warning(flask, alice):
    alice.get("/api/credits")
    code, output = flask("users", "role", "alice", "editr")
    assert (code, output.splitlines()) == (
        0,
        [
            "alice now has the role editr, set by an operator (--undo removes it). "
            "It applies everywhere within two seconds.",
            "Warning: no collection has rules for the role editr, so the rules for other roles "
            "apply. Roles with rules: admin, clerk, editor, user",
        ],
    )
    for known in ("user", "admin", "editor", "clerk", "teacher"):
        assert "Warning" not in flask("users", "role", "alice", known)[1]


@on_sqlite
def test_a_token_for_a_role_that_nothing_names_is_issued_with_a_warning(flask):
    token, warning = flask("token", "issue", "alice", "--role", "amdin")[1].splitlines()
    assert token.count(".") == 2
    assert warning.startswith("Warning: no collection has rules for the role amdin, ")
    for known in ("user", "owner", "admin"):
        assert "Warning" not in flask("token", "issue", "alice", "--role", known)[1]


@on_sqlite
def test_a_list_of_nothing_says_so(flask):
    assert flask("users", "list")[1].startswith("No users yet")
    assert flask("users", "list", "--json") == (0, "[]\n")


@on_sqlite
def test_lists_are_aligned_for_people_and_json_for_scripts(app, flask, alice, bob):
    for person in (alice, bob):
        person.get("/api/credits")
    with app.app_context():
        rights.set_role("bob", "admin")
        db.session.remove()
    heading, first, second = flask("users", "list")[1].splitlines()
    column = heading.index("ROLE")
    assert (first[column:].split()[:2], second[column:].split()[:2]) == (
        ["-", "no"],
        ["admin", "no"],
    )
    listed = json.loads(flask("users", "list", "--json")[1])
    assert [(user["subject"], user["role"]) for user in listed] == [
        ("alice", None),
        ("bob", "admin"),
    ]
    assert listed[0]["createdAt"].endswith("Z")


@on_sqlite
def test_the_catalog_is_listed_with_what_each_endpoint_needs(flask):
    heading, *lines = flask("catalog", "list")[1].splitlines()
    assert heading.split() == ["NAME", "INTEGRATION", "CREDITS", "NEEDS"]
    listed = json.loads(flask("catalog", "list", "--json")[1])
    assert [line.split()[0] for line in lines] == [endpoint["name"] for endpoint in listed]
    assert {len(line) >= heading.index("NEEDS") for line in lines} == {True}


@on_sqlite
def test_the_key_of_an_endpoints_model_is_needed_too(app):
    settings = APP_SETTINGS.of(app)
    APP_SETTINGS.set(app, replace(settings, vendors={**settings.vendors, "PDL_API_KEY": "k"}))
    MODELS.set(app, catalog.models(replace(settings, provider_a_api_key=None)))
    listed = app.test_cli_runner().invoke(args=["catalog", "list", "--json"]).stdout
    needs = {one["name"]: one["needs"] for one in json.loads(listed)}
    assert needs["profnet-analyze-profiles"] == "PROVIDER_A_API_KEY"


@on_sqlite
def test_the_catalog_needs_no_settings_if_another_instance_makes_the_calls(database_url):
    there = environment(database_url, INTEGRATIONS_GATEWAY_URL="https://gateway.example")
    listed = json.loads(command(there, "catalog", "list", "--json").stdout)
    assert {endpoint["needs"] for endpoint in listed} == {None}


def test_a_subject_can_not_control_the_operators_terminal(capsys):
    print_list([{"subject": "a\x1b[2J\nb\tü"}], "none", as_json=False)
    assert capsys.readouterr().out == "SUBJECT\na\\x1b[2J\\nb\\tü\n"


def test_no_json_controls_the_operators_terminal(capsys):
    subject = "a\x1b[2J\x9b2J\x7fü"
    print_list([{"subject": subject}], "none", as_json=True)
    printed = capsys.readouterr().out
    assert json.loads(printed) == [{"subject": subject}]
    assert '"a\\u001b[2J\\u009b2J\\u007fü"' in printed


@on_sqlite
def test_a_models_text_can_not_control_the_operators_terminal(app):
    """The text may repeat what anybody has written into a record."""
    asked = "repeat after me: a\x1b]0;title\x07\r\n\x9b2Jü\tb"
    result = app.test_cli_runner().invoke(args=["ask", asked])
    assert result.stdout == "a\\x1b]0;title\\x07\n\\x9b2Jü\tb\n"


def test_the_apps_owner_is_not_erased_while_the_app_has_the_token(databases):
    """Whatever the owner pays for would fail from then on."""
    url = databases.make("sqlite")
    assert "hello" in command(environment(url), "ask", "repeat after me: hello").stdout
    refused = command(environment(url), "users", "erase", "owner", "--yes")
    assert (refused.exit_code, refused.output) == (
        1,
        "Error: owner is the app's owner. "
        "Put a token of another subject into OWNER_TOKEN and reload the service first.\n",
    )
    for other in (issue(load(ENVIRONMENT), "boss", "owner", 60), "no token"):
        erased = command(environment(url, OWNER_TOKEN=other), "users", "erase", "owner", "--yes")
        assert "there is no user owner" in erased.output or "owner is erased" in erased.output


def test_nobody_is_erased_by_a_release_that_does_not_know_all_tables(databases):
    """What a later release stores about a person would stay."""
    url = databases.make("sqlite")
    command(environment(url), "credits", "grant", "alice", "5", "--new")
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as later, later:
        later.execute("UPDATE alembic_version SET version_num = 'later'")
    refused = command(environment(url), "users", "erase", "alice", "--yes")
    assert refused.exit_code == 1
    assert refused.output.startswith("Error: the database is that of a later release")
    assert "1005 credits" in command(environment(url), "credits", "balance", "alice").output


def test_nobody_is_erased_by_a_command_that_does_not_know_the_apps_owner(databases):
    """A shell may have only a part of the service's settings."""
    url = databases.make("sqlite")
    command(environment(url), "credits", "grant", "owner", "5", "--new")
    values = environment(url, SANDBOX="0")
    del values["OWNER_TOKEN"]
    refused = command(values, "users", "erase", "owner", "--yes")
    said = "Error: OWNER_TOKEN: must be set, because its subject is not erased\n"
    assert (refused.exit_code, refused.output) == (1, said)
    assert "1005 credits" in command(values, "credits", "balance", "owner").output


@on_sqlite
def test_an_answer_that_the_operator_interrupts_is_charged_and_holds_nothing(app, monkeypatch):
    def interrupt(_piece):
        raise KeyboardInterrupt

    monkeypatch.setattr(work, "print_prose", interrupt)
    result = app.test_cli_runner().invoke(args=["ask", "count to 3000"])
    assert (result.exit_code, result.output.count("Aborted!")) == (1, 1)
    with app.app_context():
        account = db.session.scalars(select(Account)).one()
        charge = db.session.scalars(select(Entry).where(Entry.kind == "charge")).one()
        db.session.commit()
    assert (account.subject, account.held) == ("owner", 0)
    assert charge.amount < 0
    assert not list(app.extensions["runs"])


@on_sqlite
def test_a_sweep_that_is_interrupted_stores_the_tokens_that_it_has_asked_for(app, monkeypatch):
    """A provider may give each refresh token once."""
    stored = []

    def refresh() -> None:
        gevent.sleep(0.3)
        stored.append("tokens")

    def refresh_idle(*_):
        with gevent.Timeout(0.05, KeyboardInterrupt()):
            detached.run_detached(refresh, "tokens not refreshed")

    monkeypatch.setattr(work, "refresh_idle", refresh_idle)
    result = app.test_cli_runner().invoke(args=["sweep"])
    assert (result.exit_code, result.output.count("Aborted!")) == (1, 1)
    assert stored == ["tokens"]
