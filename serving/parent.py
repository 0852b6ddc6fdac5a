"""A worker ends with its master, whatever the worker does at that moment.

A worker of gunicorn looks once a second whether its master still runs. A worker that hangs does not
look. After its master was killed it would keep the port, so that no other master could start until
somebody killed the worker: systemd does that after `TimeoutStopSec`.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # of prctl(2)


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends. Exits if it has ended already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)
