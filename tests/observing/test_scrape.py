"""What a scrape says of each worker, and of the workers it can't ask."""

import math
import os
import resource

import pytest

from service.observing import scrape
from service.observing.scrape import PRIVATE, WorkerFacts


def facts(*workers: object) -> dict[tuple[str, str], float]:
    families = WorkerFacts(map(str, workers)).collect()
    samples = [sample for family in families for sample in family.samples]
    return {(sample.name, sample.labels["worker"]): sample.value for sample in samples}


def test_memory_and_files_of_a_worker():
    me = str(os.getpid())
    told = facts(me)
    with open("/proc/self/status") as status:
        kib = int(PRIVATE.search(status.read())[1])
    assert told["worker_memory_bytes", me] == pytest.approx(kib * 1024, rel=0.1)
    assert told["worker_files_open", me] in range(3, 1000)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    expected = math.inf if limit == resource.RLIM_INFINITY else limit
    assert told["worker_files_limit", me] == expected


def test_a_worker_that_has_ended_has_no_facts(tmp_path, monkeypatch):
    """It had endless memory in a scrape before its master knew of its end."""
    monkeypatch.setattr(scrape, "PROC", tmp_path)
    (tmp_path / "7" / "fd").mkdir(parents=True)
    (tmp_path / "7" / "status").write_text("Name:\tgunicorn\nState:\tZ (zombie)\n")
    (tmp_path / "7" / "limits").write_text("Max open files   1024   4096   files\n")
    assert facts(7, 8) == {}
