"""Undo what a block of code has begun if the block fails."""

from collections.abc import Callable


class OnFailure:
    """A context manager that calls `undo` if an exception leaves its block, and does not catch it.

    The exception may be an error, a timeout of the caller, or the kill of the greenlet. An `except`
    clause would have to catch every exception, and a `finally` clause would have to remember
    whether there was one.
    """

    __slots__ = ("_undo",)

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._undo()
