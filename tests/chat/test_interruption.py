"""An interruption reaches its turn in another greenlet too, and a late model's error no tool."""

import time
from collections.abc import Callable
from types import SimpleNamespace

import gevent
from gevent.event import Event

from service.chat.turn.interruption import Interrupted, Interruption
from service.chat.turn.running import Run
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


def outcome_of_a_turn(answers_at_the_last_moment: bool) -> str:
    """The outcome of a turn that asks a late model and then runs a tool.

    At the last moment is after the model was found late, and before the error is raised.
    """
    question = {"hold_id": "", "hold_amount": 0, "budget": None, "turn_id": "", "model": None}
    run, answered = Run(SimpleNamespace(**question)), Event()

    def work() -> str:
        run.interruption.allow()
        run.deadline.begin(first=0, step=60)
        try:
            answered.wait()
        except ProviderError as error:
            return error.fault
        run.deadline.end()
        try:
            gevent.sleep(0.05)
        except ProviderError:
            return "the tool was ended"
        return "finished"

    turn = gevent.spawn(work)
    gevent.sleep(0)
    if answers_at_the_last_moment:
        answered.set()  # the turn continues in the event loop, before the error is raised there
    run.check(time.monotonic() + 1)
    return turn.get(timeout=5)


def test_a_late_model_ends_its_turn():
    assert outcome_of_a_turn(answers_at_the_last_moment=False) == "slow"


def test_a_model_that_answers_at_the_last_moment_does_not_end_the_tool_after_it():
    assert outcome_of_a_turn(answers_at_the_last_moment=True) == "finished"
