"""The processes of a run: the upstreams, and the peers that relay them.

A peer's name is its column in the table and, after a slash, what is special: `service/pg`.
"""

from collections.abc import Sequence
from typing import Protocol

from bench.people import Question


class Peer(Protocol):
    """A measured server: the process tree below `pid`, which listens on `port`.

    `beside` are the processes of its own that work for it: its database, its reverse proxy.
    """

    name: str
    port: int

    @property
    def pid(self) -> int: ...

    @property
    def beside(self) -> Sequence[int]: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def requests(self, questions: Sequence[Question]) -> list[str]:
        """Complete HTTP requests with the questions, prepared before the measurement."""
