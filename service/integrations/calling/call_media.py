"""The media that one call stores for its user."""

from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from service.integrations.declare.reading import Unusable
from service.media.store import MediaStore
from service.web.errors import ServiceError

log = structlog.get_logger("integrations")


class _Room:
    """The bytes that a call may still store."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, size: int) -> None:
        if size > self.left:
            log.warning("media too large", bytes=size, left=self.left)
            raise Unusable("The upstream has made more than can be stored.", upstreamStatus=None)
        self.left -= size


class CallMedia:
    """A context manager that deletes unconfirmed media at its exit.

    A call stores at most `most` bytes, and at most `copies` more bytes of optional media. If the
    database fails, the answer that names the media may have been stored, or be stored later. Then
    the media are kept until they expire.
    """

    def __init__(self, store: MediaStore, user_id: str, most: int, copies: int = 0) -> None:
        self._store, self._user_id = store, user_id
        self._room, self._room_for_copies = _Room(most), _Room(copies)
        self._reservation: str | None = None
        self._unconfirmed: list[str] = []

    def __enter__(self) -> "CallMedia":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SQLAlchemyError):
            self.confirm()
        self._store.drop([*self._unconfirmed, *filter(None, [self._reservation])])

    def reserve(self, seconds: float) -> None:
        """Reserve room for the most that the call may store, without copies.

        Raises `RateLimited`.
        """
        if self._room.left:
            self._reservation = self._store.reserve(self._user_id, self._room.left, seconds)

    def keep(self, content: bytes, media_type: str, name: str) -> dict[str, Any]:
        """Store an item. Return its fields in the shape `MEDIA`.

        Raises `Unusable` if the call has made more than its endpoint declares, `RateLimited`,
        `Unauthorized`, `Unavailable`.
        """
        self._room.take(len(content))
        return self._put(content, media_type, name, self._reservation)

    def copy(self, content: bytes, media_type: str, name: str) -> dict[str, Any] | None:
        """Store an item that the vendor keeps too. Return None if there is no room or it fails.

        The reserved room is left for what the call makes.
        """
        try:
            self._room_for_copies.take(len(content))
            return self._put(content, media_type, name, None)
        except (ServiceError, SQLAlchemyError) as error:
            log.warning("media not copied", error=type(error).__name__)
            return None

    def _put(
        self, content: bytes, media_type: str, name: str, reservation: str | None
    ) -> dict[str, Any]:
        item = self._store.put(self._user_id, content, media_type, name, reservation)
        self._unconfirmed.append(item.pop("mediaId"))
        return item

    def confirm(self) -> None:
        """Keep the stored media, because the answer that names them is stored."""
        self._unconfirmed.clear()
