"""The `changes` scenario: what it costs to deliver changes of records to all subscribers."""

import http.client
import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

from bench import frames
from bench.listen import ChangeJob, DeliveryResult
from bench.peers import Peer
from bench.people import DAY
from config import load
from service.auth.tokens import issue
from tests.services import ENVIRONMENT

SOCKETS_OF_ONE = 20  # the service's limit
BOARD = "/api/records/board"


@dataclass(frozen=True)
class ChangesResult:
    """One peer's results, one for each number of subscribers."""

    deliveries: tuple[DeliveryResult, ...]

    @property
    def faults(self) -> list[str]:
        return [f"{one.subscribers}: {fault}" for one in self.deliveries for fault in one.faults]


def measure_changes(peer: Peer, counts: tuple[int, ...], rate: float, writes: int) -> ChangesResult:
    """Run the load generator for one peer, in a process of its own."""
    job = ChangeJob(
        port=peer.port,
        upgrades=[_upgrade(number // SOCKETS_OF_ONE) for number in range(max(counts))],
        write=_head("PATCH", f"{BOARD}/{_record(peer.port)}", 0),
        counts=list(counts),
        rate=rate,
        writes=writes,
        watch=peer.pid,
    )
    command = [sys.executable, "-m", "bench.listen"]
    done = subprocess.run(
        command, input=json.dumps(asdict(job)), stdout=subprocess.PIPE, text=True, check=True
    )
    return ChangesResult(tuple(DeliveryResult(**one) for one in json.loads(done.stdout)))


def paced_cpu(index: int) -> Callable[[ChangesResult], float]:
    """µs per delivery of a single change."""

    def value(result: ChangesResult) -> float:
        one = result.deliveries[index]
        return one.paced_cpu / 1e3 / (one.paced_deliveries or math.nan)

    return value


def burst_cpu(index: int) -> Callable[[ChangesResult], float]:
    """µs per delivery in a burst, where one write carries several changes."""

    def value(result: ChangesResult) -> float:
        one = result.deliveries[index]
        return one.burst_cpu / 1e3 / (one.burst_deliveries or math.nan)

    return value


def transit(index: int, which: int) -> Callable[[ChangesResult], float]:
    """Milliseconds from the request of a write to its delivery; `which` 0 is p50, 1 is p99."""
    return lambda result: result.deliveries[index].transits[which] / 1e3


def rate(index: int) -> Callable[[ChangesResult], float]:
    """Changes per second in the burst, each delivered to all subscribers."""

    def value(result: ChangesResult) -> float:
        one = result.deliveries[index]
        return one.burst_deliveries / one.subscribers / (one.burst_seconds or math.nan)

    return value


def _record(port: int) -> str:
    """The id of the record to change; the floor has a fixed one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Authorization": f"Bearer {_token(0)}", "Content-Type": "application/json"}
    connection.request("POST", BOARD, json.dumps({"text": frames.text(0, 0)}), headers)
    record = json.loads(connection.getresponse().read())
    connection.close()
    return record.get("recordId", frames.RECORD_ID)


def _upgrade(user: int) -> str:
    lines = [
        _head("GET", "/api/records/socket", user) + "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Protocol: records.v1",
    ]
    return "\r\n".join([*lines, "", ""])


def _head(method: str, path: str, user: int) -> str:
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {_token(user)}",
        "Content-Type: application/json",
    ]
    return "\r\n".join([*lines, ""])


def _token(user: int) -> str:
    return issue(load(ENVIRONMENT), f"bench-{user}", "user", DAY)
