"""What the sandbox's authorization servers take for a code or a token, and when it ends."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from service.database.access import write_transaction
from service.sandbox.suite import tokens
from service.sandbox.suite.models import SuiteAccess, SuiteCode, SuiteToken
from service.times import now
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.settings(sandbox="")]
ACCOUNTS, OTHERS = {"ada"}, {"clips-ada"}  # of two servers
SCOPES = ["mail.readonly", "openid"]


@pytest.fixture(autouse=True)
def in_context(app):
    with app.app_context():
        yield


def code(scopes=SCOPES):
    with write_transaction() as session:
        return tokens.allow(session, "ada", scopes, "challenge", union=True)


def pair():
    return tokens.redeem(code(), "challenge", ACCOUNTS)


def change(table, *where, **values):
    with write_transaction() as session:
        session.execute(update(table).where(*where).values(**values))


def stored(table):
    with write_transaction() as session:
        return session.scalars(select(table)).all()


def test_a_token_opens_what_was_allowed():
    given = pair()
    assert given.scopes == SCOPES
    assert tokens.holder(given.access, ACCOUNTS) == tokens.Holder("ada", frozenset(SCOPES))
    assert (given.account, given.seconds) == ("ada", tokens.HOUR)
    again = tokens.refresh(given.refresh, ACCOUNTS)
    assert (again.scopes, again.access != given.access) == (SCOPES, True)
    assert tokens.holder(given.access, ACCOUNTS), "until its own end"


def test_codes_and_tokens_end():
    late = code()
    change(SuiteCode, expires_at=now() - timedelta(seconds=1))
    assert tokens.redeem(late, "challenge", ACCOUNTS) is None
    given = pair()
    change(SuiteToken, expires_at=now() - timedelta(seconds=1))
    assert tokens.holder(given.access, ACCOUNTS) is None
    assert tokens.refresh(given.refresh, ACCOUNTS) is None


def test_what_one_server_gave_opens_nothing_at_another():
    assert tokens.redeem(code(), "challenge", OTHERS) is None
    given = pair()
    assert tokens.holder(given.access, OTHERS) is None
    assert tokens.revoke(given.refresh, OTHERS) is False
    assert tokens.holder(given.access, ACCOUNTS)
    assert tokens.refresh(given.refresh, OTHERS) is None


def test_each_kind_of_token_serves_for_its_own_purpose():
    given = pair()
    assert tokens.holder(given.refresh, ACCOUNTS) is None
    assert tokens.refresh(given.access, ACCOUNTS) is None
    assert tokens.holder(given.access, ACCOUNTS), "which is no theft of a refresh token"
    assert tokens.refresh("unknown", ACCOUNTS) is None


def test_expiring_leaves_the_refresh_token():
    given = pair()
    with write_transaction() as session:
        tokens.expire(session, "ada")
    assert tokens.holder(given.access, ACCOUNTS) is None
    assert tokens.refresh(given.refresh, ACCOUNTS)


def test_revoking_ends_codes_and_what_was_ever_allowed():
    given, unused = pair(), code()
    assert tokens.revoke(given.access, ACCOUNTS) is True
    assert tokens.redeem(unused, "challenge", ACCOUNTS) is None
    assert stored(SuiteAccess) == stored(SuiteToken) == []
    assert tokens.redeem(code(["drive"]), "challenge", ACCOUNTS).scopes == ["drive"]


def test_what_has_ended_is_swept_after_a_day():
    code()
    change(SuiteCode, expires_at=now() - timedelta(seconds=1))
    old = pair()
    tokens.refresh(old.refresh, ACCOUNTS)
    change(SuiteToken, SuiteToken.spent.is_(True), created_at=now() - timedelta(hours=25))
    change(SuiteToken, SuiteToken.kind == "access", expires_at=now() - timedelta(hours=25))
    pair()
    assert stored(SuiteCode) == []
    kinds = sorted((one.kind, one.spent) for one in stored(SuiteToken))
    assert kinds == [("access", False), ("refresh", False), ("refresh", False)]
    recent = tokens.refresh(pair().refresh, ACCOUNTS)
    assert recent
    assert sum(one.spent for one in stored(SuiteToken)) == 1, "so that its theft is noticed"
