"""The processes of a run: the upstream, and the peers that relay it."""

from typing import Protocol


class Peer(Protocol):
    """A measured server: the process tree below `pid`, which listens on `port`."""

    name: str
    port: int

    @property
    def pid(self) -> int: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def requests(self, text: str, count: int) -> list[str]:
        """Complete HTTP requests with `text` as the question, prepared before the measurement."""
