"""The limit on open files. A worker needs one for each client and each upstream connection."""

import resource

PER_CONNECTION = 2  # the client of a turn and its provider
OTHERS = 200  # databases, logs, libraries


def raise_limit(connections: int) -> str | None:
    """Raise the soft limit to the hard limit. Returns a warning if that is too low, or None."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    needed = connections * PER_CONNECTION + OTHERS
    if hard == resource.RLIM_INFINITY or hard >= needed:
        return None
    return f"at most {hard} open files: a worker with {connections} connections may need {needed}"
