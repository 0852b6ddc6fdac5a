"""A simulated user: turns, calls, notes, looks at what is theirs and at what is not."""

import random
import time
from collections.abc import Callable

import gevent

from tests.load.deployment import Deployment
from tests.load.note_follower import Following
from tests.load.observations import Observations
from tests.load.user_requests import RetryingClient
from tests.load.user_turns import Talking
from tests.load.user_writes import Calling, Writing

OWNED = ("notes", "ai-chats", "ai-messages", "ai-turns", "integration-calls")


class User:
    """`pause` is the mean time between two actions. `others` are ids of other users' notes."""

    def __init__(
        self, deployment: Deployment, number: int, pause: float, others: list[str]
    ) -> None:
        self.observations = Observations(f"user-{number}")
        self._dice = random.Random(number)
        self._client, self._pause, self._others = (
            RetryingClient(deployment, self.observations),
            pause,
            others,
        )
        parts = (self._client, self.observations, self._dice)
        self._talking, self._writing, self._calling = (
            Talking(*parts),
            Writing(*parts),
            Calling(*parts),
        )
        self.following = Following(deployment, self._client.token, self._dice)

    def live(self, until: float) -> None:
        """Act until then. What has begun is finished."""
        actions: tuple[Callable[[], None], ...]
        actions = (self._talking.once, self._writing.once, self._calling.once, self._look)
        while time.monotonic() < until:
            action = self._dice.choices(actions, (5, 4, 2, 1))[0]
            action()
            gevent.sleep(self._dice.uniform(0, 2 * self._pause))

    def credits(self) -> dict:
        answer = self._client.insist("GET", "/api/credits")
        return answer.json() if answer is not None else {}

    def look_at_everything(self) -> None:
        for collection in OWNED:
            self._look_at(collection)

    def close(self) -> None:
        self._client.session.close()

    def _look(self) -> None:
        """Read one page of something, and ask for a note of another user."""
        self._look_at(self._dice.choice(OWNED))
        self._others.extend(n.record["recordId"] for n in self.observations.notes[-1:] if n.record)
        mine = {note.record["recordId"] for note in self.observations.notes if note.record}
        foreign = self._dice.choice(self._others) if self._others else "none"
        if foreign not in mine:
            answer = self._client.insist("GET", f"/api/records/notes/{foreign}")
            self.observations.probes.append(answer.status_code if answer is not None else 404)

    def _look_at(self, collection: str) -> None:
        for record in self._client.page(collection):
            owner = record["data"]["userId"]
            if owner != self.observations.subject:
                self.observations.foreign.append((owner, f"{collection} {record['recordId']}"))
