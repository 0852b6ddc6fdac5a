"""What a vendor's refusals, its silence and a missing key are for the caller of every endpoint.

Source: contract section 3, "An upstream's answer on the proxy".
"""

from dataclasses import replace

import pytest

from service.integrations.declare.faults import GrantRejected, ScopeMissing
from service.integrations.declare.vendor import Reply
from service.integrations.everything import catalog
from tests.integrations.scripted_vendor import Said

ENDPOINTS = list(catalog())
SECONDS = 0.05  # that a silent vendor is waited for
SECRET = "text-of-the-vendor"
MEANING = {
    400: (400, "invalid_request"),
    401: (502, "upstream_provider_error"),
    402: (502, "upstream_provider_error"),
    403: (502, "upstream_provider_error"),
    404: (404, "not_found"),
    409: (400, "invalid_request"),
    422: (400, "invalid_request"),
    429: (429, "rate_limited"),
    500: (502, "upstream_provider_error"),
}
CONSENT = (200, None)
# Endpoints that answer, in part, though the vendor refuses: their own tests say how.
ANSWERS_ALL_THE_SAME = {("profnet-analyze-profiles", 404)}  # for the profiles that are given

# Endpoints that ask their vendor; another one makes its answer by itself.
ASKING = [item for item in ENDPOINTS if any(one.exchanges for one in item.examples)]

# A vendor's module reads the refusals of all its endpoints. So one of them gets each status, and so
# does each one with answers of its own; the others get those on which a call does something else.
FIRST = {item.vendor.name: item.name for item in reversed(ASKING)}
BRIEF = (401, 429, 500)  # a consent, a pause, another attempt

each_asking = pytest.mark.parametrize("endpoint", ASKING, ids=lambda item: item.name)


@each_asking
def test_a_refusal_means_what_the_contract_says(bench, endpoint):
    for status in statuses(endpoint):
        bench.reset()
        reply = {"message": SECRET}
        bench.vendor.says(Said(reply, status))
        answer = bench.call(endpoint, dict(endpoint.examples[0].asks))
        if (endpoint.name, status) in ANSWERS_ALL_THE_SAME or _is_answer(endpoint, status):
            continue
        outcome = (answer.status_code, answer.json.get("error"))
        assert outcome == meaning(endpoint, status, reply), (status, answer.text)
        assert SECRET not in answer.text
        if outcome[0] == 502:
            assert answer.json["upstreamStatus"] == status
        if outcome[0] == 429:
            assert 1 <= int(answer.headers["Retry-After"]) <= 3600
        if outcome == CONSENT:
            assert answer.json["data"]["requiresOAuth"] is True


def statuses(endpoint):
    is_plain = endpoint.asks is not None and not endpoint.asks.instead
    return BRIEF if is_plain and FIRST[endpoint.vendor.name] != endpoint.name else MEANING


def meaning(endpoint, status, body):
    """As the contract says, unless the vendor's module reads its refusals otherwise."""
    if status == 401 and endpoint.scope:
        return CONSENT
    refusal = endpoint.vendor.refusal(Reply(status, {}, body))
    if isinstance(refusal, GrantRejected | ScopeMissing):
        return CONSENT
    return (refusal.status, refusal.code) if refusal else MEANING[status]


def _is_answer(endpoint, status):
    return endpoint.asks is not None and status in endpoint.asks.instead


@each_asking
def test_a_silent_vendor_is_a_timeout(bench, endpoint):
    bench.hangs()
    with bench.catalog([replace(endpoint, seconds=SECONDS)]):
        answer = bench.call(endpoint, dict(endpoint.examples[0].asks))
    assert (answer.status_code, answer.json["error"]) == (504, "upstream_timeout")


def test_without_a_required_setting_it_is_not_configured(bench):
    for endpoint in ENDPOINTS:
        someone = bench.person(endpoint)
        others = [one.name for vendor in endpoint.alternatives for one in vendor.all_settings]
        for setting in (one for one in endpoint.vendor.all_settings if one.required):
            with bench.without(setting.name, *others):
                answer = bench.call(endpoint, dict(endpoint.examples[0].asks), by=someone)
            shown = endpoint.name, setting.name, answer.text
            assert (answer.status_code, answer.json["error"]) == (503, "not_configured"), shown
            assert answer.json["setting"] == setting.name, shown
            assert setting.name in answer.json["message"], shown
            assert bench.vendor.seen == [], shown


def test_get_is_only_for_what_reads(bench):
    for endpoint in (item for item in ENDPOINTS if not item.access.gets):
        answer = bench.call(endpoint, dict(endpoint.examples[0].asks), "GET")
        assert (answer.status_code, answer.json["success"]) == (405, False), endpoint.name
        assert answer.headers["Allow"] == "OPTIONS, POST", endpoint.name
        assert bench.vendor.seen == [], endpoint.name
