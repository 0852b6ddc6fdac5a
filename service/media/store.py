"""The store of media: the items of users, within their quotas.

An item is written in three steps, so that no transaction is as large as an item: its row, which
counts for the quota at once; its content; and the mark that it is ready. Source: docs/contract.md,
section 17.4.
"""

import math
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from flask import Flask
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from service.app_keys import AppKey
from service.auth import user_locks
from service.cleanup import OnFailure
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.extensions import db, table
from service.ids import new_id
from service.media import links
from service.media.directory import Directory
from service.media.models import MediaItem, MediaPiece
from service.media.naming import known_name, known_type
from service.times import timestamp
from service.web.errors import NotFound, RateLimited, Unauthorized, Unavailable

MEDIA_STORE = AppKey["MediaStore"]("media")
MIB = PIECE = 1 << 20  # bytes
KEPT_SECONDS = 24 * 3600.0
WRITING_SECONDS = 600.0  # in which an item's content has to be written

_items, _pieces = table(MediaItem), table(MediaPiece)

log = structlog.get_logger("media")


class QuotaReached(RateLimited):
    message = "Your stored media leave no room for this. Please wait until some have expired."

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.headers = {"Retry-After": str(max(1, math.ceil(seconds)))}


@dataclass(frozen=True)
class ServedItem:
    """An item that can be served, and the database's time."""

    item: MediaItem
    moment: datetime


class MediaStore:
    """This worker's access to the store. Its methods open their own app contexts."""

    def __init__(self, app: Flask, directory: Directory | None, quota: int, base: str) -> None:
        """`quota` is the bytes for each user; `base` is the URL with which links begin."""
        self._app, self._directory = app, directory
        self._quota, self._base = quota, base

    def reserve(self, user_id: str, size: int, seconds: float) -> str:
        """Reserve room for the result of a call; returns the reservation's id.

        Raises `QuotaReached`, and `Unauthorized` if the user has been erased.
        """
        with self._app.app_context(), write_transaction() as session:
            self._make_room(session, user_id, size)
            return self._insert(session, user_id, size, seconds)

    def put(
        self, user_id: str, content: bytes, media_type: str, name: str, reservation: str | None
    ) -> dict[str, Any]:
        """Store an item, in the room of the reservation if there is one.

        Returns `{mediaId, url, mediaType, bytes, expiresAt}`. Raises `QuotaReached`, `Unauthorized`
        if the user has been erased, and `Unavailable` if the disk fails.
        """
        facts = {"media_type": known_type(media_type), "name": known_name(name)}
        media_id = self._begin(user_id, len(content), facts, reservation)
        try:
            with OnFailure(lambda: self.drop([media_id])):
                self._write(media_id, content)
                return self._finish(media_id, user_id)
        except IntegrityError:  # the row is gone, with its user
            raise Unauthorized() from None

    def drop(self, media_ids: Iterable[str]) -> None:
        """Delete items and reservations. If the database is unavailable, they expire instead."""
        try:
            self.remove(list(media_ids))
        except SQLAlchemyError as error:
            log.warning("media not dropped", error=type(error).__name__)

    def remove(self, media_ids: list[str]) -> int:
        """Delete items with their content; returns their number. Raises SQLAlchemyError.

        If an item's file can't be removed, its row stays, so that a later sweep tries again. Items
        that another transaction has locked are left to the sweeper: an erasure locks all items of a
        user, and waiting for one while holding another would be a deadlock.
        """
        if not media_ids:
            return 0
        if self._directory:  # before the rows, because a file without a row is hard to find
            left = self._directory.remove(media_ids)
            media_ids = [media_id for media_id in media_ids if media_id not in left]
        named = select(_items.c.media_id).where(_items.c.media_id.in_(media_ids))
        with self._app.app_context(), write_transaction() as session:
            mine = session.scalars(named.with_for_update(skip_locked=True)).all()
            session.execute(delete(_items).where(_items.c.media_id.in_(mine)))
        return len(mine)

    def find(self, media_id: str) -> ServedItem | None:
        """Return an item that can be served, or None. Needs an app context."""
        places = (False, True) if self._directory else (False,)
        ready = select(MediaItem, current_time().label("moment")).where(
            _items.c.media_id == media_id,
            _items.c.is_ready,
            _items.c.in_files.in_(places),
            _items.c.expires_at > current_time(),
        )
        row = db.session.execute(ready).one_or_none()
        db.session.commit()
        return ServedItem(*row) if row else None

    def link(self, served: ServedItem) -> str:
        """Return a URL that works for anybody for ten minutes, and later with its owner's token."""
        item = served.item
        query = links.query_of(item.key, item.media_id, served.moment)
        return f"{self._base}/api/media/{item.media_id}?{query}"

    def open(self, item: MediaItem) -> int | None:
        """Return the descriptor of an item's file; None if its content is in the database.

        Raises `NotFound`, and `Unavailable` if the disk fails.
        """
        if not self._directory or not item.in_files:
            return None
        try:
            return self._directory.open(item.media_id)
        except FileNotFoundError:
            raise NotFound() from None
        except OSError as error:
            log.error("media not read", error=type(error).__name__, number=error.errno)
            raise Unavailable() from None

    def read(self, item: MediaItem, file: int | None, position: int) -> bytes:
        """Return some of an item's bytes from a position on; none if it has been deleted."""
        if self._directory and file is not None:
            return self._directory.read(file, PIECE, position)
        number, skipped = divmod(position, PIECE)
        piece = select(_pieces.c.content).filter_by(media_id=item.media_id, number=number)
        with self._app.app_context():
            return (db.session.scalar(piece) or b"")[skipped:]

    def _begin(
        self, user_id: str, size: int, facts: Mapping[str, str], reservation: str | None
    ) -> str:
        with self._app.app_context(), write_transaction() as session:
            self._make_room(session, user_id, size, reservation)
            return self._insert(session, user_id, size, WRITING_SECONDS, **facts)

    def _insert(
        self,
        session: Session,
        user_id: str,
        size: int,
        seconds: float,
        media_type: str = "",
        name: str = "",
    ) -> str:
        """Insert an item that is not ready."""
        media_id = new_id("media")
        item = insert(_items).values(
            media_id=media_id,
            user_id=user_id,
            media_type=media_type,
            name=name,
            size=size,
            key=secrets.token_bytes(32),
            is_ready=False,
            in_files=self._directory is not None,
            created_at=current_time(),
            expires_at=from_now(seconds),
        )
        session.execute(item)
        return media_id

    def _make_room(
        self, session: Session, user_id: str, size: int, reservation: str | None = None
    ) -> None:
        """Raise `QuotaReached` if there is no room, after using the reservation's."""
        if not user_locks.lock_row_alone(session, user_id):
            raise Unauthorized()
        if reservation:
            reserved = update(_items).where(_items.c.media_id == reservation)
            session.execute(reserved.values(size=_items.c.size - size))
        mine = (_items.c.user_id == user_id) & (_items.c.expires_at > current_time())
        used, first = func.coalesce(func.sum(_items.c.size), 0), func.min(_items.c.expires_at)
        row = session.execute(select(used, first, current_time()).where(mine)).one()
        if int(row[0]) + size > self._quota:
            raise QuotaReached((row[1] - row[2]).total_seconds() if row[1] else KEPT_SECONDS)

    def _write(self, media_id: str, content: bytes) -> None:
        if self._directory:
            try:
                self._directory.write(media_id, content)
            except OSError as error:
                log.error("media not written", error=type(error).__name__, number=error.errno)
                raise Unavailable() from None
            return
        for number, start in enumerate(range(0, len(content), PIECE)):
            piece = {"number": number, "content": content[start : start + PIECE]}
            with self._app.app_context(), write_transaction() as session:
                session.execute(insert(_pieces).values(media_id=media_id, **piece))

    def _finish(self, media_id: str, user_id: str) -> dict[str, Any]:
        """Mark an item as ready. Raises `Unauthorized` if it no longer belongs to the user."""
        mine = update(_items).filter_by(media_id=media_id, user_id=user_id)
        ready = mine.values(is_ready=True, expires_at=from_now(KEPT_SECONDS))
        with self._app.app_context():
            with write_transaction() as session:
                session.execute(ready)
            served = self.find(media_id)
            if served is None:
                raise Unauthorized()
            return {
                "mediaId": media_id,
                "url": self.link(served),
                "mediaType": served.item.media_type,
                "bytes": served.item.size,
                "expiresAt": timestamp(served.item.expires_at),
            }
