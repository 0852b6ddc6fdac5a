"""What a process has loaded when it begins to serve."""

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from config import ROOT
from service.app import Service
from service.app_keys import AppKey
from service.database import revisions
from service.lazy import DeferredModule, Extensions
from tests.services import environment

MASTER = "import runpy, sys; runpy.run_path('gunicorn.conf.py')"
WORKER = f"{MASTER}; import wsgi; wsgi.app.extensions.complete()"
TELL = "print(*sys.modules)"
# Only `flask db` migrates, only PostgreSQL has a driver of its own, only one endpoint reads GTFS,
# only a sandbox has stand-ins,
# and only OTEL_EXPORTER_OTLP_ENDPOINT wants traces.
HEAVY = {
    "alembic", "mako", "flask_migrate", "psycopg", "psycopg_binary", "google.protobuf.message",
    "google.transit.gtfs_realtime_pb2", "sqlalchemy.dialects.postgresql",
    "service.sandbox.stand_ins", "service.sandbox.listener", "service.sandbox.suite",
    "service.tracing.setup", "service.tracing.tracer", "service.tracing.exporter",
}  # fmt: skip


def run(steps: str, database_url: str, **more: object) -> subprocess.CompletedProcess[str]:
    """A new process that takes these steps."""
    return subprocess.run(
        [sys.executable, "-c", steps],
        cwd=ROOT,
        env=environment(database_url, **{"SANDBOX": 0, **more}),
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.fixture(scope="module")
def worker(tmp_path_factory) -> subprocess.CompletedProcess[str]:
    """The modules of a worker on SQLite, and on the standard error the files that it opened."""
    note = "lambda event, given: event == 'open' and print(given[0], file=sys.stderr)"
    steps = WORKER.replace("; import wsgi", f"; sys.addaudithook({note}); import wsgi", 1)
    return run(f"{steps}; {TELL}", f"sqlite:///{tmp_path_factory.mktemp('worker')}/app.db")


def test_a_worker_on_sqlite_loads_nothing_that_only_others_use(worker):
    modules = set(worker.stdout.split())
    assert {"service", "wsgi"} <= modules
    assert modules & HEAVY == set()


def test_the_master_loads_the_driver_of_postgresql():
    """Otherwise a worker would load it, maybe from the files of the next release."""
    told = run(f"{MASTER}; {TELL}", "postgresql+psycopg://app@127.0.0.1:1/app").stdout
    modules = set(told.split())
    assert {"psycopg", "sqlalchemy.dialects.postgresql"} <= modules


@pytest.mark.parametrize(
    ("setting", "value", "module"),
    [
        ("SANDBOX", "1", "service.sandbox.stand_ins"),
        ("RATE_LIMITS", "turns=30/minute", "service.limits.stores"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "service.tracing.setup"),
    ],
)
def test_a_worker_inherits_the_modules_that_a_setting_needs(tmp_path, setting, value, module):
    """The files may be those of the next release when the worker of a dead one is replaced."""
    url = f"sqlite:///{tmp_path}/app.db"
    parts = [run(f"{steps}; {TELL}", url, **{setting: value}) for steps in (MASTER, WORKER)]
    master, worker = (set(part.stdout.split()) for part in parts)
    assert module in worker
    assert {one for one in worker - master if one.startswith("service.")} == set()


def test_a_worker_reads_none_of_our_own_templates_again(worker):
    """It inherits what the master has read, as it inherits the modules."""
    assert "service/widgets/templates" not in worker.stderr
    assert "wsgi" in worker.stderr


def test_a_deferred_module_that_is_missing_is_refused_at_once():
    with pytest.raises(ModuleNotFoundError, match="service.missing"):
        DeferredModule("service.missing")


def test_only_what_serving_needs_is_made_when_it_begins():
    extensions = Extensions()
    extensions.defer(("verifier",), lambda: extensions.update(verifier=1))
    extensions.defer(("migrate",), lambda: extensions.update(migrate=2), serving=False)
    extensions.complete()
    assert extensions == {"verifier": 1}
    assert extensions["migrate"] == 2


def test_a_key_makes_what_is_deferred_only_when_it_is_asked_for_it():
    app, key = Service("test"), AppKey[int]("deferred")
    app.extensions.defer((key.name,), lambda: key.set(app, 1))
    assert key.get(app) is None
    assert (key.of(app), key.get(app)) == (1, 1)


def test_the_revisions_are_those_of_alembic():
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    script = ScriptDirectory.from_config(config)
    every = frozenset(one.revision for one in script.walk_revisions())
    assert revisions.revisions() == (script.get_current_head(), every)


@pytest.mark.parametrize(("second", "third"), [("1", "1"), ("1", "9")])
def test_migrations_that_are_no_chain_are_refused(monkeypatch, tmp_path, second, third):
    write_chain(tmp_path, {"1": None, "2": second, "3": third})
    monkeypatch.setattr(revisions, "ROOT", tmp_path)
    with pytest.raises(ValueError, match="not one chain"):
        revisions.revisions.__wrapped__()


def write_chain(root: Path, before: dict[str, str | None]) -> None:
    directory = root / "migrations" / "versions"
    directory.mkdir(parents=True)
    for name, earlier in before.items():
        named = f"revision = {name!r}\ndown_revision = {earlier!r}\n"
        (directory / f"{name}.py").write_text(named)
