"""Facts about the work of a greenlet (request, user, chat, model) for logs and the stall alarm.

Code binds facts when it learns them, and greenlets that are spawned later inherit them. Context
variables would not do: greenlets do not inherit them, and other threads can't read them.
"""

from typing import Any
from weakref import WeakKeyDictionary

from gevent import Greenlet, getcurrent

_facts: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def begin(**facts: Any) -> None:
    """Replace the facts of the current greenlet at the start of new work."""
    _facts[getcurrent()] = facts


def bind(**facts: Any) -> None:
    """Add to the facts of the current greenlet."""
    _facts[getcurrent()] = {**current_facts(), **facts}


def take_over(other: Any) -> None:
    """Move the facts of a greenlet that has worked for the current one to the current one."""
    facts = _facts.pop(other, None)
    if facts is not None:
        _facts[getcurrent()] = facts


def give(greenlet: Greenlet, facts: dict[str, Any]) -> None:
    """Give facts to a greenlet that does not inherit them: the event loop has spawned it."""
    _facts[greenlet] = facts


def current_facts() -> dict[str, Any]:
    """Return the facts of the current greenlet."""
    return _facts.get(getcurrent(), {})


def facts_of_running_greenlet() -> dict[str, Any]:
    """Return the facts of the greenlet that is running now. Other threads may call it.

    The running greenlet is the only one that is alive and has no suspended frame.
    """
    for reference in _facts.keyrefs():
        greenlet = reference()
        if greenlet is not None and greenlet and greenlet.gr_frame is None:
            return dict(_facts.get(greenlet, {}))
    return {}


def _inherit(greenlet: Greenlet) -> None:
    facts = _facts.get(getcurrent())
    if facts:
        _facts[greenlet] = facts


Greenlet.add_spawn_callback(_inherit)
