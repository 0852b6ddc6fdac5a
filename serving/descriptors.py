"""The limit of open files. A worker needs one for each client and each upstream connection."""

import resource

EACH = 2  # a turn's client and its provider
BESIDE = 200  # databases, logs, libraries


def raise_limit(connections: int) -> str | None:
    """Raise the soft limit to the hard limit; returns a warning if that is too low."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    needed = connections * EACH + BESIDE
    if hard == resource.RLIM_INFINITY or hard >= needed:
        return None
    return f"at most {hard} open files: a worker with {connections} connections may need {needed}"
