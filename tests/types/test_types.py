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
from tests.npm import MODULES as INSTALLED
from tests.npm import install

HERE = Path(__file__).parent
GUIDE = (ROOT / "docs/widgets.md").read_text()
TYPES = GUIDE.split("\nTypes: ")[1]
OPTIONS = (
    "--ignoreConfig", "--noEmit", "--allowJs", "--checkJs", "--strict",
    "--allowImportingTsExtensions",
    "--target", "esnext", "--module", "esnext", "--moduleResolution", "bundler",
    "--lib", "esnext,dom,dom.iterable", "--types", "",
)  # fmt: skip
MODULES = [*(ROOT / "service").rglob("*.js"), *(ROOT / "service").rglob("*.d.ts")]
FAULT = re.compile(r"^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$", re.M)


def compile_with(*arguments: Path | str, cwd: Path) -> subprocess.CompletedProcess[str]:
    install()
    command = [shutil.which("node"), INSTALLED / "typescript/bin/tsc", "--pretty", "false"]
    return subprocess.run(
        [*command, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def faults(tmp_path_factory) -> dict[str, list[int]]:
    """The lines with a fault, of each file that has one.

    One program has all files: each takes the compiler nearly a second to read the browser's types.
    """
    place = tmp_path_factory.mktemp("types")
    page = (ROOT / "docs/api.md").read_text().split("## The socket:")[1]
    (place / "records.d.ts").write_text("".join(declarations(COLLECTIONS)))
    (place / "follow.d.ts").write_text(re.search(r"```ts\n(.*?)```", page, re.S)[1])
    (place / "use-records.ts").write_text(RECORDS)
    (place / "use-socket.ts").write_text(FOLLOWING)
    own = [HERE / "right.js", HERE / "wrong.js", place / "use-records.ts", place / "use-socket.ts"]
    done = compile_with(*OPTIONS, *MODULES, *own, cwd=ROOT)
    found: dict[str, list[int]] = {}
    for name, line, _, _ in FAULT.findall(done.stdout):
        lines = found.setdefault(Path(name).name, [])
        if int(line) not in lines:
            lines.append(int(line))
    assert bool(found) == bool(done.returncode), done.stdout + done.stderr
    return found


def test_the_modules_of_the_browser_have_no_fault(faults):
    assert len(MODULES) > 60
    assert set(faults) <= {"right.js", "wrong.js", "use-records.ts", "use-socket.ts"}


def test_a_widget_without_a_fault_passes(faults):
    assert "right.js" not in faults


def test_a_wrong_call_is_refused_in_its_line(faults):
    lines = (HERE / "wrong.js").read_text().splitlines()
    assert faults["wrong.js"] == [n for n, line in enumerate(lines, 1) if "// wrong" in line]


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


def test_the_types_of_records_fit_what_is_stored(faults):
    assert faults["use-records.ts"] == [6, 7, 9, 10]


FOLLOWING = """
import { follow } from './follow';

const token = async () => 'token';
const fail = ({ message }: { message: string }) => alert(message);
const show = (titles: string[]) => alert(titles.join());
follow('tasks', { token, fail, show: (tasks) => show(tasks.map(({ data }) => data.title)) })();
follow('tasks', { token, fail, show: (tasks) => show(tasks.map(({ data }) => data.titel)) });
follow('task', { token, fail, show: () => {} });
"""


def test_the_documented_client_of_the_socket_knows_the_columns(faults):
    assert faults["use-socket.ts"] == [8, 9]


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    """A folder of templates with the types and the configuration of docs/widgets.md."""
    app = tmp_path_factory.mktemp("templates") / "opt/app"
    (app / "word-count").mkdir(parents=True)
    (app / "tsconfig.json").write_text(re.search(r"```json\n(.*?)```", TYPES, re.S)[1])
    (app / "yard.py").write_text(
        "".join(re.findall(r"```python\n(.*?)```", (ROOT / "docs/vendors.md").read_text(), re.S))
    )
    script = re.search(r"```sh\n(.*?)```", TYPES, re.S)[1].replace("/srv/app", str(app))
    found = {**os.environ, "PYTHONPATH": str(app), "EXTENSIONS": "yard"}
    subprocess.run(["bash", "-euc", script], cwd=ROOT, env=found, check=True, timeout=60)
    return app


SUBSCRIPTION = """
client.records.subscribe('notes', {
  onRecords: (records) => panel.say(`${records.length} notes`),
  onError: (error) => panel.say(error.message),
});
"""
CALLS = """
client.post('yard-order', { anvil: 'a-1' }).then(({ total }) => total.toFixed());
client.post('yard-order', { anvl: 'a-1' });
client.get('yard-order');
"""


@pytest.fixture(scope="module")
def checked(templates) -> tuple[dict[str, str], list[tuple[str, int]]]:
    """The widgets of the page as the page has them checked: their texts, and folders and lines of
    faults. The first one calls endpoints of the app."""
    first = re.search(r"```js\n(.*?)```", GUIDE.split("## Ten lines")[1], re.S)[1]
    others = re.findall(r"```js\n(import \{ create(?:SearchLine|Widget),.*?)```", GUIDE, re.S)
    texts = {"ten-lines": first + CALLS}
    for name, script in zip(("word-count", "ask-a-model"), others, strict=True):
        texts[name] = script + SUBSCRIPTION
    for name, text in texts.items():
        (templates / name).mkdir(exist_ok=True)
        (templates / name / "widget.js").write_text(text)
    done = compile_with(cwd=templates)
    faults = [
        (Path(name).parent.name, int(line)) for name, line, _, _ in FAULT.findall(done.stdout)
    ]
    assert bool(faults) == bool(done.returncode), done.stdout + done.stderr
    return texts, faults


def test_widgets_outside_of_the_tree_are_checked_with_the_endpoints_of_their_app(checked):
    texts, faults = checked
    last = len(texts["ten-lines"].splitlines())
    wrong = [line for name, line in faults if name == "ten-lines"]
    assert wrong == [last - 1, last], faults


def test_the_documented_widgets_pass_with_the_documented_configuration(checked):
    _, faults = checked
    assert {name for name, _ in faults} <= {"ten-lines"}, faults
