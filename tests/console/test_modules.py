"""The pure modules of the console, of widgets and of their templates, tested by `node:test`."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from config import ROOT
from tests.services import require

MODULES = ("service/browser", "service/widgets/templates")
FOLDERS = ("tests/console", "tests/widgets")
TESTS = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.test.mjs"))]
SHARED = re.compile(r"globalThis|mock\.|document\b|plain-dom|localStorage")


def groups() -> list[list[Path]]:
    """The files that run in one process.

    A file that replaces what its process shares, such as the clock or the page, has its own one. A
    process takes as long to start as most files take to run.
    """
    alone = [path for path in TESTS if SHARED.search(path.read_text())]
    return [*([path] for path in alone), [path for path in TESTS if path not in alone]]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The modules and their tests in a package that says what they are: without that, Node
    before 20.19 takes a `.js` file for CommonJS."""
    root = tmp_path_factory.mktemp("modules")
    (root / "package.json").write_text('{"type": "module"}')
    for folder in (*MODULES, *FOLDERS):
        ignored = shutil.ignore_patterns("*.py", "__pycache__", "node_modules")
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
    return root


@pytest.mark.parametrize(
    "paths", groups(), ids=lambda paths: paths[0].name if len(paths) == 1 else "others"
)
def test_modules(paths: list[Path], tree):
    """`node --test` would start a second process. What fails is told with its file and line."""
    node = shutil.which("node")
    require(node, "Node.js (nodejs)")
    imports = [f"import './{path.relative_to(ROOT)}';" for path in paths]
    command = [node, "--input-type=module", "--eval", "\n".join(imports)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
