"""How many of a pool's connections each user's work has.

A connection is in use for seconds if its statement waits for a row that a hung worker has locked.
One user's requests must not take all connections then, because other users need other rows.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from gevent.event import Event
from sqlalchemy import Connection

from service.cleanup import OnFailure
from service.observing.attribution import current_facts

LEFT_BY_ONE_USER = 3  # connections for other users, if the pool has more than six


def current_user() -> str | None:
    """Return the user for whom this greenlet works, or None for work of the service itself."""
    return current_facts().get("user")


def record_of(connection: Connection) -> Any:
    """Return the pool's record of a connection."""
    return connection.connection._connection_record  # noqa: SLF001


class Waiter:
    """A greenlet that waits for a connection. `turn` is set when it may take one."""

    __slots__ = ("turn", "user")

    def __init__(self, user: str | None) -> None:
        self.user, self.turn = user, Event()

    def wait(self, seconds: float, may_take: Callable[[], bool]) -> bool:
        """Wait until the turn comes and it `may_take`. Return False if that takes too long."""
        ends = time.monotonic() + seconds
        while self.turn.wait(max(0.0, ends - time.monotonic())):
            if may_take():
                return True
            self.turn.clear()
        return False


class Shares:
    """The users of the connections that are in use, by the pool's record of the connection."""

    def __init__(self, size: int) -> None:
        """`size` is the pool's size."""
        self._most = max(size - LEFT_BY_ONE_USER, (size + 1) // 2)
        self._users: dict[object, str] = {}
        self._counts: Counter[str] = Counter()

    def allow(self, user: str | None) -> bool:
        """Return whether the user may have one more connection."""
        return user is None or self._counts.get(user, 0) < self._most

    def first(self, line: Iterable[Waiter]) -> Waiter | None:
        """Return the first waiter who may have one more connection."""
        return next((one for one in line if self.allow(one.user)), None)

    def take(self, user: str | None, get: Callable[[], Any]) -> Any:
        """Return the record that `get` returns, which counts from now on: `get` may wait."""
        if user is None:
            return get()
        self._counts[user] += 1
        with OnFailure(partial(self._subtract, user)):
            record = get()
        self._users[record] = user
        return record

    def begin(self, user: str | None, record: object) -> None:
        """Count a connection that the user has from now on."""
        if user is not None:
            self._counts[user] += 1
            self._users[record] = user

    def end(self, record: object) -> None:
        """Stop counting a connection, if it counts."""
        user = self._users.pop(record, None)
        if user is not None:
            self._subtract(user)

    def _subtract(self, user: str) -> None:
        self._counts[user] -= 1
        if not self._counts[user]:
            del self._counts[user]
