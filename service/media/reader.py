"""Read an item for a response, piece by piece, without holding a database connection."""

import errno
import os

from service.media.models import MediaItem
from service.media.store import MediaStore


class MediaReader:
    """An iterator of an item's bytes, seekable so that werkzeug can answer ranges of them."""

    def __init__(self, store: MediaStore, item: MediaItem) -> None:
        """Open the item. Raises `NotFound` if its file is gone, and `Unavailable`."""
        self._store, self._item, self._position = store, item, 0
        self._file = store.open(item)

    def __iter__(self) -> "MediaReader":
        return self

    def __next__(self) -> bytes:
        if self._position >= self._item.size:
            raise StopIteration
        piece = self._store.read(self._item, self._file, self._position)
        if not piece:  # erased meanwhile: only a closed connection tells the client
            raise ConnectionResetError(errno.ECONNRESET, "the item has been deleted")
        self._position += len(piece)
        return piece

    def seekable(self) -> bool:
        return True

    def seek(self, position: int) -> None:
        self._position = position

    def tell(self) -> int:
        return self._position

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
