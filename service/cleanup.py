"""Undoing what a block has begun, unless the block ends well."""

from collections.abc import Callable


class OnFailure:
    """A context that calls `undo` if an exception leaves it: an error, a timeout of the caller's,
    the death of the greenlet. The exception goes on.

    As an `except` it would have to catch every exception, and as a `finally` to remember whether
    one came.
    """

    __slots__ = ("_undo",)

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._undo()
