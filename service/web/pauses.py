"""Where a streamed response waits without a greenlet, if its server can do that."""

from collections.abc import Callable

SUPPORTED = "service.pauses"  # in the environ of a request whose server does


class Pause(bytes):
    """A streamed response yields it where it has nothing to send: no bytes.

    The server may let go of the response's greenlet, and call `then` with a function that is
    called in the event loop when there is something to send. It asks for the next item after that.
    If it does not call `then`, it asks at once, and waits.
    """

    then: Callable[[Callable[[], object]], None]

    @classmethod
    def until(cls, then: Callable[[Callable[[], object]], None]) -> "Pause":
        pause = cls()
        pause.then = then
        return pause
