"""A directory with the content of media: one file for each item, named by the item's id.

Files are opened, read, written and removed in gevent's threads, because a slow disk would block all
greenlets. Several hosts share the directory over a network.
"""

import os
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, TypeVarTuple

import structlog
from gevent import get_hub

from service.disk import sync

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")

OURS = re.compile(r"media_[0-9a-f]{32}(\.part)?")

log = structlog.get_logger("media")


class Directory:
    """The directory. Only this service may have files in it. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError(path)

    def write(self, media_id: str, content: bytes) -> None:
        """Write a file, so that it is on the disk completely or not at all."""
        _in_thread(self._write, media_id, content)

    def open(self, media_id: str) -> int:
        """Return a file's descriptor for `read`; the caller closes it."""
        return _in_thread(os.open, self._path / media_id, os.O_RDONLY | os.O_CLOEXEC)

    def read(self, descriptor: int, size: int, offset: int) -> bytes:
        return _in_thread(os.pread, descriptor, size, offset)

    def remove(self, media_ids: Iterable[str]) -> set[str]:
        """Remove the files of these items, if they exist.

        Returns the items whose file could not be removed. This is logged.
        """
        errors = _in_thread(self._remove, list(media_ids))
        if errors:
            error = next(iter(errors.values()))
            facts = {"error": type(error).__name__, "number": error.errno, "files": len(errors)}
            log.error("media not deleted", **facts)
        return set(errors)

    def list_older(self, seconds: float) -> list[str]:
        """Return the names of our files that were written at least so many seconds ago."""
        return _in_thread(self._list_older, time.time() - seconds)

    def _write(self, media_id: str, content: bytes) -> None:
        partial = self._path / f"{media_id}.part"
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            partial.replace(self._path / media_id)
        except OSError:
            partial.unlink(missing_ok=True)
            raise
        sync(self._path)

    def _remove(self, names: list[str]) -> dict[str, OSError]:
        errors = {}
        for name in names:
            try:
                (self._path / name).unlink(missing_ok=True)
            except OSError as error:
                errors[name] = error
        return errors

    def _list_older(self, moment: float) -> list[str]:
        names = []
        with os.scandir(self._path) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    if OURS.fullmatch(entry.name) and entry.stat().st_mtime < moment:
                        names.append(entry.name)
        return names


def _in_thread(work: Callable[[*Arguments], Result], *args: *Arguments) -> Result:
    """Return the result of `work`. Raises its errors."""
    done: Result | OSError = get_hub().threadpool.apply(_caught, (work, *args))
    if isinstance(done, OSError):
        raise done
    return done


def _caught(work: Callable[[*Arguments], Result], *args: *Arguments) -> Result | OSError:
    """Return the result of `work`, or its error, because gevent prints errors of its threads."""
    try:
        return work(*args)
    except OSError as error:
        return error
