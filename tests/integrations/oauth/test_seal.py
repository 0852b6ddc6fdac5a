"""Tokens at rest: sealed, bound to their place, and sealed again when keys are rotated."""

import base64
import re
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest

from config import ConfigError
from service.app_keys import APP_SETTINGS
from service.sealing.seal import Sealer, Unsealable
from service.upkeep import rotation
from tests.integrations.oauth.probe import STARTED, TASK
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import REFRESH_FAILED, outcome
from tests.services import on_sqlite, settings_for

OLD, NEW = ("old", b"o" * 32), ("new", b"n" * 32)


def test_the_first_key_seals_and_all_open():
    sealed = Sealer([OLD]).seal("a token", "here")
    assert sealed.startswith("old:")
    both = Sealer([NEW, OLD])
    assert both.open(sealed, "here") == "a token"
    assert (both.is_old(sealed), both.is_old(both.seal("x", "here"))) == (True, False)
    assert both.seal("x", "here") != both.seal("x", "here")


def opens(reader: list, writer: list) -> bool:
    with suppress(Unsealable):
        return Sealer(reader).open(Sealer(writer).seal("a token", "here"), "here") == "a token"
    return False


def test_in_each_step_of_changing_keys_old_and_new_workers_open_each_others_texts():
    """The steps of docs/deployment.md; before the last one, `keys rotate` has run."""
    steps = [[OLD], [OLD, NEW], [NEW, OLD], [NEW]]
    for before, after in pairwise(steps):
        assert opens(before, after), (before, after)
        assert opens(after, before), (before, after)
    assert not opens([OLD], [NEW, OLD]), "a step left out"


def test_nothing_opens_elsewhere_or_changed():
    sealer = Sealer([NEW, OLD])
    sealed = sealer.seal("a token", "here")
    raw = base64.b64decode(sealed.removeprefix("new:"))
    changed = [raw[:-1] + bytes([raw[-1] ^ 1]), bytes([raw[0] ^ 1]) + raw[1:], raw[:10], b""]
    for other in [
        *(f"new:{base64.b64encode(item).decode()}" for item in changed),
        "new:!",
        "x",
        "",
    ]:
        with pytest.raises(Unsealable):
            sealer.open(other, "here")
    with pytest.raises(Unsealable):
        sealer.open(sealed, "there")
    with pytest.raises(Unsealable):
        sealer.open(sealed.replace("new:", "old:"), "here")


def test_a_missing_key_is_named():
    with pytest.raises(Unsealable, match="'old', which is not in TOKEN_ENCRYPTION_KEYS"):
        Sealer([NEW]).open(Sealer([OLD]).seal("a token", "here"), "here")


def test_without_a_key_there_is_no_start():
    with pytest.raises(ConfigError, match="^TOKEN_ENCRYPTION_KEYS: must be set"):
        Sealer(settings_for("sqlite:///x.db", token_encryption_keys="").token_encryption_keys)


def test_a_token_in_another_users_row_does_not_open(alice, bob, provider):
    alice.connect()
    bob.connect(account="two")
    bob.change(**{name: alice.row[name] for name in ("access_token", "refresh_token")})
    answer = bob.call()
    assert (answer.status_code, answer.json) == (502, REFRESH_FAILED)
    bob.expire()
    assert bob.call().json == REFRESH_FAILED
    assert [seen.bearer for seen in provider.asked("api")] == []


@on_sqlite
def test_a_refresh_token_is_no_access_token(connected, provider):
    connected.change(access_token=connected.row["refresh_token"])
    assert connected.call().json == REFRESH_FAILED
    assert provider.asked("api") == []


@on_sqlite
def test_what_does_not_open_is_disconnected_all_the_same(connected, provider):
    connected.change(access_token="gone:AAAA", refresh_token="gone:AAAA")
    assert connected.status["connected"] is True
    assert connected.disconnect().status_code == 200
    assert (connected.row, provider.asked("revoke")) == (None, [])


@on_sqlite
def test_keys_new_prints_one_that_seals(app):
    printed = app.test_cli_runner().invoke(args=["keys", "new"]).output.strip()
    assert re.fullmatch(r"k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=", printed)
    settings = settings_for("sqlite:///x.db", token_encryption_keys=printed)
    assert Sealer(settings.token_encryption_keys).seal("x", "here").startswith(printed[:10])


def test_keys_rotate_seals_again_what_older_keys_have_sealed(app, connected, bob, provider):
    keyed = {"headers": {"Idempotency-Key": "k1"}}
    assert connected.call("probe-search", {}, **keyed).status_code == 200
    provider.script("probe", Reply(200, {**STARTED, "state": "done", "result": 1}))
    job = connected.call(TASK).json["data"]
    under_way = bob.consent()
    settings = APP_SETTINGS.of(app)
    keys = (NEW, *settings.token_encryption_keys)
    APP_SETTINGS.set(app, replace(settings, token_encryption_keys=keys))
    for count in (5, 0):
        done = app.test_cli_runner().invoke(args=["keys", "rotate"])
        assert done.output == f"{count} sealed again, 0 could not be opened\n"
    know_only(app, NEW)
    assert connected.call().json["data"]["account"] == "one"
    assert connected.call("probe-search", {}, **keyed).status_code == 200
    assert connected.person.get(f"/api/integrations/jobs/{job['jobId']}").json["data"] == job
    assert len(provider.asked("probe")) == 2, "the stored answers"
    assert outcome(bob.browser.get(under_way)) == "connected"


@on_sqlite
def test_a_rotation_leaves_what_it_can_not_open(app, connected):
    connected.change(refresh_token="lost:AAAA")
    with app.app_context():
        done = rotation.rotate(Sealer([NEW, *APP_SETTINGS.of(app).token_encryption_keys]))
    assert (done.resealed, done.unopened) == (1, 1)
    assert connected.row["access_token"].startswith("new:")
    assert connected.row["refresh_token"] == "lost:AAAA"


@on_sqlite
def test_a_rotation_tells_keys_apart_by_the_case_of_their_names(connected, app):
    upper = (OLD[0].upper(), NEW[1])
    for keys, count in (((OLD,), 2), ((upper, OLD), 2), ((upper, OLD), 0)):
        known = (*keys, *APP_SETTINGS.of(app).token_encryption_keys)
        with app.app_context():
            assert rotation.rotate(Sealer(known)).resealed == count
    assert connected.row["access_token"].startswith("OLD:")


def know_only(app, key: tuple[str, bytes]) -> None:
    proxy, sealer = app.extensions["proxy"], Sealer([key])
    proxy._sealer = proxy.connections._sealer = proxy.jobs._sealer = sealer
