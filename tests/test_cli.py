"""The operator's commands, run as an operator runs them."""

import pytest
import requests

from service.auth.tokens import Verifier
from tests.services import flask, settings_for, wait_for


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
    assert flask(service.database_url, "users", "list") == "carol\tadmin\tdisabled"
    wait_for(lambda: status() == 401)
    flask(service.database_url, "users", "disable", "carol", "--undo")
    wait_for(lambda: status() == 200)


def test_bad_arguments_get_a_clear_error(databases):
    url = databases.make("sqlite")
    for arguments, text in [
        (("token", "issue", "x", "--ttl", "soon"), "must be a number with s, m, h or d"),
        (("token", "issue", "x" * 256), "1 to 255 characters"),
        (("users", "disable", "nobody"), "no user nobody has called yet"),
    ]:
        with pytest.raises(AssertionError, match=text):
            flask(url, *arguments)


def test_an_autonomous_call_uses_tools_with_the_owners_rights(database_url):
    assert flask(database_url, "ask", "who am I?").splitlines()[-1] == "You are owner."
    statement = flask(database_url, "credits", "statement", "owner")
    assert "llm-sonnet-4-6" in statement.splitlines()[0]


def test_an_autonomous_call_that_fails_says_so(databases):
    with pytest.raises(AssertionError, match="The model's answer broke off"):
        flask(databases.make("sqlite"), "ask", "/fail cut count to 9")
