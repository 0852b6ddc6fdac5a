"""The metrics that operators alarm on, in one process; `faults/test_scrape.py` has several."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product

import pytest
from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families

from config import ROOT
from service.app_keys import APP_SETTINGS
from service.observing import stall  # noqa: F401 - declares metrics
from service.observing.scrape import WorkerFacts
from service.providers.events import OPERATOR_FAULTS
from service.upkeep.database_facts import DatabaseFacts
from tests.documented_metrics import ROW
from tests.services import on_sqlite


def declared(app) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Name, type and labels of each metric of ours."""
    for collector in list(REGISTRY._collector_to_names):
        if isinstance(collector, MetricWrapperBase):
            [family] = collector.describe()
            suffix = "_total" if family.type == "counter" else ""
            yield family.name + suffix, family.type, tuple(collector._labelnames)
    for collector in (WorkerFacts(()), DatabaseFacts(app)):
        for family in collector.describe():
            yield family.name, family.type, tuple(family._labelnames)


@on_sqlite
def test_every_metric_is_documented(app):
    page = (ROOT / "docs/operations.md").read_text()
    rows = {(row[1], row[2], tuple(re.findall(r"\w+", row[3]))) for row in ROW.finditer(page)}
    assert rows == set(declared(app))
    assert len(rows) == len(ROW.findall(page)), "one is there twice"


class Figures:
    """The samples of `/metrics`; a missing one is 0. Counters go on from earlier tests."""

    def __init__(self, client) -> None:
        self._client = client
        self._before = self._read()

    def _read(self) -> dict:
        answer = self._client.get("/metrics")
        assert answer.status_code == 200
        families = text_string_to_metric_families(answer.get_data(as_text=True))
        return {
            (sample.name, *sorted(sample.labels.values())): sample.value
            for family in families
            for sample in family.samples
        }

    def value(self, name: str, *labels: str) -> float:
        return self._read().get((name, *sorted(labels)), 0)

    def gain(self, name: str, *labels: str) -> float:
        return self.value(name, *labels) - self._before.get((name, *sorted(labels)), 0)


@pytest.fixture
def figures(client) -> Figures:
    return Figures(client)


def test_a_turn_is_timed_counted_and_charged(alice, figures):
    model = "gen-5.4-nano"
    alice.turn(alice.new_chat(), "hello", modelId=model)
    assert figures.gain("turn_first_token_seconds_count", model) == 1
    assert figures.gain("model_first_token_seconds_count", model) == 1
    assert figures.gain("model_tokens_total", model, "input") > 0
    assert figures.gain("model_tokens_total", model, "output") > 0
    used = 1000 - alice.get("/api/credits").json["balance"]
    assert figures.gain("turn_credits_total", model) == pytest.approx(used)
    assert figures.gain("turns_uncharged_total") == 0
    assert figures.value("holds_open") == figures.value("turns_claimed") == 0


@on_sqlite
def test_methods_that_a_client_invents_make_no_series(client, figures):
    for method in ("BREW", "WHEN"):
        with client.open("/nowhere", method=method) as answer:
            assert answer.status_code == 404
    rows = client.get("/metrics").get_data(as_text=True)
    assert "BREW" not in rows
    assert "WHEN" not in rows
    assert figures.gain("http_requests_total", "_OTHER", "unmatched", "404") == 2


@on_sqlite
def test_the_end_of_the_owners_token_is_told(app, figures):
    """No worker starts after it."""
    ends = app.extensions["verifier"].verify(APP_SETTINGS.of(app).owner_token).expires
    assert figures.value("owner_token_end_time_seconds") == ends


@on_sqlite
def test_faults_that_only_an_operator_can_mend_count_from_0_on(app, client):
    """Prometheus sees no rise in a series that begins with the first failure."""
    rows = client.get("/metrics").get_data(as_text=True)
    row = r'^turn_failures_total{fault="([\w-]+)",model="([\w.-]+)"} '
    found = set(re.findall(row, rows, re.M))
    assert found >= set(product(OPERATOR_FAULTS, app.extensions["models"]))


@on_sqlite
def test_a_failed_turn_is_counted_with_its_fault(alice, figures):
    alice.turn(alice.new_chat(), "/fail wrong-key hello")
    assert figures.gain("turn_failures_total", "llm-sonnet-4-6", "refused-key") == 1
    assert figures.gain("turn_first_token_seconds_count", "llm-sonnet-4-6") == 0


@on_sqlite
def test_tool_calls_are_counted_by_their_outcome(alice, figures):
    chat = alice.new_chat()
    alice.turn(chat, "Which collections are there, and who am I?")
    alice.turn(chat, "use invalid input")
    alice.turn(chat, "describe nothing-here")
    assert figures.gain("tool_calls_total", "user.current", "done") == 1
    assert figures.gain("tool_calls_total", "schema.describe", "invalid") == 1
    assert figures.gain("tool_calls_total", "schema.describe", "failed") == 1


@on_sqlite
def test_a_call_is_counted_by_its_endpoint_and_outcome(alice, bob, figures):
    weather = "/api/integrations/current-weather"
    once = {"headers": {"Idempotency-Key": "k"}}
    for _ in range(2):
        assert alice.post(weather, {"city": "Berlin"}, **once).status_code == 200
    assert bob.post(weather, {}).status_code == 400
    outcomes = ("succeeded", "repeated", "refused")
    counted = [figures.gain("endpoint_calls_total", "current-weather", how) for how in outcomes]
    assert counted == [1, 1, 1]


FORKING = """
import os
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.multiprocess import MultiProcessCollector
import service.observing

counter = Counter("counted_total", "Increments.")
counter.inc()
if (child := os.fork()) == 0:
    counter.inc(10)
    os._exit(0)
os.waitpid(child, 0)
counter.inc(100)
registry = CollectorRegistry()
MultiProcessCollector(registry)
print(registry.get_sample_value("counted_total"))
"""


def test_a_forked_process_counts_for_itself(tmp_path):
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    command = [sys.executable, "-c", FORKING]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) == 111
    assert len(list(tmp_path.glob("counter_*.db"))) == 2
