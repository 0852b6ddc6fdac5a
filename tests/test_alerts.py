"""The alert rules and the dashboard speak of metrics and labels that exist, and rules alert."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from config import ROOT
from tests.documented_metrics import ROW
from tests.services import require

RULES = ROOT / "deploy/alerts.yaml"
SAMPLES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
WORDS = {"and", "or", "by", "sum", "max", "min", "unless", "offset"}
OF_PROMETHEUS = {"up", "instance", "job", "le"}


def rules() -> list[dict]:
    return [
        rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
    ]


def panels() -> list[dict]:
    return json.loads((ROOT / "deploy/dashboard.json").read_text())["panels"]


def drawn() -> list[str]:
    """The expressions of the dashboard's panels, as Grafana would send them."""
    targets = [target for panel in panels() for target in panel.get("targets", [])]
    return [target["expr"].replace("$__rate_interval", "5m") for target in targets]


def known() -> set[str]:
    """Names of samples and of labels; another test compares the page with the code."""
    names = set(OF_PROMETHEUS)
    for row in ROW.finditer((ROOT / "docs/operations.md").read_text()):
        names |= {row[1] + suffix for suffix in SAMPLES[row[2]]}
        names |= set(re.findall(r"\w+", row[3]))
    return names


def names_in(expression: str) -> set[str]:
    """The metrics and labels of an expression: every word that is no function, text or duration."""
    bare = re.sub(r'"[^"]*"|\[\w+\]', "", expression)
    return set(re.findall(r"\b[a-z_]+\b(?!\()", bare)) - WORDS


def test_alerts_and_panels_name_metrics_that_exist():
    expressions = [*(rule["expr"] for rule in rules()), *drawn()]
    assert set().union(*map(names_in, expressions)) - known() == set()
    assert len(drawn()) > 30


def test_every_alert_says_how_urgent_it_is_and_what_is_wrong():
    assert {rule["labels"]["severity"] for rule in rules()} == {"page", "ticket"}
    assert all(rule["annotations"]["summary"].endswith(".") for rule in rules())
    names = [rule["alert"] for rule in rules()]
    assert len(set(names)) == len(names)


def test_the_page_says_of_every_alert_what_to_do():
    """In the row of a metric that it looks at, so that whoever is woken finds it by its name."""
    page = (ROOT / "docs/operations.md").read_text()
    beside = {
        (name, row[1])
        for row in ROW.finditer(page)
        for name in re.findall(r"\*\*(\w+)\*\*[^|]*\w", row[5])
    }
    for rule in rules():
        metrics = {name for alert, name in beside if alert == rule["alert"]}
        is_foreign = rule["expr"].startswith("up{") and f"**{rule['alert']}**" in page
        assert is_foreign or any(name in rule["expr"] for name in metrics), rule["alert"]
    assert {alert for alert, _ in beside} <= {rule["alert"] for rule in rules()}


def test_prometheus_takes_the_printed_configuration(promtool, tmp_path):
    page = (ROOT / "docs/operations.md").read_text()
    [printed] = re.findall(r"```yaml\n(.*?)```", page, re.S)
    file = tmp_path / "prometheus.yml"
    file.write_text(printed.replace("/etc/prometheus/service-alerts.yaml", str(RULES)))
    assert f"{len(rules())} rules found" in promtool("check", "config", file)
    assert "job_name: service\n" in printed


def test_no_two_panels_lie_on_each_other():
    places = [panel["gridPos"] for panel in panels()]
    cells = [(x, y) for p in places for x in range(p["x"], p["x"] + p["w"])
             for y in range(p["y"], p["y"] + p["h"])]  # fmt: skip
    assert len(cells) == len(set(cells))
    assert len({panel["id"] for panel in panels()}) == len(panels())


@pytest.fixture
def promtool(tmp_path):
    require(shutil.which("promtool"), "promtool (prometheus)")

    def run(*arguments: object, where: Path = tmp_path) -> str:
        command = ["promtool", *map(str, arguments)]
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_prometheus_takes_every_rule_and_every_panel(promtool, tmp_path):
    assert f"{len(rules())} rules found" in promtool("check", "rules", RULES)
    recorded = [{"record": f"panel:{n}", "expr": expr} for n, expr in enumerate(drawn())]
    page = tmp_path / "panels.yaml"
    page.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": recorded}]}))
    promtool("check", "rules", page)


def test_alerts_are_raised_when_they_must(promtool):
    promtool("test", "rules", "alerts_test.yaml", where=ROOT / "deploy")
