"""The doors to the records: each calls the real service and names its answer in the same words.

An answer is `allowed`, `forbidden` or `not_found`, or a set of record ids for a list.
"""

import json
from typing import Any

import pytest

from service.auth.users import Caller
from service.chat.tools.guard import LoopGuard
from service.chat.tools.run import Outcome, execute, parse_input
from service.chat.tools.tool import ToolContext
from service.web.errors import Forbidden, NotFound
from tests.people import Person
from tests.records.subscribers import Subscriber

Answer = str | set[str]

NEWEST = {"sort": "-createdAt", "limit": 200}
REFUSALS = {Forbidden.message: "forbidden", NotFound.message: "not_found"}


class Http:
    """The routes."""

    def __init__(self, place: Any, subject: str, role: str) -> None:
        self.person: Person = place.person(subject, role)

    def list(self, collection: str) -> Answer:
        response = self.person.get(f"/api/records/{collection}", query_string=NEWEST)
        return self._word(response) if response.status_code != 200 else ids(response.json)

    def read(self, collection: str, record_id: str) -> Answer:
        return self._word(self.person.get(f"/api/records/{collection}/{record_id}"))

    def create(self, collection: str, data: dict[str, Any]) -> Answer:
        return self._word(self.person.post(f"/api/records/{collection}", data))

    def update(self, collection: str, record_id: str, data: dict[str, Any]) -> Answer:
        return self._word(self.person.patch(f"/api/records/{collection}/{record_id}", data))

    def delete(self, collection: str, record_id: str) -> Answer:
        return self._word(self.person.delete(f"/api/records/{collection}/{record_id}"))

    def close(self) -> None:
        pass

    def _word(self, response: Any) -> str:
        return "allowed" if response.status_code < 300 else response.json["error"]


class Tools:
    """The assistant's record tools, as a turn runs them."""

    def __init__(self, place: Any, subject: str, role: str) -> None:
        self.app = place.app
        collections = self.app.extensions["collections"]
        self.context = ToolContext(Caller(subject, role), collections, "turn", "chat", LoopGuard())

    def call(self, name: str, **arguments: Any) -> tuple[Any, str | None]:
        """Return the output or the text of an error."""
        tool = self.app.extensions["tools"].get(name)
        loaded = parse_input(tool, json.dumps(arguments))
        outcome: Outcome = execute(self.app, tool, self.context, loaded)
        return outcome.output, outcome.error

    def list(self, collection: str) -> Answer:
        output, error = self.call("records.query", collection=collection, **NEWEST)
        return ids(output) if error is None else REFUSALS[error]

    def read(self, collection: str, record_id: str) -> Answer:
        return self._word("records.get", collection=collection, recordId=record_id)

    def create(self, collection: str, data: dict[str, Any]) -> Answer:
        return self._word("records.create", collection=collection, data=data)

    def update(self, collection: str, record_id: str, data: dict[str, Any]) -> Answer:
        return self._word("records.update", collection=collection, recordId=record_id, data=data)

    def delete(self, collection: str, record_id: str) -> Answer:
        return self._word("records.delete", collection=collection, recordId=record_id)

    def close(self) -> None:
        pass

    def _word(self, name: str, **arguments: Any) -> str:
        _, error = self.call(name, **arguments)
        return "allowed" if error is None else REFUSALS[error]


class Turns(Tools):
    """The same tools, called by the sandbox's assistant in turns of a real chat."""

    def __init__(self, place: Any, subject: str, role: str) -> None:
        self.person: Person = place.person(subject, role)
        self.chat = self.person.new_chat()

    def call(self, name: str, **arguments: Any) -> tuple[Any, str | None]:
        chunks = self.person.turn(self.chat, f"call {name} with {json.dumps(arguments)}")
        chunk = next(chunk for chunk in chunks if chunk["type"].startswith("tool-output-"))
        return chunk.get("output"), chunk.get("errorText")


class Socket:
    """The operations of the socket; lists and records are the snapshots of subscriptions."""

    def __init__(self, place: Any, subject: str, role: str) -> None:
        self.subscriber = Subscriber(place.service, subject, role=role)
        self.count = 0

    def ask(self, op: str, collection: str, **more: Any) -> dict[str, Any]:
        self.count += 1
        return self.subscriber.ask(op=op, id=self.count, collection=collection, **more)

    def list(self, collection: str) -> Answer:
        answer = self.ask("subscribe", collection)
        self._unsubscribe(answer)
        return ids(answer) if answer["type"] == "snapshot" else answer["error"]

    def read(self, collection: str, record_id: str) -> Answer:
        answer = self.ask("subscribe", collection, where={"recordId": record_id})
        self._unsubscribe(answer)
        if answer["type"] == "error":
            return answer["error"]
        return "allowed" if ids(answer) == {record_id} else "not_found"

    def create(self, collection: str, data: dict[str, Any]) -> Answer:
        return self._word(self.ask("create", collection, data=data))

    def update(self, collection: str, record_id: str, data: dict[str, Any]) -> Answer:
        return self._word(self.ask("update", collection, recordId=record_id, data=data))

    def delete(self, collection: str, record_id: str) -> Answer:
        return self._word(self.ask("delete", collection, recordId=record_id))

    def close(self) -> None:
        self.subscriber.close()

    def _word(self, answer: dict[str, Any]) -> str:
        return "allowed" if answer["type"] == "ok" else answer["error"]

    def _unsubscribe(self, answer: dict[str, Any]) -> None:
        if answer["type"] == "snapshot":
            self.subscriber.ask(op="unsubscribe", id=answer["id"])


def ids(page: dict[str, Any]) -> set[str]:
    return {record["recordId"] for record in page["records"]}


# For rules that no statement depends on.
on_sqlite = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
DOORS = {"http": Http, "tools": Tools, "socket": Socket}
