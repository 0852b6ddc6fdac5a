"""The limit of open files: a worker has one for each connection, and for each upstream's."""

import resource

EACH = 2  # a turn's client and its provider
BESIDE = 200  # databases, logs, libraries


def raise_limit(connections: int) -> str | None:
    """Raise the soft limit to what the hard limit allows; a complaint if that is too low still."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    needed = connections * EACH + BESIDE
    if hard == resource.RLIM_INFINITY or hard >= needed:
        return None
    return f"at most {hard} open files: a worker with {connections} connections may need {needed}"
