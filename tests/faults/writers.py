"""Writers that repeat each write until it is acknowledged."""

import random
from collections.abc import Callable
from typing import Any

import gevent
import requests

from tests.records.http_writer import HttpWriter
from tests.services import Service

GREENLETS = 4


class Writer:
    """Create, change and delete notes. `notes` are those that exist, as acknowledged."""

    def __init__(self, service: Service, subject: str, number: int) -> None:
        self.notes: dict[str, dict[str, Any]] = {}
        self.deleted: set[str] = set()
        self.doubtful: set[str] = set()  # titles of notes whose creation was not acknowledged
        self.done = 0
        self._name = f"writer {number}"
        self._hands = HttpWriter(service, subject)
        self._dice = random.Random(number)

    def write(self, goes_on: Callable[[int], object], pause: float) -> None:
        """Write as long as `goes_on(count)` is true, with a pause after each write."""
        with self._hands.session:
            while goes_on(self.done):
                self._step(f"{self._name}, {self.done}")
                self.done += 1
                gevent.sleep(pause)

    def _step(self, title: str) -> None:
        action = self._dice.choices((self._update, self._delete, self._create), (5, 2, 4))[0]
        (action if len(self.notes) > 2 else self._create)(title)

    def _create(self, title: str) -> None:
        response, doubted = self._insist("POST", "notes", {"title": title})
        assert response.status_code == 201, response.text
        self._know(response)
        if doubted:
            self.doubtful.add(title)

    def _update(self, title: str) -> None:
        response, _ = self._insist("PATCH", f"notes/{self._one()}", {"text": title})
        assert response.status_code == 200, response.text
        self._know(response)

    def _delete(self, _title: str) -> None:
        one = self._one()
        response, doubted = self._insist("DELETE", f"notes/{one}", None)
        assert response.status_code == 200 or (doubted and response.status_code == 404)
        del self.notes[one]
        self.deleted.add(one)

    def _one(self) -> str:
        return self._dice.choice(list(self.notes))

    def _know(self, response: requests.Response) -> None:
        record = response.json()
        self.notes[record["recordId"]] = record

    def _insist(self, method: str, path: str, body: Any) -> tuple[requests.Response, bool]:
        """Return the acknowledgement, and whether an earlier attempt may have succeeded too."""
        doubted = False
        while True:
            try:
                response = self._hands.call(method, path, body)
                if response.status_code < 500:
                    return response, doubted
            except requests.RequestException:
                gevent.sleep(0.02)  # the service is not listening yet
            doubted = True


class Crew:
    """Four parallel writers of `count` writes each, which can be stopped earlier."""

    def __init__(
        self, service: Service, subject: str, count: int = 10**9, pause: float = 0
    ) -> None:
        self._count = count
        self.writers = [Writer(service, subject, number) for number in range(GREENLETS)]
        self._jobs = [gevent.spawn(writer.write, self._goes_on, pause) for writer in self.writers]

    @property
    def done(self) -> int:
        return sum(writer.done for writer in self.writers)

    def finish(self) -> None:
        """Wait until all writes are done."""
        for job in self._jobs:
            job.get()

    def stop(self) -> None:
        """Stop each writer after its current write."""
        self._count = 0
        self.finish()

    def check(self, stored: dict[str, dict[str, Any]]) -> None:
        """Check that only acknowledged and doubtful writes are stored."""
        notes = {id: record for writer in self.writers for id, record in writer.notes.items()}
        doubtful = set().union(*(writer.doubtful for writer in self.writers))
        others = {record["data"]["title"] for id, record in stored.items() if id not in notes}
        assert {id: stored.get(id) for id in notes} == notes
        assert others <= doubtful

    def _goes_on(self, done: int) -> bool:
        return done < self._count
