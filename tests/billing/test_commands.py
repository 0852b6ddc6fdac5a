"""`flask credits …` and `flask sweep`, as an operator types them."""

import json

import pytest

from service.billing import ledger
from service.billing.models import Account, Entry
from service.billing.units import CREDIT
from tests.services import on_sqlite


@pytest.fixture
def flask(app):
    """Run a command and return its output, which may be an error message."""

    def run(*arguments):
        result = app.test_cli_runner().invoke(args=arguments)
        assert result.exit_code == 0 or "Error: " in result.output, result.exception
        return result.output.strip()

    return run


def test_a_grant_opens_the_account_and_prints_the_balance(flask, books):
    granted = "carol was granted {} credits. The balance is {} credits."
    assert flask("credits", "grant", "carol", "0.5", "--new") == granted.format(0.5, 1000.5)
    invoiced = ("credits", "grant", "carol", "10", "--ref", "invoice-7")
    assert flask(*invoiced) == granted.format(10, 1010.5)
    repeated = "carol has had the grant invoice-7 before: nothing was added. "
    assert flask(*invoiced) == repeated + "The balance is 1010.5 credits."


def test_a_grant_to_an_erased_subject_brings_no_starting_credits(flask):
    assert "balance is 1005 credits." in flask("credits", "grant", "carol", "5", "--new")
    assert "balance of 1005 credits" in flask("users", "erase", "carol", "--yes")
    assert "there is no user carol yet" in flask("credits", "grant", "carol", "5")
    assert "balance is 5 credits." in flask("credits", "grant", "carol", "5", "--new")


def test_a_misspelt_subject_gets_no_account(flask, books, alice):
    alice.get("/api/ai/models")  # a user, who has no account yet
    text = "Error: there is no user alicee yet; --new opens the account before the first call"
    assert flask("credits", "grant", "alicee", "7") == text
    assert books.rows(Entry) == books.rows(Account) == []
    assert "The balance is 1007 credits." in flask("credits", "grant", "alice", "7")


@on_sqlite
def test_the_balance_shows_what_is_held(flask, books):
    books.open("alice", 100)
    books.reserve(2.25, "a")
    assert flask("credits", "balance", "alice") == "100 credits, 2.25 of them held"
    assert json.loads(flask("credits", "balance", "alice", "--json")) == {
        "balance": 100.0,
        "held": 2.25,
    }


def test_the_statement_is_newest_first(flask, books):
    books.open("alice", 100)
    books.settle(books.reserve(2, "turn_1"), 1.5)
    heading, newest, oldest = flask("credits", "statement", "alice").splitlines()
    assert heading.split() == ["CREATED", "AT", "AMOUNT", "WHAT", "REF"]
    assert newest.split()[1:] == ["-1.5", "gen-5.4", "turn_1"]
    assert oldest.split()[1:] == ["100.0", "starting", "credits", "starting"]
    assert heading.index("REF") == newest.index("turn_1") == oldest.rindex("starting")
    listed = json.loads(flask("credits", "statement", "alice", "--json"))
    assert [entry["ref"] for entry in listed] == ["turn_1", "starting"]


@on_sqlite
def test_a_statement_says_that_there_are_older_entries(app, books):
    books.open("alice", 100)
    for count, said in [(49, ""), (50, "There are older entries; these are the newest 50.\n")]:
        books.do(ledger.grant, "alice", CREDIT, f"{count}")
        for number in range(count - 1):
            books.do(ledger.grant, "alice", CREDIT, f"ref-{number}")
        stated = app.test_cli_runner().invoke(args=["credits", "statement", "alice"])
        assert (len(stated.stdout.splitlines()), stated.stderr) == (51, said)


def test_a_sweep_ends_every_expired_hold(flask, books):
    books.open("alice", 100)
    for number in range(120):
        hold = books.reserve(0.5, str(number), seconds=-1)
    books.do(ledger.extend, hold, CREDIT // 4, CREDIT // 2)
    running = books.reserve(1, "running")
    others = "0 lost turns, 0 old changes, 0 old journal entries, 0 expired media, 0 idle grants"
    assert flask("sweep") == f"120 expired holds, {others}"
    assert flask("sweep") == f"0 expired holds, {others}"
    assert books.has() == (99.75, 1)
    assert books.settle(running, 1) == 1


@on_sqlite
@pytest.mark.parametrize(
    "amount",
    ["0", "-5", "0.0000001", f"1.{'0' * 40}1", "1e10", "1e999999", "nan", "Infinity", "five", ""],
)
def test_only_a_valid_amount_can_be_granted(flask, books, amount):
    assert "must be more than 0" in flask("credits", "grant", "--", "carol", amount)
    assert books.rows(Entry) == []


@on_sqlite
def test_invalid_arguments_get_a_clear_error(flask):
    for arguments, text in [
        (("balance", "nobody"), "no account for nobody yet"),
        (("statement", "nobody"), "no account for nobody yet"),
        (("grant", "x" * 256, "1"), "must have 1 to 255 characters"),
        (("grant", "carol", "1", "--ref", "x" * 129), "must have 1 to 128 characters"),
    ]:
        assert text in flask("credits", *arguments)
