"""Measure the time since the last operation of a session's client."""

import time


class ClientPause:
    """A context manager for each operation, from its arrival to its answer."""

    def __init__(self) -> None:
        self._is_asking = False
        self._asked_at = time.monotonic()

    @property
    def pause(self) -> float:
        """The seconds since the client's last operation; 0 during an operation."""
        return 0.0 if self._is_asking else time.monotonic() - self._asked_at

    def __enter__(self) -> None:
        self._is_asking = True

    def __exit__(self, *_error: object) -> None:
        self._is_asking, self._asked_at = False, time.monotonic()
