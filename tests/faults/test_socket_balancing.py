"""Sockets come back to a worker that was killed, and none of them misses a change.

Those whose clients are asking for something stay where they are.
"""

import os
from collections.abc import Iterator

import gevent
import pytest

from service.records.socket_balancing import LEAST_SURPLUS, surplus
from tests.faults.processes import kill_oldest_worker
from tests.records.http_writer import HttpWriter
from tests.services import wait_for

USERS, SOCKETS, TALKERS = ("alice", "bob"), 14, 2  # of each user, who may have 20
MOST_WRITTEN = 80  # in forty seconds
ESTABLISHED = "01"


def connections(pid: int, port: int) -> int:
    """How many clients are connected to a process, by the kernel."""
    opened = set(links(f"/proc/{pid}/fd"))
    with open(f"/proc/{pid}/net/tcp") as table:
        rows = [line.split() for line in list(table)[1:]]
    local = f":{port:04X}"
    ours = [row[9] for row in rows if row[1].endswith(local) and row[3] == ESTABLISHED]
    return sum(f"socket:[{inode}]" in opened for inode in ours)


def links(directory: str) -> Iterator[str]:
    for name in os.listdir(directory):
        try:
            yield os.readlink(f"{directory}/{name}")
        except FileNotFoundError:
            continue


def test_a_worker_that_came_back_gets_its_share_of_the_sockets(start, follow, listen):
    service = start("postgresql", WEB_CONCURRENCY=2)
    followers = [follow(service, user) for user in USERS for _ in range(SOCKETS)]
    writer = [HttpWriter(service, user) for user in USERS]
    for one in writer:
        one.session.headers["Connection"] = "close"  # so that only sockets are counted
    kill_oldest_worker(service)

    def spread() -> list[int]:
        return [connections(pid, service.port) for pid in service.workers]

    wait_for(lambda: sum(spread()) == len(followers))
    print("after the kill:", spread())
    talkers = [listen(service, user) for user in USERS for _ in range(TALKERS)]
    count = len(followers) + len(talkers)
    written, most = 0, count / 2 + LEAST_SURPLUS
    while max(spread()) > most or sum(spread()) < count:
        for one in writer:
            one.create("notes", title="while they move")
        for one in talkers:
            assert one.ask(op="unsubscribe", id="none")["type"] == "error", "it was moved"
        written += 1
        assert written < MOST_WRITTEN, spread()
        gevent.sleep(0.5)
    print("in the end:", spread())
    wait_for(lambda: all(len(one.replay.records) == written for one in followers))


@pytest.mark.parametrize(
    ("own", "others", "closed"),
    [
        (52, [5], 2),
        (1000, [0], 20),
        (16, [8], 0),  # four above the mean, which is the least
        (17, [7], 2),
        (600, [400], 0),  # a fifth above it
        (620, [400], 12),
        (40, [], 0),  # alone
        (5, [47], 0),
    ],
)
def test_a_worker_closes_sockets_only_if_it_has_clearly_more(own, others, closed):
    assert surplus(own, [own, *others]) == closed
    assert surplus(own, []) == 0
