"""Facts about a greenlet's work (request, user, chat, model), for log lines and the stall alarm.

Facts are bound where they become known, and a greenlet that is spawned later inherits them. They
are kept by greenlet, because greenlets do not inherit context variables and other threads can't
read them.
"""

from typing import Any
from weakref import WeakKeyDictionary

from gevent import Greenlet, getcurrent

_facts: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def begin(**facts: Any) -> None:
    """Replace the facts of the current greenlet: it begins other work."""
    _facts[getcurrent()] = facts


def bind(**facts: Any) -> None:
    """Add to the facts of the current greenlet."""
    _facts[getcurrent()] = {**facts_here(), **facts}


def facts_here() -> dict[str, Any]:
    """The facts of the current greenlet."""
    return _facts.get(getcurrent(), {})


def of_running_greenlet() -> dict[str, Any]:
    """The facts of the greenlet that runs at this moment; for calls from other threads.

    The running greenlet of a thread is the only one that is alive and has no suspended frame.
    """
    for reference in _facts.keyrefs():
        greenlet = reference()
        if greenlet is not None and greenlet and greenlet.gr_frame is None:
            return dict(_facts.get(greenlet, {}))
    return {}


def _inherit(spawned: Greenlet) -> None:
    facts = _facts.get(getcurrent())
    if facts:
        _facts[spawned] = facts


Greenlet.add_spawn_callback(_inherit)
