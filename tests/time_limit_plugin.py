"""A plugin that makes a test that hangs fail, with a traceback of the place where it waits.

It replaces the timer of pytest-timeout. The signal arrives in whichever greenlet runs, mostly in
gevent's loop, where an exception is only printed. So the exception is thrown into the greenlet of
the test. If no Python code runs any more, the process prints its stacks and ends; pytest-xdist
names the test and continues in another process.
"""

import faulthandler
import os
import signal

import gevent
import pytest

from tests.depth import depth

ENDED_AFTER = 60  # further seconds, in which the fixtures of the test are torn down
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
