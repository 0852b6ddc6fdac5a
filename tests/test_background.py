"""Work in the background: it begins when it is woken, and ends when nothing is left."""

import gevent
import pytest

from service import supervised
from service.background import BackgroundWork
from tests.services import wait_for

FAULT = gevent.GreenletExit()  # unlike others, gevent does not report it
ERROR = ValueError()


class Emptying(BackgroundWork):
    """Takes one item after the other from a list, as long as it has any."""

    def __init__(self):
        self.waiting, self.taken, self.greenlets = [], [], set()

    def add(self, *items):
        self.waiting += items
        self.wake()

    def join(self):
        self._greenlet.join()

    def _work(self):
        self.greenlets.add(gevent.getcurrent())
        while self.waiting:
            gevent.sleep(0.001)
            item = self.waiting.pop(0)
            if item in (FAULT, ERROR):
                raise item
            self.taken.append(item)


@pytest.fixture
def work():
    made = Emptying()
    yield made
    made.stop()


def test_one_greenlet_does_the_work_that_is_requested_at_the_same_time(work):
    work.add(1)
    work.add(2, 3)
    work.join()
    assert (work.taken, len(work.greenlets)) == ([1, 2, 3], 1)


def test_work_that_comes_when_all_was_done_is_done(work):
    work.add(1)
    work.join()
    work.add(2)
    work.join()
    assert (work.taken, len(work.greenlets)) == ([1, 2], 2)


def test_work_goes_on_when_it_is_woken_after_an_error(work):
    work.add(FAULT, 1)
    work.join()
    assert work.taken == []
    work.wake()
    work.join()
    assert work.taken == [1]


def test_work_begins_anew_after_an_error_that_nobody_expects(work, monkeypatch, capsys):
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    monkeypatch.setattr(supervised, "RESTART_SECONDS", 0.01)
    work.add(ERROR, 1)
    wait_for(lambda: work.taken == [1])
    assert '"event": "background work failed"' in capsys.readouterr().err


def test_work_that_was_stopped_can_be_woken_again(work):
    work.add(1, 2)
    work.stop()
    gevent.sleep(0.05)
    assert work.taken == []
    work.wake()
    wait_for(lambda: work.taken == [1, 2])
