"""Pauses, in which a streamed response waits without a greenlet if its server supports that."""

from collections.abc import Callable

SUPPORTED = "service.pauses"  # in the environ of a request whose server supports pauses


class Pause(bytes):
    """Empty bytes that a streamed response yields when it has nothing to send.

    The server may end the response's greenlet, and call `then` with a function. That function is
    called in the event loop when there is something to send, and the server then asks for the next
    item. If the server does not call `then`, it asks at once, and waits.
    """

    then: Callable[[Callable[[], object]], None]

    @classmethod
    def until(cls, then: Callable[[Callable[[], object]], None]) -> "Pause":
        pause = cls()
        pause.then = then
        return pause
