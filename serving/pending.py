"""The requests that a worker is answering, in memory that outlives the worker.

A killed worker can't log. So each request takes a slot in a file that the worker has mapped. After
the death of a worker, the master logs a line for each slot in use.
"""

import mmap
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from service.observing.metric_files import FULL, reserve

HEADER = "X-REQUEST-ID"
SLOT = 256  # bytes: fields separated by tabs, then a zero; an unused slot begins with a zero


def path_of(directory: Path, pid: int) -> Path:
    return directory / f"pending-{pid}"


class Pending:
    """The slots of one worker."""

    def __init__(self, directory: Path, slots: int, valid_id: re.Pattern[str]) -> None:
        self._valid_id = valid_id
        self._memory = _mapped(path_of(directory, os.getpid()), slots * SLOT)
        self._free = list(range(slots))

    def begin(self, request: Any) -> None:
        """Store gunicorn's `request` without its query, which may contain secrets."""
        request_id = self._identify(request)
        if not self._free:
            return
        slot = request.slot = self._free.pop()
        line = f"{time.monotonic():.3f}\t{request_id}\t{request.method}\t{request.path}"
        data = line.encode("utf-8", "replace")[: SLOT - 1]
        self._memory[slot * SLOT : slot * SLOT + len(data) + 1] = data + b"\0"

    def _identify(self, request: Any) -> str:
        """Return the id in the request's header. If it has no valid one, put a new id there."""
        ids: list[str] = [value for name, value in request.headers if name == HEADER]
        if len(ids) == 1 and self._valid_id.fullmatch(ids[0]):
            return ids[0]
        new_id = os.urandom(16).hex()
        others = [(name, value) for name, value in request.headers if name != HEADER]
        request.headers = [*others, (HEADER, new_id)]
        return new_id

    def end(self, request: Any) -> None:
        slot = getattr(request, "slot", None)
        if slot is not None:
            self._memory[slot * SLOT] = 0
            self._free.append(slot)
            del request.slot


def _mapped(path: Path, size: int) -> mmap.mmap:
    """Return memory mapped to a file.

    On a full disk it is memory of this process alone: then the requests that are lost with a killed
    worker are not logged.
    """
    try:
        with path.open("w+b") as file:
            if reserve(file.fileno(), size):
                return mmap.mmap(file.fileno(), size)
    except OSError as error:
        if error.errno not in FULL:
            raise
    return mmap.mmap(-1, size)


def take_unanswered(directory: Path, pid: int) -> Iterator[dict[str, Any]]:
    """Yield facts for the log about each request that a dead worker had not answered.

    Deletes the worker's file.
    """
    path = path_of(directory, pid)
    if not path.exists():
        return
    memory = path.read_bytes()
    path.unlink()
    for start in range(0, len(memory), SLOT):
        line = memory[start : start + SLOT].partition(b"\0")[0].decode("utf-8", "replace")
        if line:
            began, request_id, method, url_path = line.split("\t")
            seconds = round(time.monotonic() - float(began), 1)  # all processes share this clock
            yield {"worker": pid, "request_id": request_id, "method": method, "path": url_path,
                   "seconds": seconds}  # fmt: skip
