"""Coins over CoinGecko."""

import pytest

from service.integrations.vendors.coingecko import BASE, COINGECKO
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

PRO = "https://pro-api.coingecko.com/api/v3"


@on_sqlite
def test_without_a_match_no_coin_is_asked_for(ask, vendor):
    vendor.says({"coins": []})
    assert ask("search-crypto", {"query": "x"}).json["data"] == {"coins": []}
    assert [asked.path for asked in vendor.seen] == ["/search"]


@on_sqlite
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error_code": 10010, "status": {"error_message": "Secret."}}),
        (400, {"error_code": 10011, "status": {"error_message": "Secret."}}),
        (400, {"status": {"error_code": 10010, "error_message": "Secret."}}),
        (401, {"status": {"error_code": 10002, "error_message": "Secret."}}),
    ],
)
def test_the_key_of_another_plan_is_no_fault_of_the_caller(ask, vendor, status, body):
    vendor.says(Said(body, status))
    answer = ask("search-crypto", {"query": "x"})
    assert (answer.status_code, answer.json["upstreamStatus"]) == (502, status)
    assert "Secret" not in answer.text


@on_sqlite
def test_a_currency_that_coingecko_does_not_know_is_a_wrong_request(ask, vendor):
    vendor.says(Said({"error": "invalid vs_currency"}, 422))
    assert ask("search-crypto", {"query": "x"}).json["error"] == "invalid_request"


@pytest.mark.parametrize(
    ("settings", "headers"),
    [
        ({}, {}),
        ({"COINGECKO_API_KEY": "k"}, {"x-cg-demo-api-key": "k"}),
        ({"COINGECKO_API_KEY": "k", BASE.name: PRO}, {"x-cg-pro-api-key": "k"}),
        ({"COINGECKO_API_KEY": "k", BASE.name: "http://pro.example"}, {"x-cg-demo-api-key": "k"}),
    ],
)
def test_the_host_says_which_plan_the_key_is_of(settings, headers):
    sent = {}
    COINGECKO.credential.put(settings, sent, {})
    assert sent == headers
