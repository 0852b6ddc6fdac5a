"""A session's outlet: it tells whether the feed may send to the session without further checks.

At each change, a thousand sessions pass through the processor's caches, and each object that is
read for each of them costs a tenth of the `send`. The outlet is one small object. Every event that
may forbid sending revokes it. The next delivery then makes all checks, and opens it again.
Source: docs/decisions/0038-an-open-outlet-needs-no-questions.md.
"""

from service.auth.users import rights_cache
from service.records.cursor import Position
from service.records.entitlement import Entitlement
from service.websockets.websocket import WebSocket

REVOKED = -1


class Outlet:
    """The way to a session's client, and the session's place in the feed.

    It is open while `version` is the version of the cache of rights and the time is before
    `expires`. This means that the session's rights are the same as at its last delivery, that its
    client has taken all bytes, that it does not lag behind, and that nothing else writes to its
    socket. Only changes after `place` may be sent. `send(frames)` returns the number of bytes that
    the kernel has taken. It raises OSError.
    """

    __slots__ = ("_entitlement", "_socket", "expires", "place", "send", "version")

    def __init__(self, socket: WebSocket, entitlement: Entitlement) -> None:
        self.place = Position(0, 0)
        self.version = REVOKED
        self.expires = entitlement.expires  # Unix time
        self.send = socket.output.send
        self._socket = socket
        self._entitlement = entitlement
        socket.on_use = self.revoke

    def revoke(self) -> None:
        self.version = REVOKED

    def close(self) -> None:
        """Revoke the outlet at the session's end, and remove the socket's reference to it."""
        self.revoke()
        self._socket.on_use = lambda: None

    def deliver(self, frames: bytes, tail: Position, moment: float) -> bool:
        """Check the session's rights, send all frames up to `tail`, and open if all were taken.

        Returns whether the client has taken all bytes. `moment` is the Unix time.
        """
        if not self._entitlement.is_current(moment):
            return False
        sent = self._socket.send_at_once(frames)
        if sent:
            self.place = tail
        is_whole = sent == len(frames)
        self.version = rights_cache.version if is_whole else REVOKED
        return is_whole

    def keep(self, rest: bytes) -> None:
        """Keep the bytes that `send` has not taken. The session sends them first."""
        self._socket.output.rest = rest
