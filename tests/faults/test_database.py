"""The database fails while a turn stores its rows: all or none are stored, as the client sees."""

import gevent
import pytest

from tests.faults.client import client_of
from tests.faults.database_proxy import DatabaseProxy
from tests.services import Service, wait_for


def at_the_rows(service: Service, model, mode: str, proxy: DatabaseProxy):
    """Run a turn and let the database fail when the model has finished."""
    client = client_of(service)
    chat, text = client.new_chat(), f"words=5 gate {mode}"
    turn = client.ask(chat, text, "u")
    turn.read_until(b"text-delta", 5)
    proxy.set(mode)
    model.open(text)
    return client, chat, text, turn


@pytest.mark.parametrize("mode", ["cut-before-commit", "cut-after-commit"])
def test_a_connection_lost_at_commit_still_ends_in_three_rows(proxied, model, mode):
    service, proxy = proxied
    client, chat, text, turn = at_the_rows(service, model, mode, proxy)
    assert turn.chunks[-1]["type"] == "finish"
    assert proxy.cuts == 1
    assert len(client.rows(chat)) == 2
    again = client.ask(chat, text, "u").chunks  # found stored: no second model call
    assert again[0]["messageId"] == turn.chunks[0]["messageId"]
    assert model.calls[text] == 1
    assert client.credits()["held"] == 0
    assert len(client.credits()["entries"]) == 2


@pytest.mark.parametrize("mode", ["cut-before-commit", "cut-after-commit"])
def test_a_database_that_comes_back_is_asked_for_the_rows(proxied, model, mode):
    """A client that is told of an error must find no rows, and nobody knows before it is back."""
    service, proxy = proxied
    proxy.after = "refuse"

    def come_back() -> None:
        wait_for(lambda: proxy.cuts == 1)
        gevent.sleep(1)
        proxy.set("pass")

    back = gevent.spawn(come_back)
    client, chat, text, turn = at_the_rows(service, model, mode, proxy)
    assert turn.chunks[-1]["type"] == "finish"
    back.get()
    assert len(client.rows(chat)) == 2
    assert client.credits()["held"] == 0
    assert len(client.credits()["entries"]) == 2


def test_a_turn_is_given_again_whose_commit_was_unanswered_before_a_long_outage(proxied, model):
    """Its client has read an error, because nobody could look whether the rows are there."""
    service, proxy = proxied
    proxy.after = "refuse"
    client, chat, text, turn = at_the_rows(service, model, "cut-after-commit", proxy)
    assert turn.chunks[-1]["type"] == "error"
    proxy.set("pass")
    wait_for(lambda: client.send("GET", "/readyz").status == 200, 20)
    again = client.ask(chat, text, "u").chunks
    assert (again[0], again[-1]["type"]) == (turn.chunks[0], "finish")
    assert (model.calls[text], len(client.rows(chat))) == (1, 2)
    wait_for(lambda: client.credits()["held"] == 0)
    assert len(client.credits()["entries"]) == 2


def test_a_turn_ends_in_three_rows_though_the_answer_to_its_second_commit_is_lost(proxied, model):
    """The first one was not carried out."""
    service, proxy = proxied
    proxy.after = "cut-after-commit"
    client, chat, text, turn = at_the_rows(service, model, "cut-before-commit", proxy)
    assert turn.chunks[-1]["type"] == "finish"
    assert proxy.cuts == 2
    assert len(client.rows(chat)) == 2
    assert client.credits()["held"] == 0
    assert len(client.credits()["entries"]) == 2


@pytest.mark.parametrize("mode", ["refuse", "hang"])
def test_a_turn_without_a_database_ends_in_an_error_and_no_row(proxied, model, mode):
    service, proxy = proxied
    client, chat, text, turn = at_the_rows(service, model, mode, proxy)
    last = turn.chunks[-1]
    assert (last["type"], last["errorText"]) == (
        "error",
        "The answer could not be saved. Please try again.",
    )
    proxy.set("pass")
    wait_for(lambda: client.send("GET", "/readyz").status == 200, 20)
    assert client.rows(chat) == []
    wait_for(lambda: client.ask(chat, text, "u").status == 200, 20)
    wait_for(lambda: len(client.rows(chat)) == 2)
    wait_for(lambda: client.credits()["held"] == 0)


def test_a_stopped_turn_without_a_database_ends_in_an_error(proxied, model):
    """After an `abort` its client would count on the text to be stored."""
    service, proxy = proxied
    client, text = client_of(service), "words=5 gate stop"
    chat, proxy.after = client.new_chat(), "refuse"
    turn = client.ask(chat, text, "u")
    turn.read_until(b"text-delta", 5)
    proxy.set("cut-before-commit")
    assert client.json("POST", f"/api/ai/chat/{chat}/stop") == {"stopped": True}
    types = [chunk["type"] for chunk in turn.chunks]
    assert (types[-1], "abort" in types) == ("error", False)
    proxy.set("pass")
    wait_for(lambda: client.send("GET", "/readyz").status == 200, 20)
    assert client.rows(chat) == []
    wait_for(lambda: client.credits()["held"] == 0, 20)
    again = client.ask(chat, text, "u")
    model.open(text)
    assert again.chunks[-1]["type"] == "finish"
    assert len(client.rows(chat)) == 2


def test_a_turn_that_loses_the_database_between_its_steps_says_so(proxied, model):
    """A second step needs more credits held. It is no defect of the service that it can't have."""
    service, proxy = proxied
    client = client_of(service)
    proxy.marker, proxy.after = b"UPDATE holds SET amount", "refuse"
    proxy.set("cut-before-commit")
    turn = client.ask(client.new_chat(), "Describe ai-chats", "u", modelId="gen-5.4")
    error = {"type": "error", "errorText": "A service that this request needs is unavailable."}
    assert turn.chunks[-1] == error
    assert proxy.cuts == 1
    assert '"turn failed"' not in service.log.read_text()
    proxy.set("pass")
    wait_for(lambda: client.send("GET", "/readyz").status == 200, 20)
    wait_for(lambda: client.credits()["held"] == 0, 20)


def test_an_admission_with_an_unanswered_commit_keeps_no_hold(proxied, model):
    service, proxy = proxied
    client = client_of(service)
    chat = client.new_chat()
    proxy.marker = b"INSERT INTO claims"
    proxy.set("cut-after-commit")
    assert client.ask(chat, "hello", "u").status >= 500
    assert proxy.cuts == 1
    wait_for(lambda: client.ask(chat, "hello", "u").status == 200, 20)  # each try renews the lease
    wait_for(lambda: len(client.rows(chat)) == 2)
    wait_for(lambda: client.credits()["held"] == 0)
    assert len(client.credits()["entries"]) == 2
