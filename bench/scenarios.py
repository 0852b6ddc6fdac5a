"""The scenarios: which peers, how many requests, at what rate."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    """`streams` replies of `tokens` at `rate` tokens/s, opened over `ramp` seconds.

    With `parallel`, so many replies are open at a time. `fresh` restarts each peer, so that memory
    which an earlier scenario has left to the allocator does not hide what this one needs.
    With `together` all streams end at the same time, and `tokens` are those of the first.
    All but the last of a turn's `steps` call a tool. `history` messages are in each chat before.
    With `subscribers`, `streams` changes are delivered to so many at `rate`, then in a burst.
    With `paced`, `streams` calls are made, `parallel` at a time, then `paced` calls at `rate`/s.
    The first of `peers` is the service. `extra` is run only if it is named.
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
    together: bool = False
    model: str = ""
    steps: int = 1
    history: int = 0
    subscribers: tuple[int, ...] = ()
    paced: int = 0
    peers: tuple[str, ...] = ("service", "bare", "naive")
    extra: bool = False

    @property
    def descriptors(self) -> int:
        """What the peer and the load generator need to have open."""
        return 2 * self.streams + 500


SUBSCRIBERS = (1, 100, 1000)
COMPATIBLE = "oss-120b"  # a model of the OpenAI-compatible provider
RELAYS = ("bare", "naive")
ALL = ("service", *RELAYS, "node")
AND_DIRECT = (*ALL, "direct")
BRIEFLY = ("service", *RELAYS, "direct")
WITH_TOOLS = ("service", "naive", "node")
ON_POSTGRESQL = ("service/pg", *RELAYS, "node")
TWO_WORKERS = ("service/two", *RELAYS)
UNSYNCED = ("service/unsynced", *RELAYS)
TLS = ("service/tls", "bare/tls", "naive/tls", "node/tls")
NGINX = ("service/nginx", "bare/nginx", "naive/nginx")
CALLED = ("service", *RELAYS, "node/hono", "direct")
OURS_AND_BARE = ("service", "bare")
FULL = (
    Scenario("one", 1, 400, 200, rounds=2, peers=ALL),
    Scenario("fifty", 50, 140, 40, ramp=0.5, peers=ALL),
    Scenario("openai", 50, 140, 40, ramp=0.5, rounds=1, model=COMPATIBLE, peers=ALL),
    Scenario("many", 500, 28, 4, ramp=3.5, rounds=2),
    Scenario("fast", 50, 300, 100, ramp=0.5, rounds=2),
    Scenario("burst", 50, 480, 160, ramp=0.5, rounds=1, burst=16),
    Scenario("tls", 50, 140, 40, ramp=0.5, rounds=1, peers=TLS),
    Scenario("nginx", 50, 140, 40, ramp=0.5, rounds=1, peers=NGINX),
    Scenario("turns", 200, 8, 1000, parallel=8, peers=ALL),
    Scenario("turns-unsynced", 200, 8, 1000, parallel=8, rounds=1, peers=UNSYNCED),
    Scenario("turns-pg", 200, 8, 1000, parallel=8, rounds=2, peers=ON_POSTGRESQL),
    Scenario("turns-two", 300, 8, 1000, parallel=16, rounds=2, peers=TWO_WORKERS),
    Scenario("tool", 100, 8, 1000, parallel=8, rounds=2, steps=2, peers=WITH_TOOLS),
    Scenario("steps", 60, 8, 1000, parallel=8, rounds=2, steps=5, peers=WITH_TOOLS),
    Scenario("chat-10", 40, 8, 1000, parallel=4, rounds=2, history=10, peers=("service",)),
    Scenario("chat-1000", 40, 8, 1000, parallel=4, rounds=2, history=1000, peers=("service",)),
    Scenario("first", 80, 8, 1000, parallel=1, rounds=2, peers=AND_DIRECT),
    Scenario("starts", 50, 8, 1000, peers=AND_DIRECT),
    Scenario("held-500", 500, 26, 2, ramp=6, rounds=1, fresh=True, together=True),
    Scenario(
        "held", 5000, 150, 2, ramp=65, rounds=1, fresh=True, together=True, peers=OURS_AND_BARE
    ),
    Scenario(
        "held-10000", 10_000, 340, 2, ramp=150, rounds=1, fresh=True, together=True,
        peers=OURS_AND_BARE, extra=True,
    ),
    Scenario("changes", 30, 1, 20, rounds=1, subscribers=SUBSCRIBERS, peers=OURS_AND_BARE),
    Scenario(
        "changes-pg", 30, 1, 20, rounds=1, subscribers=SUBSCRIBERS, peers=("service/pg", "bare")
    ),
    Scenario("proxy", 400, 0, 100, parallel=8, rounds=3, paced=100, peers=CALLED),
)  # fmt: skip
QUICK = (
    Scenario("one", 1, 150, 200, rounds=1, peers=ALL),
    Scenario("fifty", 50, 60, 40, ramp=0.5, rounds=1, peers=ALL),
    Scenario("openai", 50, 60, 40, ramp=0.5, rounds=1, model=COMPATIBLE, extra=True),
    Scenario("many", 100, 10, 4, ramp=0.8, rounds=1),
    Scenario("fast", 50, 150, 100, ramp=0.5, rounds=1),
    Scenario("burst", 50, 240, 160, ramp=0.5, rounds=1, burst=16),
    Scenario("tls", 50, 60, 40, ramp=0.5, rounds=1, peers=TLS[:2], extra=True),
    Scenario("nginx", 50, 60, 40, ramp=0.5, rounds=1, peers=NGINX[:2], extra=True),
    Scenario("turns", 60, 8, 1000, parallel=8, rounds=1, peers=ALL),
    Scenario("turns-unsynced", 60, 8, 1000, parallel=8, rounds=1, peers=UNSYNCED, extra=True),
    Scenario("turns-pg", 60, 8, 1000, parallel=8, rounds=1, peers=ON_POSTGRESQL[:3]),
    Scenario("turns-two", 60, 8, 1000, parallel=16, rounds=1, peers=TWO_WORKERS, extra=True),
    Scenario("tool", 40, 8, 1000, parallel=8, rounds=1, steps=2, peers=WITH_TOOLS),
    Scenario("steps", 20, 8, 1000, parallel=8, rounds=1, steps=5, peers=WITH_TOOLS, extra=True),
    Scenario(
        "chat-10", 20, 8, 1000, parallel=4, rounds=1, history=10, peers=("service",), extra=True
    ),
    Scenario("chat-1000", 20, 8, 1000, parallel=4, rounds=1, history=1000, peers=("service",)),
    Scenario("first", 40, 8, 1000, parallel=1, rounds=1, peers=BRIEFLY),
    Scenario("starts", 50, 8, 1000, rounds=1, peers=BRIEFLY),
    Scenario("held", 200, 6, 2, ramp=1.5, rounds=1, fresh=True),
    Scenario("changes", 10, 1, 20, rounds=1, subscribers=SUBSCRIBERS, peers=OURS_AND_BARE),
    Scenario(
        "changes-pg", 10, 1, 20, rounds=1, subscribers=SUBSCRIBERS, peers=("service/pg", "bare"),
        extra=True,
    ),
    Scenario("proxy", 100, 0, 100, parallel=8, rounds=1, paced=50, peers=CALLED),
)  # fmt: skip
WARM_UP = Scenario("warm-up", 30, 8, 1000, parallel=4)
