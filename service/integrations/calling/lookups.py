"""Look for kept answers. Of equal calls at the same time, one asks the vendor and others wait."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gevent.event import Event

from service.integrations.calling.kept_answers import AnswerKey, Kept, KeptAnswers
from service.observing.measures import count_lookup
from service.web.errors import UpstreamTimedOut


class Lookup:
    """A look for an answer. It is in `kept`, or else the call has to be made within `seconds`."""

    def __init__(self, answers: KeptAnswers, key: AnswerKey | None, seconds: float) -> None:
        self.kept: Kept | None = None
        self.seconds = seconds
        self.ended = Event()
        self._answers, self._key = answers, key

    def find(self) -> bool:
        assert self._key
        self.kept = self._answers.find(self._key)
        return self.kept is not None

    def keep_answer(self, data: Any, wait: bool) -> Any:
        """Take the answer of the call that was made. Return it, encoded if it is kept.

        Without `wait`, the answer may not be stored yet. The caller then waits for the call's row,
        which is written later in the same transaction.
        """
        pending = self._answers.keep(self._key, data) if self._key else None
        answer = pending.answer if pending else data
        self.kept = Kept(answer)
        if pending and wait:
            pending.ended.wait()
        return answer


class Lookups:
    """The lookups of this worker. Every method needs an app context."""

    def __init__(self, answers: KeptAnswers) -> None:
        self._answers = answers
        self._running: dict[str, Lookup] = {}

    @contextmanager
    def look_up(self, key: AnswerKey | None, seconds: float, fresh: bool) -> Iterator[Lookup]:
        """Look for an answer, for at most `seconds`.

        Without a key, answers are not kept; with `fresh`, they are kept but not looked for. While
        the block makes a call, equal calls wait. If the call has an answer they get it; otherwise
        one of them is made, if at least half of its time is left. Raises `UpstreamTimedOut`.
        """
        if key is None or fresh:
            yield Lookup(self._answers, key, seconds)
            return
        lookup = self._join(key, time.monotonic() + seconds)
        try:
            if lookup.kept or lookup.find():
                self._end(key, lookup)
            elif lookup.seconds < seconds / 2:  # the breaker would count a timeout of the vendor
                raise UpstreamTimedOut()
            count_lookup(key.endpoint, "hit" if lookup.kept else "miss").inc()
            yield lookup
        finally:
            self._end(key, lookup)

    def _join(self, key: AnswerKey, ends: float) -> Lookup:
        """Wait for equal calls. Return the lookup of one that has an answer, or a new lookup."""
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
