"""Answers that are kept for all workers, and given again to equal calls.

An answer that is too large is not kept, and `answer_sweep` limits their number and size. A user's
own answer is sealed.
Source: docs/contract.md, section 10.17.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import structlog
from flask import Flask, current_app
from gevent.event import Event
from sqlalchemy import bindparam, select
from sqlalchemy.exc import SQLAlchemyError

from service.auth import user_locks
from service.database import upsert
from service.database.batching import SharedWrites, Together
from service.database.clock import current_time, from_now, microseconds
from service.database.in_lists import prepare_in_list
from service.database.prepared import Prepared, reading
from service.database.statements import Statements
from service.extensions import table
from service.integrations.calling import answer_sweep
from service.integrations.calling.admission import Admitted
from service.integrations.declare.endpoint import Endpoint
from service.integrations.models import KeptAnswer
from service.json_encoding import encoder
from service.sealing import places
from service.sealing.seal import Sealer, Unsealable
from service.web.json_values import Encoded

LARGEST_BYTES = 256 << 10  # of one answer's JSON
TRIMMED_AFTER = 500  # stored answers of a worker; each count reads the whole table
TRIMMED_AFTER_BYTES = 10 << 20

_encode = encoder(ensure_ascii=True, separators=(", ", ": "), sort_keys=True, default=repr)
log = structlog.get_logger("integrations")

_answers = table(KeptAnswer)
_age = (microseconds(current_time()) - microseconds(_answers.c.stored_at)).label("age")
# Built once, because building a statement takes several times as long as running it.
_current = select(_answers.c.key, _answers.c.answer, _answers.c.sealed, _age).where(
    _answers.c.expires_at > current_time(),
    _answers.c.stored_at <= current_time(),  # it is later after the clock was set back
)
FIND = prepare_in_list(_current)
_times = {"stored_at": current_time(), "expires_at": from_now(bindparam("seconds"))}
_replaced = ("user_id", "endpoint", "size", "stored_at", "expires_at", "answer", "sealed")


def _insert_or_replace(dialect: str) -> Any:
    new = upsert.insert(dialect, _answers).inline().values(**_times)
    replaced = {column: new.excluded[column] for column in _replaced}
    return new.on_conflict_do_update(index_elements=[_answers.c.key], set_=replaced)


STORE = Prepared(_insert_or_replace)


@dataclass(frozen=True)
class AnswerKey:
    """The key of a kept answer. `user_id` is None if all users share the answer."""

    digest: str
    endpoint: str
    user_id: str | None
    seconds: float


@dataclass(frozen=True)
class Kept:
    """An answer, encoded unless it is too large to be kept, and its age in seconds."""

    data: Any
    age: int = 0


def key_of(admitted: Admitted, settings: Mapping[str, str], sandbox: str) -> AnswerKey | None:
    """Return the key of a call's answer, or None if the endpoint keeps no answers.

    The key depends on the settings of the vendors, so an answer of another account, or of the
    sandbox, is never given again. The workers of a sandbox share their answers, though each has its
    own URL for the sandbox: `sandbox` is this worker's URL.
    """
    endpoint, declared = admitted.endpoint, admitted.endpoint.cache
    if declared is None:
        return None
    user_id = None if declared.shared else admitted.user_id
    grant = admitted.connection.identity if admitted.connection else None
    facts = [endpoint.name, admitted.params, user_id, grant]
    account = _account(tuple(settings.items()), sandbox)
    text = _encode(facts) + _form(endpoint) + account
    digest = hashlib.sha256(text.encode()).hexdigest()
    return AnswerKey(digest, endpoint.name, user_id, declared.seconds)


@lru_cache(8)
def _account(settings: tuple[tuple[str, str], ...], sandbox: str) -> str:
    """Return a digest of the vendors' settings, which identify the accounts."""
    text = json.dumps(dict(settings), sort_keys=True)
    text = text.replace(sandbox, "sandbox:") if sandbox else text
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _form(endpoint: Endpoint) -> str:
    """Return a digest of the schema of the endpoint's answers, which a release may change."""
    return hashlib.sha256(json.dumps(endpoint.gives.schema()).encode()).hexdigest()


@dataclass(frozen=True)
class PendingAnswer:
    """An answer that is being stored, and an event that is set afterwards."""

    answer: Encoded
    ended: Event


class AnswerSearch:
    """A search for an answer: its row, or the error of the database."""

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self.row: Any = None
        self.error: SQLAlchemyError | None = None


def _search(app: Flask, searches: list[AnswerSearch]) -> None:
    try:
        with reading(app) as connection:
            digests = list({search.digest for search in searches})
            rows = {row.key: row for row in FIND.rows(connection, {"values": digests})}
    except SQLAlchemyError as error:
        for search in searches:
            search.error = error
        return
    for search in searches:
        search.row = rows.get(search.digest)


class KeptAnswers:
    """The kept answers. Every method needs an app context."""

    def __init__(self, app: Flask, sealer: Sealer, writes: SharedWrites) -> None:
        self._app, self._sealer, self._writes = app, sealer, writes
        self._searches: Together[AnswerSearch] = Together(partial(_search, app))
        self._stored, self._size = 0, 0  # since the last trim
        self._unwritten: dict[str, Encoded] = {}  # by key

    def find(self, key: AnswerKey) -> Kept | None:
        """Return the kept answer, or None if there is none, or it can't be opened."""
        if key.digest in self._unwritten:
            return Kept(self._unwritten[key.digest])
        search = AnswerSearch(key.digest)
        self._searches.add(search).wait()
        if search.error:
            raise search.error
        row = search.row
        try:
            text = row and (row.answer or self._sealer.open(row.sealed, _place(key)))
        except Unsealable:
            return None
        return Kept(Encoded(text), max(row.age // 1_000_000, 0)) if row and text else None

    def keep(self, key: AnswerKey, data: Any) -> PendingAnswer | None:
        """Have an answer stored, unless it is too large.

        Until it is stored, this worker finds it in memory. A failure is only logged, because the
        caller has the answer. No answer of a user who was erased meanwhile is stored.
        """
        try:
            text = current_app.json.encode_within(LARGEST_BYTES, data)  # type: ignore[attr-defined]
            if text is None or (size := len(text.encode())) > LARGEST_BYTES:
                return None
        except UnicodeEncodeError as error:
            log.warning("answer not kept", error=type(error).__name__)
            return None
        encoded = self._unwritten[key.digest] = Encoded(text)
        row = self._row(key, text, size)
        return PendingAnswer(
            encoded, self._writes.add(_store, row, partial(self._end, key.digest, size))
        )

    def _row(self, key: AnswerKey, text: str, size: int) -> dict[str, Any]:
        return {
            "key": key.digest,
            "user_id": key.user_id,
            "endpoint": key.endpoint,
            "size": size,
            "seconds": key.seconds,
            "answer": text if key.user_id is None else None,
            "sealed": None if key.user_id is None else self._sealer.seal(text, _place(key)),
        }

    def _end(self, digest: str, size: int) -> None:
        """Forget the answer in memory after its transaction, and trim the table if it is time."""
        self._unwritten.pop(digest, None)
        self._stored, self._size = self._stored + 1, self._size + size
        if self._stored >= TRIMMED_AFTER or self._size >= TRIMMED_AFTER_BYTES:
            self._stored = self._size = 0
            try:
                with self._app.app_context():
                    answer_sweep.trim()
            except SQLAlchemyError as error:
                log.warning("answers not trimmed", error=type(error).__name__)


def _store(session: Statements, rows: list[dict[str, Any]]) -> None:
    """Store answers in the order of their keys, because two workers may store the same ones."""
    owners = {row["user_id"] for row in rows if row["user_id"] is not None}
    there = user_locks.lock_rows(session, owners)
    kept = [row for row in rows if row["user_id"] is None or row["user_id"] in there]
    if kept:
        connection = session.connection()
        kept.sort(key=lambda row: row["key"])
        STORE.send_many(connection, kept)


def _place(key: AnswerKey) -> str:
    return places.kept_answer(key.digest)
