"""Counting by shorter ways than the library's gives the library's figures."""

import prometheus_client
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from service.observing import measures, processes

BOUNDS = (0.1, 0.25, 1)
AMOUNTS = (0.0, 0.05, 0.1, 0.100001, 0.25, 0.9, 1, 1.5, 300)


def samples(metric) -> dict:
    [family] = metric.collect()
    told = [one for one in family.samples if not one.name.endswith("_created")]
    return {(one.name, *sorted(one.labels.items())): one.value for one in told}


def test_amounts_are_counted_where_the_library_counts_them():
    made = {}
    for kind in (processes, prometheus_client):
        histogram = kind.Histogram("h", "Any.", ["a"], buckets=BOUNDS, registry=None)
        counter = kind.Counter("c", "Any.", registry=None)
        for amount in AMOUNTS:
            histogram.labels("x").observe(amount)
            counter.inc(amount)
        counter.inc()
        made[kind] = samples(histogram) | samples(counter)
    ours, theirs = made.values()
    assert ours == theirs
    assert ours["h_count", ("a", "x")] == len(AMOUNTS)


@pytest.fixture
def in_files(tmp_path, monkeypatch):
    """Metrics that are kept in files, as in a worker. Returns a scrape of them."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr(processes, "_pid", 1001)
    monkeypatch.setattr(processes, "_counting", 0)
    kept = processes._value_class()
    monkeypatch.setattr("prometheus_client.metrics.values.ValueClass", kept)

    def scrape() -> dict:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        families = list(registry.collect())
        return {
            (one.name, *one.labels.values()): one.value for some in families for one in some.samples
        }

    return scrape


def test_processes_count_into_files_of_their_own_which_are_added_up(
    in_files, tmp_path, monkeypatch
):
    counter = processes.Counter("c", "Any.", registry=None)
    histogram = processes.Histogram("h", "Any.", buckets=BOUNDS, registry=None)
    counter.inc(1)
    histogram.observe(0.2)
    for process in (1002, 1003):  # forked: what was counted before is not theirs
        monkeypatch.setattr(processes, "_pid", process)
        counter.inc(10)
        counter.inc(10)
        histogram.observe(5)
    told = in_files()
    assert told["c_total",] == 41
    assert (told["h_sum",], told["h_count",]) == (pytest.approx(10.2), 3)
    assert (told["h_bucket", "0.25"], told["h_bucket", "+Inf"]) == (1, 3)
    assert {file.name for file in tmp_path.glob("counter_*")} == {
        f"counter_{process}.db" for process in (1001, 1002, 1003)
    }


def test_tokens_are_counted_by_their_kind():
    def counted(kind):
        return measures.TOKENS.labels("observed", kind)._value.get()

    measures.count_tokens("observed", input=5, cache_write=2, output=0)
    measures.count_tokens("observed", input=1)
    assert (counted("input"), counted("cache-write"), counted("output")) == (6, 2, 0)
