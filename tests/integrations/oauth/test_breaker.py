"""The breaker of an integration, which all workers share."""

from contextlib import suppress
from dataclasses import replace

import gevent
import pytest
from gevent.pool import Pool
from sqlalchemy import text, update

from service import create_app
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.extensions import db
from service.integrations.calling import breaker
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.request import elsewhere
from service.integrations.models import Breaker
from service.integrations.vendors.magnific.auto import image
from service.integrations.vendors.magnific.tasks import answered
from service.web.errors import ServiceError
from tests.integrations.oauth.probe import SEARCH
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import EVENTS, REFRESH_FAILED, user
from tests.services import close, on_sqlite, wait_for

OPEN = {
    "success": False,
    "error": "upstream_provider_error",
    "message": "This integration has failed repeatedly. Calls are stopped for up to half a minute.",
    "upstreamStatus": None,
}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(breaker, "LOOK_SECONDS", 0.05)


@pytest.fixture
def other(app, settings, provider):
    """Alice at a second instance of the app, on the same database."""
    second = create_app(settings)
    second.extensions["vendor_settings"]["PROBE_BASE_URL"] = provider.url
    yield user(second, provider, "alice")
    close(second)


def broken(provider, count: int) -> None:
    provider.script("probe", *[Reply(500, "")] * count)


def fail(caller, provider, count: int = breaker.FAILURES) -> None:
    broken(provider, count)
    assert [caller.call(SEARCH).status_code for _ in range(count)] == [502] * count


def failures(app) -> int | None:
    with app.app_context():
        found = db.session.scalar(db.select(Breaker.failures))
        db.session.commit()
    return found


def rested(app) -> None:
    """The pause of every breaker is over."""
    with app.app_context(), write_transaction() as session:
        session.execute(update(Breaker).values(open_until=current_time()))
    gevent.sleep(0.06)


@on_sqlite
def test_after_five_failures_nothing_is_sent(alice, other, provider):
    fail(alice, provider)
    gevent.sleep(0.06)
    for caller in (alice, other):
        answer = caller.call(SEARCH)
        assert (answer.status_code, answer.json) == (502, OPEN)
    assert len(provider.seen) == breaker.FAILURES


def test_failures_of_all_workers_count(alice, other, provider):
    fail(alice, provider, 3)
    fail(other, provider, 2)
    gevent.sleep(0.06)
    assert alice.call(SEARCH).json == OPEN
    assert len(provider.seen) == breaker.FAILURES


@on_sqlite
def test_only_failures_in_a_row_count(alice, provider):
    for _ in range(3):
        fail(alice, provider, 4)
        assert alice.call(SEARCH).status_code == 200
    assert failures(alice.app) == 0


# What each status of a vendor's is for the caller; none of these counts as a failure.
REFUSALS = {
    **dict.fromkeys((400, 409, 413, 414, 416, 422, 431), 400),
    **dict.fromkeys((404, 410), 404),
    429: 429,
    **dict.fromkeys((401, 402, 403, 405, 406, 408, 411, 412, 415, 417, 418, 421), 502),
    **dict.fromkeys((423, 424, 425, 426, 428, 451, 300, 301, 302, 303, 307, 308), 502),
}
OUTAGES = (500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 529, 599)


@on_sqlite
def test_a_status_below_500_is_no_failure(alice, provider):
    for status, told in REFUSALS.items():
        provider.script("probe", *[Reply(status, {})] * 5)
        assert {alice.call(SEARCH).status_code for _ in range(5)} == {told}, status
        assert failures(alice.app) is None, status
        assert alice.call(SEARCH).status_code == 200, status


@on_sqlite
@pytest.mark.parametrize("status", OUTAGES)
def test_a_status_of_500_and_more_is_a_failure(alice, provider, status):
    provider.script("probe", *[Reply(status, {})] * 5)
    assert [alice.call(SEARCH).status_code for _ in range(5)] == [502] * 5
    assert alice.call(SEARCH).json == OPEN


@on_sqlite
def test_a_vendor_that_is_not_there_or_too_slow_has_failed(app, alice, provider):
    proxy = app.extensions["proxy"]
    whole = proxy.catalog
    proxy.catalog = Catalog(replace(item, seconds=0.5) for item in whole)
    provider.script("probe", *[lambda _seen: gevent.sleep(2)] * 2)
    assert [alice.call(SEARCH).status_code for _ in range(2)] == [504] * 2
    proxy.catalog = whole
    app.extensions["vendor_settings"]["PROBE_BASE_URL"] = "http://127.0.0.1:9"
    assert [alice.call(SEARCH).status_code for _ in range(3)] == [502] * 3
    assert failures(app) == breaker.FAILURES


LIST = Reply(200, [])  # of another shape


@on_sqlite
@pytest.mark.parametrize("said", [LIST, Reply(200, '"' + "x" * (9 << 20) + '"')])
def test_an_answer_that_is_of_no_use_is_no_failure_of_the_integration(alice, provider, said):
    """Somebody's file that is too large must not cut off everybody else."""
    alice.connect(EVENTS)
    provider.script("api", *[said] * 7)
    assert [alice.call(EVENTS).status_code for _ in range(7)] == [502] * 7
    assert failures(alice.app) is None


def test_half_open_one_of_fifty_tries_and_closes_it(app, alice, other, provider):
    fail(alice, provider)
    rested(app)
    answers: list[int] = []

    def when_all_others_are_answered(_seen):
        wait_for(lambda: len(answers) == 49, 20)
        return Reply(200, {"found": 1})

    provider.script("probe", when_all_others_are_answered)
    callers = [user(one.app, provider, "alice") for one in (alice, other) for _ in range(25)]
    Pool(50).map(lambda one: answers.append(one.call(SEARCH).status_code), callers)
    assert answers == [502] * 49 + [200]
    assert len(provider.seen) == breaker.FAILURES + 1
    gevent.sleep(0.06)
    assert [one.call(SEARCH).status_code for one in (alice, other)] == [200, 200]
    assert failures(app) == 0


def test_of_all_who_see_that_the_pause_is_over_one_tries(app, alice, provider):
    fail(alice, provider)
    rested(app)
    breakers = app.extensions["proxy"].calls.breakers

    def may_try(_) -> bool:
        with app.app_context():
            return breakers._may_try("probe")

    assert sum(Pool(20).map(may_try, range(20))) == 1


def test_a_clock_set_back_does_not_put_the_trial_off(app, alice, provider):
    fail(alice, provider)
    with app.app_context(), write_transaction() as session:
        session.execute(update(Breaker).values(open_until=from_now(3600)))
    gevent.sleep(0.06)
    assert (alice.call(SEARCH).status_code, failures(app)) == (200, 0)


@on_sqlite
def test_a_trial_that_fails_opens_it_again(app, alice, provider):
    fail(alice, provider)
    rested(app)
    fail(alice, provider, 1)
    assert alice.call(SEARCH).json == OPEN
    assert len(provider.seen) == breaker.FAILURES + 1


def test_failures_at_once_are_all_answered_and_counted(app, provider, other):
    broken(provider, 20)
    callers = [user(app, provider, f"u{number}") for number in range(20)]
    answers = Pool(20).map(lambda one: one.call(SEARCH), callers)
    assert {answer.status_code for answer in answers} == {502}
    assert failures(app) == len(provider.seen) >= breaker.FAILURES


@on_sqlite
def test_a_call_ends_as_it_has_ended_also_if_that_can_not_be_counted(app, alice, provider):
    fail(alice, provider, 1)
    refuse = "BEGIN SELECT RAISE(ABORT, 'full'); END"
    with app.app_context(), write_transaction() as session:
        session.execute(text(f"CREATE TRIGGER full BEFORE UPDATE ON breakers {refuse}"))
    assert alice.call(SEARCH).status_code == 200
    fail(alice, provider, 1)
    assert failures(app) == 1


@on_sqlite
def test_a_users_failing_refreshes_never_open_it(app, alice, bob, provider):
    bob.connect()
    alice.connect(account="two")
    provider.refreshes = {k: v for k, v in provider.refreshes.items() if v == "one"}
    for _ in range(breaker.FAILURES + 2):
        alice.change(expires_at=alice.row["created_at"], failed_at=None)
        assert alice.call().json == REFRESH_FAILED
    assert failures(app) is None
    assert bob.call().json["data"]["account"] == "one"


@on_sqlite
def test_a_trial_that_finds_a_missing_consent_closes_the_breaker(app, alice, bob, provider):
    """The vendor has answered, though with a 401."""
    alice.connect()
    bob.connect(account="two")
    provider.script("api", *[Reply(500, "")] * breaker.FAILURES)
    for _ in range(breaker.FAILURES):
        assert bob.call().status_code == 502
    rested(app)
    provider.script("api", Reply(401, {}))
    assert alice.payload()
    assert failures(app) == 0
    assert bob.call().status_code == 200


@on_sqlite
@pytest.mark.parametrize(("down", "other"), [("llm", "mystic"), ("mystic", "llm")])
def test_of_two_vendors_the_one_that_is_picked_is_left_alone(app, alice, provider, down, other):
    door = f"{provider.url}/probe"
    for vendor in ("OPENAI", "MAGNIFIC"):
        settings = {f"{vendor}_BASE_URL": door, f"{vendor}_API_KEY": "key-canary"}
        app.extensions["vendor_settings"].update(settings)
    app.extensions["proxy"].catalog = Catalog([image])

    def call(model):
        return alice.call("generate-image", {"prompt": "a red boat", "model": model})

    broken(provider, breaker.FAILURES)
    assert [call(down).status_code for _ in range(breaker.FAILURES)] == [502] * breaker.FAILURES
    assert (call(down).json, len(provider.seen)) == (OPEN, breaker.FAILURES)
    provider.script("probe", Reply(400, {}))
    assert (call(other).status_code, len(provider.seen)) == (400, breaker.FAILURES + 1)


@on_sqlite
def test_polls_of_jobs_pass_an_open_breaker_and_take_no_trial(app, alice, provider):
    """They are not counted, so that a trial that one took would never end."""
    settings = {"MAGNIFIC_BASE_URL": f"{provider.url}/probe", "MAGNIFIC_API_KEY": "key-canary"}
    app.extensions["vendor_settings"].update(settings)
    app.extensions["proxy"].catalog = Catalog([image])
    body = {"prompt": "a red boat", "model": "mystic", "wait": 0}
    provider.script("probe", Reply(200, answered("CREATED")))
    job = alice.call("generate-image", body).json["data"]["jobId"]
    broken(provider, breaker.FAILURES)
    for _ in range(breaker.FAILURES):
        assert alice.call("generate-image", body).status_code == 502
    gevent.sleep(0.06)
    for pause in (gevent.sleep, lambda: rested(app)):
        pause()
        provider.script("probe", Reply(200, answered("IN_PROGRESS")))
        looked = alice.person.get(f"/api/integrations/jobs/{job}")
        assert (looked.status_code, looked.json["data"]["status"]) == (200, "running")
    provider.script("probe", Reply(200, answered("CREATED")))
    assert alice.call("generate-image", body).status_code == 200
    assert failures(app) == 0


@on_sqlite
def test_a_call_that_asks_a_vendor_several_times_at_once_has_one_trial(app, alice, provider):
    """In greenlets, which have no app context."""
    probe = app.extensions["proxy"].catalog.named(SEARCH)

    def thrice(call, request, **_params):
        return {"asked": call.each(lambda one: call.at(probe.vendor).send(one), [request] * 3)}

    app.extensions["proxy"].catalog = Catalog([replace(probe, run=thrice)])
    assert alice.call(SEARCH).status_code == 200
    broken(provider, breaker.FAILURES * 3)
    assert [alice.call(SEARCH).status_code for _ in range(breaker.FAILURES)] == [502] * 5
    gevent.sleep(0.06)
    assert (alice.call(SEARCH).json, len(provider.seen)) == (OPEN, 18)
    rested(app)
    assert (alice.call(SEARCH).status_code, failures(app), len(provider.seen)) == (200, 0, 21)


def test_no_greenlet_of_a_call_goes_on_while_another_asks_an_open_breaker(app, alice, provider):
    """On PostgreSQL the question takes time, in which the others run."""
    probe = app.extensions["proxy"].catalog.named(SEARCH)

    def thrice(call, request, **_params):
        return {"asked": call.each(lambda one: call.at(probe.vendor).send(one), [request] * 3)}

    only_at = replace(probe, run=thrice, alternatives=(probe.vendor,))
    app.extensions["proxy"].catalog = Catalog([only_at])
    with app.app_context(), write_transaction() as session:
        row = {"integration": "probe", "failures": 5, "open_until": from_now(60)}
        session.add(Breaker(**row))
    assert (alice.call(SEARCH).json, provider.seen) == (OPEN, [])


@on_sqlite
def test_a_call_that_was_admitted_is_not_refused_half_way(app, alice, provider):
    probe = app.extensions["proxy"].catalog.named(SEARCH)

    def twice(call, request, **_params):
        call.at(probe.vendor).send(request)
        for _ in range(breaker.FAILURES):  # of others
            app.extensions["proxy"].calls.breakers.note_failure("probe")
        return call.at(probe.vendor).send(request)

    app.extensions["proxy"].catalog = Catalog([replace(probe, run=twice)])
    assert [alice.call(SEARCH).status_code for _ in range(2)] == [200, 200]
    assert (failures(app), len(provider.seen)) == (0, 4)


@on_sqlite
def test_a_call_that_sends_nothing_passes_an_open_breaker_and_takes_no_trial(app, alice, provider):
    """As `rtc-join-room` does, and `profnet-generate-messages`, which asks its model alone."""
    proxy = app.extensions["proxy"]
    whole, probe = proxy.catalog, proxy.catalog.named(SEARCH)
    silent = Catalog([replace(probe, run=lambda call, request, **_params: {"asked": []})])
    fail(alice, provider)
    gevent.sleep(0.06)
    for pause in (gevent.sleep, lambda: rested(app)):
        pause()
        proxy.catalog = silent
        assert alice.call(SEARCH).status_code == 200
    proxy.catalog = whole
    assert (alice.call(SEARCH).status_code, failures(app)) == (200, 0)


def probing(app, run):
    """The probe's endpoint with another function, and its vendor."""
    probe = app.extensions["proxy"].catalog.named(SEARCH)
    app.extensions["proxy"].catalog = Catalog([replace(probe, run=run)])
    return probe.vendor


@on_sqlite
def test_a_vendor_that_has_answered_does_not_fail_with_another(app, alice, provider):
    def onward(call, request, **_params):
        call.send(request)
        return call.at(other).send(request)

    other = replace(probing(app, onward), integration="other")
    with app.app_context(), write_transaction() as session:
        session.add(Breaker(integration="other", failures=5, open_until=from_now(60)))
    assert [alice.call(SEARCH).json for _ in range(6)] == [OPEN] * 6
    assert len(provider.seen) == 6


@on_sqlite
def test_a_vendor_fails_also_after_an_address_that_failed(app, alice, provider):
    def around(call, request, **_params):
        with suppress(ServiceError):
            call.send(elsewhere("http://127.0.0.1/"))
        return call.send(request)

    probing(app, around)
    fail(alice, provider)
    assert failures(app) == breaker.FAILURES
