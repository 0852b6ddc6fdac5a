"""The limits of a process: descriptors, and the core it runs on."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, CLIENT_CORE = CORES[0], CORES[-1]


def raise_descriptors() -> int:
    """Raise the limit of open files to the hard limit; return it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


@contextmanager
def pinned(core: int) -> Iterator[None]:
    """Processes started inside run on `core` alone, if there are two to choose from."""
    before = os.sched_getaffinity(0)
    if len(CORES) > 1:
        os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
