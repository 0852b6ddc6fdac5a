"""An interruption arrives although the turn moves to another greenlet."""

from collections.abc import Callable

import gevent
from gevent.event import Event

from service.chat.turn.interruption import Interrupted, Interruption
from service.providers.events import ProviderError


def caught_after_a_move(interrupt: Callable[[Interruption], None]) -> list[BaseException]:
    """What is raised in the second greenlet of a turn, interrupted as the first one ends."""
    interruption, caught = Interruption(), []

    def go_on() -> None:
        try:
            interruption.allow()
            Event().wait()
        except (ProviderError, Interrupted) as error:
            caught.append(error)

    def begin() -> gevent.Greenlet:
        interruption.allow()
        interrupt(interruption)  # which arrives when this greenlet has ended
        interruption.move()
        return gevent.spawn(go_on)

    gevent.spawn(begin).get(timeout=5).join(timeout=5)
    return caught


def test_an_error_between_two_greenlets_is_raised_in_the_second():
    error = ProviderError("slow")
    assert caught_after_a_move(lambda interruption: interruption.throw(error)) == [error]


def test_an_interruption_between_two_greenlets_ends_the_second():
    (error,) = caught_after_a_move(lambda interruption: interruption.interrupt("stop"))
    assert error.reason == "stop"
