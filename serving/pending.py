"""Requests that a worker is answering, in memory that outlives it.

A worker that is killed can log nothing. Each request has a slot of a file that the worker has
mapped; once the worker has died, the master logs a line for every slot that is still taken.
"""

import mmap
import os
import re
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HEADER = "X-REQUEST-ID"
SLOT = 256  # bytes: state, then fields with tabs between


def path_of(directory: Path, pid: int) -> Path:
    return directory / f"pending-{pid}"


class Pending:
    """The slots of one worker."""

    def __init__(self, directory: Path, slots: int, valid_id: re.Pattern[str]) -> None:
        self._valid_id = valid_id
        with path_of(directory, os.getpid()).open("w+b") as file:
            file.truncate(slots * SLOT)
            self._memory = mmap.mmap(file.fileno(), slots * SLOT)
        self._free = list(range(slots))

    def begin(self, request: Any) -> None:
        """Note gunicorn's `request`; its address without the query, which may hold secrets."""
        request_id = self._identify(request)
        if not self._free:
            return
        slot = request.slot = self._free.pop()
        line = f"{time.time():.3f}\t{request_id}\t{request.method}\t{request.path}"
        data = line.encode("utf-8", "replace")[: SLOT - 1]
        self._memory[slot * SLOT : slot * SLOT + len(data) + 1] = data + b"\0"

    def _identify(self, request: Any) -> str:
        """The request's id: its header if that is valid, else one of ours, put into the header."""
        given = [value for name, value in request.headers if name == HEADER]
        if len(given) == 1 and self._valid_id.fullmatch(given[0]):
            return given[0]
        made = uuid.uuid4().hex
        kept = [(name, value) for name, value in request.headers if name != HEADER]
        request.headers = [*kept, (HEADER, made)]
        return made

    def end(self, request: Any) -> None:
        slot = getattr(request, "slot", None)
        if slot is not None:
            self._memory[slot * SLOT] = 0
            self._free.append(slot)
            del request.slot


def left_by(directory: Path, pid: int) -> Iterator[dict[str, Any]]:
    """Facts of each request that a dead worker had not answered, for the log; then forget them."""
    path = path_of(directory, pid)
    if not path.exists():
        return
    memory = path.read_bytes()
    path.unlink()
    for start in range(0, len(memory), SLOT):
        line = memory[start : start + SLOT].partition(b"\0")[0].decode("utf-8", "replace")
        if line:
            began, request_id, method, asked = line.split("\t")
            seconds = round(time.time() - float(began), 1)
            yield {"worker": pid, "request_id": request_id, "method": method, "path": asked,
                   "seconds": seconds}  # fmt: skip
