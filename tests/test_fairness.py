"""However many greenlets work, a round of the event loop has one piece of their work."""

import gevent
import pytest

from service.fairness import WorkBudget, let_others_run

WORKERS, ROUNDS = 20, 60


@pytest.fixture
def budget():
    return WorkBudget(10)


@pytest.fixture
def work(budget):
    """Start workers that never end; returns what each has spent so far."""
    working = []

    def starting(count: int) -> list[int]:
        spent = [0] * count

        def spend(number: int) -> None:
            while True:
                spent[number] += 1
                budget.spend(11)

        working.extend(gevent.spawn(spend, number) for number in range(count))
        return spent

    yield starting
    gevent.killall(working)


def rounds(count: int) -> None:
    for _ in range(count):
        let_others_run()


def test_a_round_takes_no_longer_with_each_further_worker(work):
    spent = work(WORKERS)
    rounds(1)  # in which each begins
    rounds(ROUNDS)
    assert sum(spent) <= WORKERS + ROUNDS + 2


def test_all_workers_take_turns(work):
    spent = work(WORKERS)
    rounds(ROUNDS)
    assert min(spent) >= ROUNDS // WORKERS
    assert max(spent) - min(spent) <= 1


def test_a_greenlet_that_is_killed_in_the_queue_stops_no_other(work, budget):
    spent = work(2)
    rounds(1)
    killed = gevent.spawn(budget.spend, 11)
    rounds(1)
    killed.kill()
    before = list(spent)
    rounds(ROUNDS)
    assert all(now > then for now, then in zip(spent, before, strict=True))
