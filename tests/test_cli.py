"""The commands, run as an operator runs them."""

import re
import sqlite3
from contextlib import closing

import gevent
import psycopg
import pytest
import requests
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from config import load
from service.auth import users as accounts
from service.auth.tokens import Verifier
from service.cli import credits
from service.database import postgresql, sqlite
from service.database.failures import DENIED
from service.extensions import db
from tests.fresh_copy import EXPIRED, FreshCopy
from tests.services import SECRET, command, environment, flask, settings_for, wait_for


def test_a_token_is_issued_with_role_and_lifetime(database_url):
    token = flask(database_url, "token", "issue", "carol", "--role", "admin", "--ttl", "90s")
    claims = Verifier(settings_for(database_url), None).verify(token)
    assert (claims.subject, claims.role) == ("carol", "admin")


def test_users_are_listed_disabled_and_given_roles(service):
    token = flask(service.database_url, "token", "issue", "carol")

    def status():
        headers = {"Authorization": f"Bearer {token}"}
        return requests.get(f"{service.url}/api/ai/models", headers=headers).status_code

    assert status() == 200
    flask(service.database_url, "users", "role", "carol", "admin")
    flask(service.database_url, "users", "disable", "carol")
    heading, carol = flask(service.database_url, "users", "list").splitlines()
    assert heading.split() == ["SUBJECT", "ROLE", "DISABLED", "CREATED", "AT"]
    assert carol.split()[:3] == ["carol", "admin", "yes"]
    wait_for(lambda: status() == 401)
    flask(service.database_url, "users", "disable", "carol", "--undo")
    wait_for(lambda: status() == 200)


def test_no_command_is_warned_by_a_library(database_url, caplog):
    """Libraries' warnings would stand between what the command says."""
    assert "No users yet" in flask(database_url, "users", "list")
    assert [record.getMessage() for record in caplog.records] == []


def test_bad_arguments_get_a_clear_error(databases):
    url = databases.make("sqlite")
    for arguments, text in [
        (("token", "issue", "x", "--ttl", "soon"), "must be a number with s, m, h or d"),
        (("token", "issue", "x" * 256), "1 to 255 characters"),
        (("users", "disable", "nobody"), "there is no user nobody"),
        (("users", "role", "nobody"), "there is no user nobody"),
        (("users", "role", "nobody", "admin"), "no user nobody: .* with its first call"),
        (("users", "role", "nobody", "x" * 65), "must have 1 to 64 characters"),
        (("users", "erase", "nobody", "--yes"), "there is no user nobody"),
    ]:
        with pytest.raises(AssertionError, match=text):
            flask(url, *arguments)


def test_an_autonomous_call_uses_tools_with_the_owners_rights(database_url):
    assert flask(database_url, "ask", "who am I?").splitlines()[-1] == "You are owner."
    statement = flask(database_url, "credits", "statement", "owner")
    assert "llm-sonnet-4-6" in statement.splitlines()[1]


def test_a_failed_autonomous_call_ends_with_an_error(databases):
    with pytest.raises(AssertionError, match="The model's answer broke off"):
        flask(databases.make("sqlite"), "ask", "/fail cut count to 9")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    return FreshCopy(tmp_path_factory.mktemp("fresh"))


def test_commands_that_create_secrets_do_not_need_them():
    made = command({}, "keys", "new")
    assert re.fullmatch(r"k[0-9a-f]{8}:[\w+/]{43}=\n", made.stdout), made.stdout
    settings = {"AUTH_SECRET": SECRET}
    issued = command(settings, "token", "issue", "boss", "--ttl", "365d")
    assert Verifier(load(settings), None).verify(issued.stdout.strip()).subject == "boss"


def test_an_owners_token_that_has_expired_is_renewed_by_a_command():
    settings = {"AUTH_SECRET": SECRET, "OWNER_TOKEN": EXPIRED}
    issued = command(settings, "token", "issue", "boss", "--role", "owner")
    claims = Verifier(load(settings), None).verify(issued.stdout.strip())
    assert (claims.subject, claims.role) == ("boss", "owner")


def test_the_database_is_created_and_read_without_secrets(fresh):
    refused = fresh.flask("users", "list")
    assert 'no tables. Run "flask --app wsgi db upgrade". For the service of' in refused.stdout
    assert not (fresh.place / "instance" / "app.db").exists()
    upgraded = fresh.flask("db", "upgrade")
    # Nothing is printed at the exit either, though objects that the collector leaves alone end
    # after some of the modules that they need.
    assert (upgraded.returncode, upgraded.stdout) == (0, "")
    made = {"DATABASE_URL": f"sqlite:///{fresh.place}/instance/app.db"}
    granted = command(made, "credits", "grant", "boss", "5", "--new")
    said = "boss was granted 5 credits. The balance is 1005 credits.\n"
    assert (granted.exit_code, granted.stdout) == (0, said)
    assert command(made, "users", "list").exit_code == 0


@pytest.fixture
def of_guest(databases):
    """Turns a database's URL into that of a role which does not own it."""
    exists = "SELECT FROM pg_roles WHERE rolname = 'guest'"
    made = f"IF NOT EXISTS ({exists}) THEN CREATE ROLE guest LOGIN; END IF;"
    databases.cluster.execute(f"DO $$BEGIN {made} END$$")
    return lambda url: url.replace("//app@", "//guest@")


@pytest.mark.parametrize("arguments", [("users", "list"), ("db", "upgrade")])
def test_a_command_says_that_its_role_does_not_own_the_tables(databases, of_guest, arguments):
    """As after a restore by somebody else."""
    result = command(environment(of_guest(databases.make("postgresql"))), *arguments)
    assert (result.exit_code, result.output) == (1, f"Error: {DENIED}\n")


def test_the_migration_says_that_its_role_does_not_own_the_database(databases, of_guest):
    url = databases.cluster.create("of_others", template="template0")
    databases.cluster.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC", "of_others")
    result = command(environment(of_guest(url)), "db", "upgrade")
    assert (result.exit_code, result.output) == (1, f"Error: {DENIED}\n")


@pytest.mark.parametrize(
    ("arguments", "values", "line"),
    [
        (("token", "issue", "boss"), {}, "AUTH_SECRET is not set"),
        (("keys", "rotate"), {}, "TOKEN_ENCRYPTION_KEYS: must be set"),
        (("users", "erase", "boss"), {}, "TOKEN_ENCRYPTION_KEYS: must be set"),
    ],
)
def test_a_command_names_a_missing_setting_in_one_line(databases, arguments, values, line):
    result = command({**values, "DATABASE_URL": databases.make("sqlite")}, *arguments)
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: {line}")
    assert result.output.count("\n") == 1


NO_TABLES = 'Error: the database has no tables. Run "SANDBOX=1 flask --app wsgi db upgrade".\n'
ON_THE_DATABASE = [
    ("users", "list"),
    ("users", "role", "alice"),
    ("users", "disable", "alice"),
    ("users", "erase", "alice", "--yes"),
    ("credits", "grant", "alice", "7"),
    ("credits", "balance", "alice"),
    ("credits", "statement", "alice"),
    ("keys", "rotate"),
    ("ask", "who am I?"),
    ("sweep",),
    ("backup", "/dev/null/copy"),
]


NOT_UTF_8 = "x\udcff"  # as Python reads the byte
WITH_TEXT = [
    ("users", "disable", NOT_UTF_8),
    ("users", "role", NOT_UTF_8),
    ("users", "role", "alice", NOT_UTF_8),
    ("users", "erase", NOT_UTF_8, "--yes"),
    ("credits", "balance", NOT_UTF_8),
    ("credits", "statement", NOT_UTF_8),
    ("credits", "grant", NOT_UTF_8, "5"),
    ("token", "issue", NOT_UTF_8),
    ("token", "issue", "alice", "--role", NOT_UTF_8),
    ("backup", NOT_UTF_8),
    ("catalog", "show", NOT_UTF_8),
    ("ask", NOT_UTF_8),
]


@pytest.mark.parametrize("arguments", WITH_TEXT, ids=ascii)
def test_an_argument_that_is_not_utf_8_is_refused_in_one_line(databases, arguments):
    result = command(environment(databases.make("sqlite")), *arguments)
    assert result.exit_code == 2
    assert result.output.splitlines()[-1].endswith("must be text in UTF-8")
    assert result.output.isascii()


@pytest.mark.parametrize("arguments", ON_THE_DATABASE, ids=" ".join)
def test_a_command_on_a_database_without_tables_says_so_in_one_line(arguments, tmp_path):
    file = tmp_path / "app.db"
    result = command(environment(f"sqlite:///{file}"), *arguments)
    assert (result.exit_code, result.output) == (1, NO_TABLES)
    assert not file.exists()
    file.touch()
    assert command(environment(f"sqlite:///{file}"), *arguments).output == NO_TABLES


def test_a_command_does_not_run_on_the_tables_of_an_earlier_release(databases):
    url = databases.make("sqlite")
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as earlier, earlier:
        earlier.execute("UPDATE alembic_version SET version_num = '0001'")
    with pytest.raises(AssertionError, match="the database is that of an earlier release. Run"):
        flask(url, "users", "list")
    assert "bytes" in flask(url, "backup", f"{url.removeprefix('sqlite:///')}.copy")


WRITING = [
    ("users", "role", "alice", "admin"),
    ("users", "disable", "alice"),
    ("users", "erase", "alice", "--yes"),
    ("credits", "grant", "alice", "7", "--ref", "it's mine"),
    ("sweep",),
    ("ask", "who am I?"),
    ("db", "upgrade"),
]


@pytest.mark.parametrize("arguments", WRITING, ids=" ".join)
def test_a_command_that_may_not_write_says_so_in_one_line(databases, arguments, monkeypatch):
    """Another process holds the file, such as a long migration."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    url = databases.make("sqlite")
    flask(url, "credits", "grant", "alice", "7", "--new")
    flask(url, "ask", "hello")
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as other:
        other.execute("BEGIN IMMEDIATE")
        result = command(environment(url), *arguments)
    assert result.exit_code == 1
    said = "Error: the database can't be used: database is locked"
    advice = """. Repeat the grant with --ref 'it'"'"'s mine', so that it is made once."""
    assert result.output.splitlines()[-1] == said + (advice if "grant" in arguments else "")
    assert isinstance(result.exception, SystemExit), "no traceback"


def test_an_erasure_and_a_rotation_take_longer_than_other_statements_may(databases, monkeypatch):
    """One statement may rename a million entries."""
    url = databases.make("postgresql")
    flask(url, "credits", "grant", "alice", "7", "--new")
    monkeypatch.setattr(postgresql, "STATEMENT_SECONDS", 0.5)
    with databases.cluster.connect(make_url(url).database) as other:
        other.execute("SELECT FROM accounts WHERE subject = 'alice' FOR UPDATE")
        refused = command(environment(url), "credits", "grant", "alice", "7")
        assert "canceling statement due to statement timeout" in refused.output
        releasing = gevent.spawn_later(1.5, other.rollback)
        assert "alice is erased" in flask(url, "users", "erase", "alice", "--yes")
        releasing.join()
        releasing = gevent.spawn_later(1.5, other.rollback)
        other.execute("LOCK TABLE grants")
        assert flask(url, "keys", "rotate").startswith("0 sealed again")
        releasing.join()


def test_a_command_says_of_a_file_that_it_is_no_database(tmp_path):
    (tmp_path / "app.db").write_bytes(b"x" * 10_000)
    result = command(environment(f"sqlite:///{tmp_path / 'app.db'}"), "users", "list")
    said = "Error: the database can't be used: file is not a database\n"
    assert (result.exit_code, result.output) == (1, said)


def test_an_error_of_a_command_itself_is_not_hidden(databases, monkeypatch):
    monkeypatch.setattr(
        accounts, "all_users", lambda: db.session.execute(db.text("SELECT nothing"))
    )
    result = command(environment(databases.make("sqlite")), "users", "list")
    assert isinstance(result.exception, OperationalError)


def test_a_grant_is_told_before_the_balance_is_read(databases, monkeypatch):
    """Who reads of an error alone would grant a second time."""

    def fail(*_):
        raise OperationalError("SELECT", {}, psycopg.OperationalError("the server closed"))

    monkeypatch.setattr(credits, "statement_of", fail)
    arguments = ("credits", "grant", "alice", "7", "--new")
    result = command(environment(databases.make("sqlite")), *arguments)
    said = "alice was granted 7 credits. Error: the database does not answer\n"
    assert (result.exit_code, result.output) == (1, said)


def test_a_command_says_why_there_is_no_connection(databases):
    """The cures differ, and of a password nothing is told."""
    url = make_url(databases.make("postgresql")).set(username="app", password="c4n4ry")
    for wrong, why in [
        ({"database": "none"}, 'FATAL: database "none" does not exist'),
        ({"username": "nobody"}, 'FATAL: role "nobody" does not exist'),
        ({"host": "127.0.0.1", "port": 1, "query": {}}, "Connection refused"),
        ({"query": {**url.query, "nosuch": "1"}}, 'invalid connection option "nosuch"'),
    ]:
        settings = environment(url.set(**wrong).render_as_string(hide_password=False))
        result = command(settings, "users", "list")
        assert result.output.startswith("Error: the database can't be used: "), result.output
        assert (result.exit_code, why in result.output) == (1, True), result.output
        assert "c4n4ry" not in result.output


def test_a_command_names_a_wrong_setting_in_one_line(fresh):
    result = fresh.flask("db", "upgrade", DATABASE_URL="x")
    assert result.returncode == 1
    assert result.stdout.startswith("Error: DATABASE_URL: must be sqlite:///path or ")
    assert result.stdout.count("\n") == 1
