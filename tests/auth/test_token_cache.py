"""Verified tokens are kept, but long ones take no more memory than many short ones."""

import time
import tracemalloc

import pytest

from config import Settings
from service.auth import tokens
from service.auth.permits import Permit
from service.web.errors import Unauthorized
from tests.services import SECRET

ALLOWED = 2 << 20  # bytes of tokens and what is kept of each, at the limit of the test
NAMES = frozenset(f"an-endpoint-with-a-long-name-{number}" for number in range(130))


def test_tokens_that_name_many_endpoints_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(tokens, "CACHE_CHARACTERS", 256 << 10)
    settings = Settings(auth_secret=SECRET)
    verifier = tokens.Verifier(settings, None)
    made = [
        tokens.issue_limited(
            settings, "alice", "user", None, Permit(f"token_{number}", "calls", 4e9, NAMES)
        )
        for number in range(300)
    ]
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for token in made:
        assert verifier.verify(token).permit.endpoints == NAMES
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert taken < ALLOWED


def test_a_kept_token_is_refused_when_it_has_expired(monkeypatch):
    settings, real_time = Settings(auth_secret=SECRET), time.time
    verifier = tokens.Verifier(settings, None)
    token = tokens.issue_limited(
        settings, "alice", "user", None, Permit("token_1", "calls", real_time() + 10, NAMES)
    )
    for later in (0, 9, 10 + tokens.LEEWAY - 2):
        monkeypatch.setattr(time, "time", lambda later=later: real_time() + later)
        assert verifier.verify(token).subject == "alice"
    monkeypatch.setattr(time, "time", lambda: real_time() + 10 + tokens.LEEWAY + 2)
    with pytest.raises(Unauthorized, match="expired"):
        verifier.verify(token)
