"""gevent's patches of the standard library."""

from importlib import metadata

from gevent import monkey


def patch_all() -> None:
    """Patch before anything else opens a socket or makes a lock.

    gevent looks up 25 times which packages subscribe to its events, and each time reads the
    metadata of all packages. That is a twentieth of the service's start. Here it is read once.
    """
    entry_points = metadata.entry_points
    metadata.entry_points = entry_points().select
    try:
        monkey.patch_all()
    finally:
        metadata.entry_points = entry_points
