"""Facts about the work of a greenlet (request, user, chat, model) for logs and the stall alarm.

Code binds facts when it learns them, and greenlets that are spawned later inherit them. Context
variables are not suitable: greenlets do not inherit them, and other threads can't read them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

import greenlet
from gevent import Greenlet, getcurrent

# By greenlet, until it ends. A WeakKeyDictionary would take two to three times as long.
_facts: dict[ref[Any], dict[str, Any]] = {}

# gevent's version is also true for a greenlet that has been spawned but has not begun.
_has_begun: Callable[[Any], bool] = greenlet.greenlet.__bool__


def begin(**facts: Any) -> None:
    """Replace the facts of the current greenlet at the start of new work."""
    _facts[ref(getcurrent(), _forget)] = facts


def bind(**facts: Any) -> None:
    """Add to the facts of the current greenlet."""
    current = ref(getcurrent(), _forget)
    _facts[current] = {**_facts.get(current, {}), **facts}


@contextmanager
def scope() -> Iterator[None]:
    """Restore the facts at the end of the block, and forget those that were bound in it."""
    outside = current_facts()
    try:
        yield
    finally:
        begin(**outside)


def take_over(other: Any) -> None:
    """Move the facts of a greenlet that has worked for the current one to the current one."""
    facts = _facts.pop(ref(other), None)
    if facts is not None:
        _facts[ref(getcurrent(), _forget)] = facts


def give(spawned: Greenlet, facts: dict[str, Any]) -> None:
    """Give facts to a greenlet that the event loop has spawned, and that does not inherit any."""
    _facts[ref(spawned, _forget)] = facts


def current_facts() -> dict[str, Any]:
    """Return the facts of the current greenlet."""
    return _facts.get(ref(getcurrent()), {})


def facts_of_running_greenlet() -> dict[str, Any]:
    """Return the facts of the greenlet that is running now. Other threads may call it.

    The running greenlet is the only one that has begun, has not ended, and has no suspended frame.
    """
    for reference in list(_facts):
        one = reference()
        if one is not None and _has_begun(one) and one.gr_frame is None:
            return dict(_facts.get(reference, {}))
    return {}


def _forget(ended: ref[Any]) -> None:
    _facts.pop(ended, None)


def _inherit(spawned: Greenlet) -> None:
    facts = _facts.get(ref(getcurrent()))
    if facts:
        _facts[ref(spawned, _forget)] = facts


Greenlet.add_spawn_callback(_inherit)
