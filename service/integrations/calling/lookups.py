"""Looks for kept answers. Of equal calls at the same time, one asks the vendor and others wait."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gevent.event import Event

from service.integrations.calling.kept_answers import AnswerKey, Kept, KeptAnswers
from service.observing.measures import count_lookup
from service.web.errors import UpstreamTimedOut


class Lookup:
    """A look for an answer: it is in `kept`, or else the call is to be made in `seconds`."""

    def __init__(self, answers: KeptAnswers, key: AnswerKey | None, seconds: float) -> None:
        self.kept: Kept | None = None
        self.seconds = seconds
        self.ended = Event()
        self._answers, self._key = answers, key

    def find(self) -> bool:
        assert self._key
        self.kept = self._answers.find(self._key)
        return self.kept is not None

    def land(self, data: Any, wait: bool) -> Any:
        """Take the answer of the call that was made. Returns it, encoded if it is kept.

        Without `wait`, it may not be stored yet. Then the call's row, which is written later in the
        same transaction, is waited for.
        """
        pending = self._answers.keep(self._key, data) if self._key else None
        answer = pending.answer if pending else data
        self.kept = Kept(answer)
        if pending and wait:
            pending.ended.wait()
        return answer


class Lookups:
    """Those of this worker. Needs an app context."""

    def __init__(self, answers: KeptAnswers) -> None:
        self._answers = answers
        self._running: dict[str, Lookup] = {}

    @contextmanager
    def look(self, key: AnswerKey | None, seconds: float, fresh: bool) -> Iterator[Lookup]:
        """Look for an answer, for at most so many seconds.

        Without a key, answers are not kept; with `fresh`, they are kept and not looked for. Where
        a call is to be made, equal ones wait until the context is left. If it has landed they have
        its answer, else one of them is made. Raises `UpstreamTimedOut`.
        """
        if key is None or fresh:
            yield Lookup(self._answers, key, seconds)
            return
        lookup = self._join(key, time.monotonic() + seconds)
        try:
            if lookup.kept or lookup.find():
                self._end(key, lookup)
            count_lookup(key.endpoint, "hit" if lookup.kept else "miss").inc()
            yield lookup
        finally:
            self._end(key, lookup)

    def _join(self, key: AnswerKey, ends: float) -> Lookup:
        """Wait for equal calls: the lookup of one that has landed, or a new one."""
        while running := self._running.get(key.digest):
            if not running.ended.wait(max(ends - time.monotonic(), 0)):
                raise UpstreamTimedOut()
            if running.kept:
                return running
        new = Lookup(self._answers, key, max(ends - time.monotonic(), 0))
        self._running[key.digest] = new
        return new

    def _end(self, key: AnswerKey, lookup: Lookup) -> None:
        if self._running.get(key.digest) is lookup:
            del self._running[key.digest]
        lookup.ended.set()
