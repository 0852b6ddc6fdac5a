"""A test that hangs fails, and its traceback says where it waits: pytest-timeout, for greenlets.

The alarm comes to whatever runs, most often gevent's loop, where an exception is only printed; it
is thrown into the test's own greenlet. Where nothing of Python runs any more, the process prints
its stacks and ends; pytest-xdist names the test and goes on in another one.
"""

import faulthandler
import os
import signal

import gevent
import pytest

from tests.depth import depth

ENDED_AFTER = 60  # seconds more, in which the test's fixtures are taken down
terminal = os.dup(2)  # before pytest captures what is printed


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item, settings):
    seconds, waiting = depth(settings.timeout), gevent.getcurrent()

    def fail(_signal, _frame):
        failure = pytest.fail.Exception(f"hangs: not done after {seconds:.0f} s")
        if gevent.getcurrent() is waiting:
            raise failure
        gevent.get_hub().loop.run_callback(waiting.throw, failure)

    signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(seconds + ENDED_AFTER, file=terminal, exit=True)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_cancel_timer(item):
    signal.setitimer(signal.ITIMER_REAL, 0)
    return True


def pytest_runtest_logfinish(nodeid):
    faulthandler.cancel_dump_traceback_later()
