"""The database is lost while a tool writes a record: no lost write is reported as done."""

import pytest

from service.chat.tools.run import UNSURE
from tests.faults.client import client_of
from tests.load.upstream import Model

TEXT = "note=a-title"


@pytest.fixture
def model():
    """Creates a note, and then answers."""
    made = Model()
    yield made
    made.stop()


@pytest.mark.parametrize(
    ("mode", "stored"), [("cut-before-commit", False), ("cut-after-commit", True)]
)
def test_the_outcome_of_a_tools_write_at_a_lost_connection_is_told(proxied, mode, stored):
    service, proxy = proxied
    client = client_of(service)
    chat = client.new_chat()
    proxy.marker = b"INSERT INTO records"
    proxy.set(mode)
    chunks = client.ask(chat, TEXT, "u").chunks
    assert (proxy.cuts, chunks[-1]["type"]) == (1, "finish")
    notes = client.json("GET", "/api/records/notes")["records"]
    assert [note["data"]["title"] for note in notes] == ["a-title"] * stored
    [told] = [chunk for chunk in chunks if chunk["type"].startswith("tool-output")]
    [part] = [p for p in client.rows(chat)[-1]["data"]["parts"] if p["type"].startswith("tool-")]
    if stored:
        assert (told["output"]["recordId"], part["state"]) == (
            notes[0]["recordId"],
            "output-available",
        )
    else:
        assert part["state"] == "output-error"
        assert UNSURE in told["errorText"]
        assert UNSURE in part["errorText"]
    assert client.credits()["held"] == 0
