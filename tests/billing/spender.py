"""One of several processes that spend at the same time; tests/forking.py starts them.

It reads lines of JSON, `[url, action, argument…]`, runs the action in many greenlets, and prints
its result as JSON.
"""

from gevent import monkey

monkey.patch_all()  # as gunicorn and wsgi.py do: psycopg would block every greenlet otherwise

import itertools  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from contextlib import suppress  # noqa: E402
from functools import cache  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402
from gevent.fileobject import FileObject  # noqa: E402
from gevent.pool import Pool  # noqa: E402

from service import create_app  # noqa: E402
from service.billing import ledger  # noqa: E402
from service.billing.units import CREDIT  # noqa: E402
from service.database.time_limits import time_limit  # noqa: E402
from service.web.errors import InsufficientCredits  # noqa: E402
from tests.billing.books import Books, limited  # noqa: E402
from tests.services import close, settings_for  # noqa: E402

GREENLETS = 15
PATIENCE = 120.0  # seconds


@cache
def lines() -> FileObject:
    """The standard input, which lets others run while it waits. It is made in the fork."""
    return FileObject(sys.stdin.fileno(), "r", closefd=False)


def ready(_books: Books) -> bool:
    return True


def reserve(books: Books, count: int) -> int:
    """Reserve one credit `count` times and return how often that succeeded."""

    def one(number: int) -> int:
        try:
            books.reserve(1, f"{os.getpid()}-{number}")
        except InsufficientCredits:
            return 0
        return 1

    return sum(run_at_once(one, count))


def spend(books: Books, count: int, most: int) -> int:
    """Reserve one credit `count` times with one limited token, and settle every other hold at
    half; returns how often that succeeded."""

    def one(number: int) -> int:
        ref = f"{os.getpid()}-{number}"
        try:
            hold = books.reserve(1, ref, payer=limited(most))
        except InsufficientCredits:
            return 0
        if number % 2:
            books.settle(hold, 0.5)
        return 1

    return sum(run_at_once(one, count))


def open_account(books: Books, count: int) -> None:
    run_at_once(lambda _: books.open("newcomer", 100), count)


def settle(books: Books, count: int, hold: str) -> int:
    """Settle one hold `count` times and return the credits that were charged."""
    return sum(run_at_once(lambda _: int(books.settle(hold, 1)), count))


def work(books: Books) -> int:
    """Run turns until the next line arrives. A process that is killed meanwhile leaves open holds,
    of which one at least has been used."""
    next_line = gevent.spawn(lines().readline)

    def one(number: int) -> int:
        for turn in itertools.count():
            hold = books.reserve(1, f"{os.getpid()}-{number}-{turn}")
            books.do(ledger.extend, hold, CREDIT // 2, CREDIT)
            if (turn, number) == (1, 0):
                report("working")
                next_line.join()
            gevent.sleep(0.1)
            books.settle(hold, 0.75)
            if next_line.ready():
                return turn + 1

    return sum(run_at_once(one, GREENLETS))


def sweep(books: Books) -> int:
    return sum(iter(lambda: books.sweep(later=3600), 0))


def trade(books: Books, count: int) -> None:
    """Do everything at the same time on a few accounts, to provoke deadlocks."""

    def one(number: int) -> None:
        subject = f"trader-{number % 3}"
        books.open(subject, 1000)
        ref = f"{os.getpid()}-{number}"
        payer = limited(1000, subject, f"token-{number % 2}")  # of several accounts
        hold = books.do(ledger.reserve, payer, CREDIT, ref, "lease", -1)
        with suppress(ledger.HoldLost):  # it has expired already, and somebody may have swept
            books.do(ledger.extend, hold, number, 2 * CREDIT)
        if number % 8 == 0:
            books.sweep()
        else:
            books.settle(hold, 1)
        books.do(ledger.grant, subject, 1, f"grant-{number}")

    run_at_once(one, count)


def run_at_once(action: Callable[[int], Any], count: int) -> list[Any]:
    """Run an action `count` times in greenlets, with a long timeout for statements.

    On a busy machine they may wait for a lock longer than a request's statements may take.
    """

    def patient(number: int) -> Any:
        with time_limit(PATIENCE):
            return action(number)

    return Pool(GREENLETS).map(patient, range(count))


def report(result: Any) -> None:
    print(json.dumps(result), flush=True)


ACTIONS = {
    action.__name__: action
    for action in (ready, reserve, spend, open_account, settle, work, sweep, trade)
}


def main() -> None:
    while line := lines().readline():
        url, action, *arguments = json.loads(line)
        app = create_app(settings_for(url, database_pool_size=GREENLETS))
        result = ACTIONS[action](Books(app), *arguments)
        close(app)  # before the test ends and drops its database
        report(result)
