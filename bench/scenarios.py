"""The scenarios: which peers, how many requests, at what rate."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    """`streams` replies of `tokens` at `rate` tokens/s, opened over `ramp` seconds.

    With `parallel`, so many replies are open at a time. `fresh` restarts each peer, so that memory
    which an earlier scenario has left to the allocator does not hide what this one needs.
    With `subscribers`, `streams` changes are delivered to so many at `rate`, then in a burst.
    With `paced`, `streams` calls are made, `parallel` at a time, then `paced` calls at `rate`/s.
    """

    name: str
    streams: int
    tokens: int
    rate: float
    ramp: float = 0.0
    parallel: int = 0
    rounds: int = 3
    burst: int = 1
    fresh: bool = False
    subscribers: tuple[int, ...] = ()
    paced: int = 0
    peers: tuple[str, ...] = ("service", "bare", "naive")


SUBSCRIBERS = (1, 100, 1000)
RELAYS = ("bare", "naive")
AND_DIRECT = ("service", *RELAYS, "direct")
FULL = (
    Scenario("one", 1, 400, 200),
    Scenario("fifty", 50, 140, 40, ramp=0.5),
    Scenario("many", 500, 28, 4, ramp=3.5, rounds=2),
    Scenario("fast", 50, 300, 100, ramp=0.5, rounds=2),
    Scenario("burst", 50, 480, 160, ramp=0.5, rounds=2, burst=16),
    Scenario("turns", 200, 8, 1000, parallel=8),
    Scenario("turns-pg", 200, 8, 1000, parallel=8, rounds=2, peers=("service-pg", *RELAYS)),
    Scenario("first", 80, 8, 1000, parallel=1, peers=AND_DIRECT),
    Scenario("held", 2000, 40, 2, ramp=15, rounds=1, fresh=True),
    Scenario("changes", 30, 1, 20, rounds=1, subscribers=SUBSCRIBERS, peers=("service", "bare")),
    Scenario("proxy", 400, 0, 100, parallel=8, rounds=2, paced=100, peers=AND_DIRECT),
)
QUICK = (
    Scenario("one", 1, 150, 200, rounds=1),
    Scenario("fifty", 50, 60, 40, ramp=0.5, rounds=1),
    Scenario("many", 100, 10, 4, ramp=0.8, rounds=1),
    Scenario("fast", 50, 150, 100, ramp=0.5, rounds=1),
    Scenario("burst", 50, 240, 160, ramp=0.5, rounds=1, burst=16),
    Scenario("turns", 60, 8, 1000, parallel=8, rounds=1),
    Scenario("turns-pg", 60, 8, 1000, parallel=8, rounds=1, peers=("service-pg", *RELAYS)),
    Scenario("first", 40, 8, 1000, parallel=1, rounds=1, peers=AND_DIRECT),
    Scenario("held", 200, 6, 2, ramp=1.5, rounds=1, fresh=True),
    Scenario("changes", 10, 1, 20, rounds=1, subscribers=SUBSCRIBERS, peers=("service", "bare")),
    Scenario("proxy", 100, 0, 100, parallel=8, rounds=1, paced=50, peers=AND_DIRECT),
)
WARM_UP = Scenario("warm-up", 30, 8, 1000, parallel=4)
