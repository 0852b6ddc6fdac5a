"""Which process counts, and counting without what prometheus_client does against threads.

It asks for the process at each increment, by a system call, and takes a lock. Only greenlets of one
thread count here, and none is interrupted while it does. That halves the calls of functions of an
increment, and a turn has some fifteen.
"""

import os
from struct import Struct
from typing import Any

from prometheus_client import values

pack = Struct("dd").pack  # a value and its time, as `MmapedDict` stores them
SIZE = 16

_pid = os.getpid()
_counting = 0  # the process whose files are open


def _renew() -> None:
    global _pid  # noqa: PLW0603 - a process has one
    _pid = os.getpid()


def install() -> None:
    """Call it before the first metric is made."""
    if values.ValueClass is not values.MutexValue:
        values.ValueClass = _value_class()
        os.register_at_fork(after_in_child=_renew)


def _value_class() -> Any:
    shared: Any = values.MultiProcessValue(lambda: _pid)

    class Value(shared):
        """A number in a file of this process."""

        def inc(self, amount: float) -> None:
            global _counting  # noqa: PLW0603 - a process has one
            if _counting != _pid:  # it has just been forked, and has to open files of its own
                _counting = _pid
                super().inc(amount)
                return
            self._value += amount
            self._timestamp = 0.0
            file = self._file
            place = file._positions[self._key]  # noqa: SLF001 - `write_value` without two calls
            file._m[place : place + SIZE] = pack(self._value, 0.0)  # noqa: SLF001

    return Value
