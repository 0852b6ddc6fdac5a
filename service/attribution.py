"""Whose work a greenlet does: the facts that its log lines bear, and the stall alarm's too.

They are bound where they become known (a request, its user, its chat and model), and every
greenlet that is spawned from then on inherits them. They are kept by greenlet and not as context
variables, which greenlets do not inherit and other threads can't read.
"""

from typing import Any
from weakref import WeakKeyDictionary

from gevent import Greenlet, getcurrent

_facts: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def begin(**facts: Any) -> None:
    """The greenlet begins something else, of which these are the facts."""
    _facts[getcurrent()] = facts


def bind(**facts: Any) -> None:
    """More has become known."""
    _facts[getcurrent()] = {**facts_here(), **facts}


def facts_here() -> dict[str, Any]:
    """What is known of the greenlet that asks."""
    return _facts.get(getcurrent(), {})


def of_running_greenlet() -> dict[str, Any]:
    """The facts of the greenlet that holds the event loop at this moment; for other threads.

    Of the greenlets of a thread only the one that runs is alive and has no frame to go on from.
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
