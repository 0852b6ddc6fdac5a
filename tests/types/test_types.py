"""The browser's modules under the TypeScript compiler, and what it tells the author of a widget."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from config import ROOT
from service.records.typings import declarations
from service.sandbox.collections import COLLECTIONS
from tests.npm import install

HERE = Path(__file__).parent
GUIDE = (ROOT / "docs/widgets.md").read_text()
TYPES = GUIDE.split("\nTypes: ")[1]
OPTIONS = (
    "--ignoreConfig", "--noEmit", "--allowJs", "--checkJs", "--strict",
    "--allowImportingTsExtensions",
    "--target", "esnext", "--module", "esnext", "--moduleResolution", "bundler",
    "--lib", "esnext,dom,dom.iterable", "--types", "", "--pretty", "false",
)  # fmt: skip
FAULT = re.compile(r"^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$", re.M)


@pytest.fixture(scope="module")
def check():
    """Checks files; returns the faults as (file, line, text)."""
    install(HERE)
    node = shutil.which("node")

    def checking(*paths: Path) -> list[tuple[str, int, str]]:
        command = [node, HERE / "node_modules/typescript/bin/tsc", *OPTIONS, *paths]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
        faults = [
            (Path(name).name, int(line), text) for name, line, _, text in FAULT.findall(done.stdout)
        ]
        assert bool(faults) == bool(done.returncode), done.stdout + done.stderr
        return faults

    return checking


def test_the_modules_of_the_browser_have_no_fault(check):
    paths = [*(ROOT / "service").rglob("*.js"), *(ROOT / "service").rglob("*.d.ts")]
    assert len(paths) > 60
    assert check(*paths) == []


def test_a_widget_without_a_fault_passes(check):
    assert check(HERE / "right.js") == []


def test_a_wrong_call_is_refused_in_its_line(check):
    path = HERE / "wrong.js"
    lines = path.read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "// wrong" in line}
    faults = check(path)
    assert {name for name, _, _ in faults} == {"wrong.js"}
    assert {line for _, line, _ in faults} == wrong


RECORDS = """
import type { Collections, RecordOf } from './records.d.ts';

const due: Collections['tasks']['create'] = { title: 'Write', due: '2026-12-01T09:00:00Z' };
const none: Collections['tasks']['update'] = { due: null };
const wrong: Collections['tasks']['create'] = { due: null };
const titled: Collections['tasks']['update'] = { titel: 'Read' };
export const read = (task: RecordOf<'tasks'>) => [task.recordId, task.data.title.length, due, none];
export const absent = (task: RecordOf<'tasks'>) => [task.data.due.length, wrong, titled];
export type Unknown = RecordOf<'task'>;
"""


def test_the_types_of_records_fit_what_is_stored(check, tmp_path):
    (tmp_path / "records.d.ts").write_text("".join(declarations(COLLECTIONS)))
    (tmp_path / "use.ts").write_text(RECORDS)
    faults = check(tmp_path / "use.ts")
    assert [line for _, line, _ in faults] == [6, 7, 9, 10], faults


FOLLOWING = """
import { follow } from './follow';

const token = async () => 'token';
const fail = ({ message }: { message: string }) => alert(message);
const show = (titles: string[]) => alert(titles.join());
follow('tasks', { token, fail, show: (tasks) => show(tasks.map(({ data }) => data.title)) })();
follow('tasks', { token, fail, show: (tasks) => show(tasks.map(({ data }) => data.titel)) });
follow('task', { token, fail, show: () => {} });
"""


def test_the_documented_client_of_the_socket_knows_the_columns(check, tmp_path):
    page = (ROOT / "docs/api.md").read_text().split("## The socket:")[1]
    (tmp_path / "records.d.ts").write_text("".join(declarations(COLLECTIONS)))
    (tmp_path / "follow.d.ts").write_text(re.search(r"```ts\n(.*?)```", page, re.S)[1])
    (tmp_path / "use.ts").write_text(FOLLOWING)
    assert [line for _, line, _ in check(tmp_path / "use.ts")] == [8, 9]


@pytest.fixture
def templates(tmp_path):
    """A folder of templates with the types and the configuration of docs/widgets.md."""
    app = tmp_path / "opt/app"
    (app / "word-count").mkdir(parents=True)
    (app / "tsconfig.json").write_text(re.search(r"```json\n(.*?)```", TYPES, re.S)[1])
    (app / "yard.py").write_text(
        "".join(re.findall(r"```python\n(.*?)```", (ROOT / "docs/vendors.md").read_text(), re.S))
    )
    script = re.search(r"```sh\n(.*?)```", TYPES, re.S)[1].replace("/srv/app", str(app))
    found = {**os.environ, "PYTHONPATH": str(app), "EXTENSIONS": "yard"}
    subprocess.run(["bash", "-euc", script], cwd=ROOT, env=found, check=True, timeout=60)
    return app


def test_widgets_outside_of_the_tree_are_checked_with_the_endpoints_of_their_app(templates):
    install(HERE)
    first = GUIDE.split("## Ten lines")[1]
    widget = re.search(r"```js\n(.*?)```", first, re.S)[1]
    calls = (
        "client.post('yard-order', { anvil: 'a-1' }).then(({ total }) => total.toFixed());\n"
        "client.post('yard-order', { anvl: 'a-1' });\n"
        "client.get('yard-order');\n"
    )
    (templates / "word-count/widget.js").write_text(widget + calls)
    command = [shutil.which("node"), HERE / "node_modules/typescript/bin/tsc", "--pretty", "false"]
    done = subprocess.run(command, cwd=templates, capture_output=True, text=True, timeout=120)
    last = len((widget + calls).splitlines())
    lines = [(Path(name).name, int(line)) for name, line, _, _ in FAULT.findall(done.stdout)]
    assert lines == [("widget.js", last - 1), ("widget.js", last)], done.stdout


SUBSCRIPTION = """
client.records.subscribe('notes', {
  onRecords: (records) => panel.say(`${records.length} notes`),
  onError: (error) => panel.say(error.message),
});
"""


def test_the_documented_widgets_pass_with_the_documented_configuration(templates):
    install(HERE)
    scripts = re.findall(r"```js\n(import \{ create(?:SearchLine|Widget),.*?)```", GUIDE, re.S)
    for name, script in zip(("word-count", "ask-a-model"), scripts, strict=True):
        (templates / name).mkdir(exist_ok=True)
        (templates / name / "widget.js").write_text(script + SUBSCRIPTION)
    command = [shutil.which("node"), HERE / "node_modules/typescript/bin/tsc", "--pretty", "false"]
    done = subprocess.run(command, cwd=templates, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
