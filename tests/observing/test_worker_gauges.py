"""What workers read of each other's gauges."""

import pytest
from prometheus_client.mmap_dict import MmapedDict, mmap_key

from service.observing import measures, worker_gauges

READY, SOCKETS = measures.WORKERS_READY._name, measures.SOCKETS._name


@pytest.fixture
def worker(tmp_path):
    """Write the file of a worker with these gauges."""

    def write(pid, gauges, mode="livesum"):
        file = MmapedDict(str(tmp_path / f"gauge_{mode}_{pid}.db"))
        for name, value in gauges.items():
            file.write_value(mmap_key(name, name, (), (), "Any."), value, 0.0)
        file.write_value(mmap_key(SOCKETS, SOCKETS, ("kind",), ("a",), "Any."), 99.0, 0.0)
        file.close()

    return write


def test_workers_that_take_new_work_tell_their_gauge(worker, tmp_path):
    worker(1, {READY: 1.0, SOCKETS: 5.0})
    worker(2, {READY: 0.0, SOCKETS: 7.0})  # ends
    worker(3, {READY: 1.0})  # has had none
    worker(4, {SOCKETS: 8.0})  # the master
    worker(5, {READY: 1.0, SOCKETS: 9.0}, mode="livemax")
    assert sorted(worker_gauges.of_ready_workers(measures.SOCKETS, tmp_path)) == [0.0, 5.0]


def test_the_file_of_a_worker_that_has_just_died_is_left_out(tmp_path):
    assert dict(worker_gauges._values(tmp_path / "gauge_livesum_1.db")) == {}
    assert worker_gauges.of_ready_workers(measures.SOCKETS, tmp_path) == []
