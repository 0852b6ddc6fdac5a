"""What ends a limited token, and the rights that it has until then."""

import time
from dataclasses import replace

import pytest

from service.app_keys import APP_SETTINGS
from service.auth import tokens, users
from service.auth.permits import Permit
from service.auth.users import rights_cache
from service.upkeep import rights
from tests.services import on_sqlite
from tests.user_erasure import erase

pytestmark = on_sqlite


def test_a_limited_token_ends_at_its_time(alice, app):
    """With the leeway of every token."""
    settings = APP_SETTINGS.of(app)
    for ended, status in ((-30, 200), (-61, 401)):
        permit = Permit("token_1", "calls", time.time() + ended)
        token = tokens.issue_limited(settings, "alice", "user", None, permit)
        limited = replace(alice, token=token)
        assert limited.get("/api/integrations/catalog").status_code == status


def test_a_limited_token_ends_when_its_user_is_disabled(alice, app):
    limited = alice.limited("chat")
    with app.app_context():
        rights.set_disabled("alice", True)
    rights_cache.clear()
    assert limited.get("/api/ai/models").status_code == 401


def test_a_limited_token_ends_when_its_user_is_erased(alice, app):
    limited = alice.limited("chat")
    erase(app)
    assert limited.get("/api/ai/models").status_code == 401


def test_a_limited_token_made_just_after_the_erasure_does_not_restore_the_user(alice, app):
    """For two seconds a worker may not know of it."""
    for _ in range(2):  # the first creates the user, the second remembers the rights
        alice.get("/api/ai/models")
    rights_before = rights_cache.peek("alice")
    erase(app)
    rights_cache._rights["alice"] = rights_before, time.monotonic()
    limited = alice.limited("chat")
    rights_cache.clear()
    assert limited.get("/api/ai/models").status_code == 401
    with app.app_context():
        assert users.all_users() == []


@pytest.mark.parametrize("role", ["admin", "user"])
def test_a_limited_token_has_the_role_that_its_user_has_now(app, admin, role):
    """An admin who was downgraded is one no more, with any token."""
    limited = admin.limited("chat")
    with app.app_context():
        rights.set_role("admin", role)
    rights_cache.clear()
    caller = users.Caller("admin", tokens.peek(limited.token)[1]["role"])
    with app.app_context():
        assert users.current_role(caller) == role


def test_a_limited_token_claims_the_role_of_the_token_that_made_it(app, alice):
    """Else an override that is taken back would last as long as the token."""
    alice.get("/api/ai/models")
    with app.app_context():
        rights.set_role("alice", "admin")
    rights_cache.clear()
    assert tokens.peek(alice.limited().token)[1]["role"] == "user"
