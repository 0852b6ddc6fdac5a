"""The metrics, on which operators set alarms. Those of stalls are in `stall.py`.

docs/operations.md describes every metric and how to react to it; a test compares. Labels are only
declared names (models, endpoints, tools, kinds), never a user's words or id. A scrape adds up all
workers of a host: the counters of a dead worker stay in the sum, and its gauges are removed
(docs/decisions/0033).
"""

from functools import lru_cache

from prometheus_client import Gauge

from service.observing.processes import Counter, Histogram

CHILDREN = 4096  # cached children of a metric: a look-up by labels takes longer than to count
WAITS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60)  # seconds until a model's first output
LAGS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60)  # seconds

# Requests
REQUESTS = Counter("http_requests_total", "Answered requests.", ["method", "route", "status"])
REQUEST_SECONDS = Histogram(
    "http_request_seconds", "Time until the last byte of an answer, seconds.", ["route"]
)
UPSTREAM_CALLS = Counter("upstream_calls_total", "Calls to upstreams.", ["upstream", "outcome"])
REFRESHES = Counter(
    "grant_refreshes_total",
    "Refreshes of users' tokens at vendors, by how they ended; failures once a grant.",
    ["integration", "outcome"],
)

# Turns and models
TURNS = Counter("turns_total", "Ended turns.", ["model", "status"])
COMPACTIONS = Counter("compactions_total", "Turns whose history was compacted.", ["stage"])
TURN_FIRST_TOKEN = Histogram(
    "turn_first_token_seconds",
    "From a message's arrival to the first text or tool call of its answer.",
    ["model"],
    buckets=WAITS,
)
MODEL_FIRST_TOKEN = Histogram(
    "model_first_token_seconds",
    "From a request to a model, with its retries, to the first text or tool call.",
    ["model"],
    buckets=WAITS,
)
TURN_FAILURES = Counter("turn_failures_total", "Failed turns by fault.", ["model", "fault"])
TURN_CREDITS = Counter("turn_credits_total", "Credits charged for turns.", ["model"])
UNCHARGED = Counter("turns_uncharged_total", "Finished turns that charged nothing.")
TOKENS = Counter("model_tokens_total", "Tokens of models, by kind.", ["model", "kind"])
TURNS_RUNNING = Gauge("turns_running", "Turns that run on this host.", multiprocess_mode="livesum")

SPANS_DROPPED = Counter("trace_spans_dropped_total", "Spans the collector did not get.")

# Tools and endpoints
TOOL_CALLS = Counter("tool_calls_total", "Tool calls of models and clients.", ["tool", "outcome"])
ENDPOINT_CALLS = Counter(
    "endpoint_calls_total", "Calls of endpoints by outcome.", ["endpoint", "outcome"]
)
ENDPOINT_CREDITS = Counter(
    "endpoint_credits_total", "Credits charged for calls of endpoints.", ["endpoint"]
)
KEPT_ANSWERS = Counter(
    "kept_answers_total", "Lookups of cached answers by outcome.", ["endpoint", "outcome"]
)
KEYS_IN_FLIGHT = Gauge(
    "idempotency_keys_in_flight",
    "Idempotency keys that calls on this host hold.",
    multiprocess_mode="livesum",
)
WRITES_WAITING = Gauge(
    "late_writes_waiting",
    "Ends of calls on this host that wait for the database.",
    multiprocess_mode="livesum",
)

# The feed
SOCKETS = Gauge("sockets_open", "Open sockets on this host.", multiprocess_mode="livesum")
SOCKETS_MOVED = Counter(
    "sockets_moved_total", "Sockets closed so that they connect to a worker with fewer."
)
FEED_LAG = Histogram(
    "feed_lag_seconds",
    "From the writing of a change to its sending by a worker.",
    buckets=LAGS,
)
FEED_UNREAD = Gauge(
    "feed_unread_seconds",
    "Since a worker with sockets has last read the feed; the longest on this host.",
    multiprocess_mode="livemax",
)

# The database
CONNECTIONS_USED = Gauge(
    "database_connections_used",
    "Connections of the pools on this host that are in use.",
    multiprocess_mode="livesum",
)
CONNECTIONS_LIMIT = Gauge(
    "database_connections_limit",
    "Connections that the pools on this host may open.",
    multiprocess_mode="livesum",
)
CONNECTIONS_AWAITED = Gauge(
    "database_connections_awaited",
    "Pieces of work on this host that wait for a connection.",
    multiprocess_mode="livesum",
)
CONNECTION_WAITS = Counter(
    "database_connection_waits_total", "Times that a pool had no free connection."
)
SYNCS = Histogram(
    "database_sync_seconds", "SQLite: syncs of the log, which commits wait for.", buckets=LAGS
)

# Workers
NOT_RENEWED = Counter(
    "leases_not_renewed_total", "Times that leases could not be renewed.", ["kind"]
)
SWEPT = Counter("lost_work_swept_total", "What lost workers held and a sweep ended.", ["kind"])
LIMITED = Counter("user_limits_total", "Requests refused by a limit of their user.", ["limit"])
LINES_LOST = Counter("log_lines_lost_total", "Log lines that could not be written.")
RESTARTS = Counter("worker_restarts_total", "Workers that were started in place of ended ones.")
WORKERS_READY = Gauge(
    "workers_ready", "Workers of this host that take new work.", multiprocess_mode="livesum"
)
STARTED = Gauge(
    "worker_start_time_seconds",
    "When a running worker was started, in Unix time.",
    ["worker"],
    multiprocess_mode="livemax",
)
OWNER_TOKEN_END = Gauge(
    "owner_token_end_time_seconds",
    "When the token of the app's owner expires, in Unix time.",
    multiprocess_mode="livemax",
)

# These series exist from the start, so that the first increase is seen.
claims_not_renewed, keys_not_renewed = map(NOT_RENEWED.labels, ("claims", "keys"))
swept_turns, swept_holds = map(SWEPT.labels, ("turns", "holds"))

answered_requests = lru_cache(CHILDREN)(REQUESTS.labels)
time_of_request = lru_cache(CHILDREN)(REQUEST_SECONDS.labels)
count_upstream_call = lru_cache(CHILDREN)(UPSTREAM_CALLS.labels)
time_of_turn = lru_cache(CHILDREN)(TURN_FIRST_TOKEN.labels)
time_of_model = lru_cache(CHILDREN)(MODEL_FIRST_TOKEN.labels)
turn_credits = lru_cache(CHILDREN)(TURN_CREDITS.labels)
tokens = lru_cache(CHILDREN)(TOKENS.labels)
tool_calls = lru_cache(CHILDREN)(TOOL_CALLS.labels)
endpoint_calls = lru_cache(CHILDREN)(ENDPOINT_CALLS.labels)
endpoint_credits = lru_cache(CHILDREN)(ENDPOINT_CREDITS.labels)
count_lookup = lru_cache(CHILDREN)(KEPT_ANSWERS.labels)


def count_tokens(model: str, **counts: int) -> None:
    for kind, count in counts.items():
        if count:
            tokens(model, kind.replace("_", "-")).inc(count)
