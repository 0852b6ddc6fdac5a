"""The media that one call stores for its user."""

from types import TracebackType
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from service.integrations.declare.reading import Unusable
from service.media.store import MediaStore


class CallMedia:
    """A context manager, of at most `most` bytes. On exit it deletes what is not confirmed.

    If the database fails, the answer that names the media may have been stored, or be stored later.
    Then they are left to expire.
    """

    def __init__(self, store: MediaStore, user_id: str, most: int) -> None:
        self._store, self._user_id, self._most = store, user_id, most
        self._size = 0
        self._reservation: str | None = None
        self._unconfirmed: list[str] = []

    def __enter__(self) -> "CallMedia":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, SQLAlchemyError):
            self.confirm()
        self._store.drop([*self._unconfirmed, *filter(None, [self._reservation])])

    def reserve(self, seconds: float) -> None:
        """Reserve room for the most that the call may store. Raises `RateLimited`."""
        if self._most:
            self._reservation = self._store.reserve(self._user_id, self._most, seconds)

    def keep(self, content: bytes, media_type: str, name: str) -> dict[str, Any]:
        """Store an item: its fields in the shape `MEDIA`.

        Raises `Unusable` if the call has made more than its endpoint declares, `RateLimited`,
        `Unauthorized`, `Unavailable`.
        """
        self._size += len(content)
        if self._size > self._most:
            raise Unusable("The upstream has made more than can be stored.", upstreamStatus=None)
        item = self._store.put(self._user_id, content, media_type, name, self._reservation)
        self._unconfirmed.append(item.pop("mediaId"))
        return item

    def confirm(self) -> None:
        """What has been stored stays: the answer that names it is stored, too."""
        self._unconfirmed.clear()
