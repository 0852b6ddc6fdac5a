"""The spans that wait for the collector, and those that find no room."""

import gevent
import pytest

from service.observing.measures import SPANS_DROPPED
from service.outbound.upstream import Upstream
from service.tracing import exporter as exporting
from service.tracing.exporter import WAITING_BYTES, Exporter
from tests.services import wait_for
from tests.upstream import Answer, ScriptedUpstream

QUARTER = b"x" * (WAITING_BYTES // 4)


@pytest.fixture
def collector():
    collector = ScriptedUpstream()
    collector.answers = [Answer("{}")]
    yield collector
    collector.stop()


@pytest.fixture
def exporter(collector):
    upstream = Upstream()
    yield Exporter(upstream, f"{collector.url}/v1/traces", {}, b"".join)
    upstream.close()


def dropped() -> float:
    return SPANS_DROPPED._value.get()


def test_spans_that_find_no_room_are_dropped_and_counted(exporter, collector):
    before = dropped()
    for _ in range(6):
        exporter.add(QUARTER)
    assert dropped() == before + 2
    exporter.end()
    wait_for(lambda: exporter.is_empty)
    assert [len(seen.body) for seen in collector.seen] == [WAITING_BYTES]
    exporter.add(QUARTER)
    wait_for(lambda: len(collector.seen) == 2)
    assert dropped() == before + 2, "there is room again"


def test_a_worker_that_ends_does_not_wait_for_each_batch_of_a_collector_that_fails(
    exporter, collector, monkeypatch
):
    monkeypatch.setattr(exporting, "BATCH", 2)
    collector.answers = [Answer("no", "503 Busy")]
    before = dropped()
    for _ in range(7):
        exporter.add(b"{}")
    exporter.end()
    wait_for(lambda: exporter.is_empty)
    gevent.sleep(0.05)
    assert len(collector.seen) == 1
    assert dropped() == before + 7
