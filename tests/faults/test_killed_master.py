"""The master is killed while a worker hangs."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.client import client_of
from tests.services import wait_for


@pytest.mark.parametrize(("kind", "count"), [("sqlite", 1), ("postgresql", 2)])
def test_the_service_starts_again_though_a_worker_hangs_without_its_master(start, kind, count):
    service = start(kind, WEB_CONCURRENCY=count)
    chat = client_of(service).new_chat()
    orphans = service.workers
    os.kill(orphans[0], signal.SIGSTOP)
    try:
        service.stop(signal.SIGKILL)
        wait_for(lambda: not any(map(runs, orphans)))
        service.start()
    finally:
        for orphan in orphans:
            with suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)
    assert client_of(service).ask(chat, "words=3", "u").chunks[-1]["type"] == "finish"


def runs(pid):
    """Whether a process has not ended, even if nobody has reaped it."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False
