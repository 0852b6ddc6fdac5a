"""Notes and paid calls of a simulated user, each sent again until its outcome is known."""

import random
import time
import uuid

import gevent

from tests.load.observations import Call, Note, Observations
from tests.load.user_requests import PATIENCE, RetryingClient

MOST = 20  # notes of a user at a time
SEARCH = "/api/integrations/neuralsearch-search"


class Writing:
    """Creates, changes and deletes notes. Each change has a text of its own."""

    def __init__(
        self, client: RetryingClient, observations: Observations, dice: random.Random
    ) -> None:
        self._client, self._observations, self._dice = client, observations, dice
        self._count = 0

    def once(self) -> None:
        alive = [
            n for n in self._observations.notes if n.record and n.is_certain and not n.is_deleted
        ]
        self._count += 1
        if len(alive) < 3:
            self._create()
        elif len(alive) > MOST:
            self._delete(self._dice.choice(alive))
        else:
            action = self._dice.choices((self._update, self._delete, self._create), (5, 2, 3))[0]
            self._create() if action == self._create else action(self._dice.choice(alive))

    def _create(self) -> None:
        note = Note(f"{self._observations.subject}-{self._count}-{uuid.uuid4().hex[:8]}")
        self._observations.notes.append(note)
        key = {"Idempotency-Key": uuid.uuid4().hex}
        made = self._client.insist("POST", "/api/records/notes", {"title": note.title}, **key)
        self._know(note, made is not None and made.status_code == 201, made)

    def _update(self, note: Note) -> None:
        text = {"text": f"{self._count}"}
        path = f"/api/records/notes/{note.record['recordId']}"
        made = self._client.insist("PATCH", path, text)
        self._know(note, made is not None and made.status_code == 200, made)

    def _delete(self, note: Note) -> None:
        gone = self._client.insist("DELETE", f"/api/records/notes/{note.record['recordId']}")
        note.is_certain = gone is not None
        note.is_deleted = gone is not None and gone.status_code in (200, 404)
        if gone is not None and not note.is_deleted:
            self._observations.odd.append(f"a note was not deleted: {gone.status_code} {gone.text}")

    def _know(self, note: Note, is_done: bool, made) -> None:
        note.is_certain = is_done
        if is_done:
            note.record = made.json()
        elif made is not None:
            self._observations.odd.append(f"a note was not written: {made.status_code} {made.text}")


class Calling:
    """Searches that cost credits, with a key each. Some are repeated after their answer."""

    def __init__(
        self, client: RetryingClient, observations: Observations, dice: random.Random
    ) -> None:
        self._client, self._observations, self._dice = client, observations, dice

    def once(self) -> None:
        call = Call(uuid.uuid4().hex, f"{self._observations.subject} {uuid.uuid4().hex}")
        self._observations.calls.append(call)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self._try(call)
            if call.accepted or call.is_unknown:
                break
            gevent.sleep(self._dice.uniform(0.2, 2))
        else:
            self._observations.stuck.append(f"call {call.key}: {call.answers[-1]}")
        if self._dice.random() < 0.3:
            self._try(call)

    def _try(self, call: Call) -> None:
        key = {"Idempotency-Key": call.key}
        answer = self._client.send("POST", SEARCH, {"query": call.query}, **key)
        if answer is None:
            call.answers.append((0, None))
            return
        is_json = answer.headers["Content-Type"].startswith("application/json")
        call.answers.append((answer.status_code, answer.json() if is_json else None))
