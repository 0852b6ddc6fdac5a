"""Which process counts. prometheus_client asks for it at each increment, by a system call."""

import os

from prometheus_client import values

_pid = os.getpid()


def _renew() -> None:
    global _pid  # noqa: PLW0603 - a process has one
    _pid = os.getpid()


def install() -> None:
    """Call it before the first metric is made."""
    if values.ValueClass is not values.MutexValue:
        values.ValueClass = values.MultiProcessValue(lambda: _pid)
        os.register_at_fork(after_in_child=_renew)
