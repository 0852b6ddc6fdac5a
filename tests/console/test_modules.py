"""The pure modules of the console, of widgets and of their templates, tested by `node:test`."""

import shutil
import subprocess
from pathlib import Path

import pytest

from config import ROOT
from tests.services import require

MODULES = ("service/browser", "service/widgets/templates")
FOLDERS = ("tests/console", "tests/widgets")
TESTS = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.test.mjs"))]


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


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_modules(path: Path, tree):
    node = shutil.which("node")
    require(node, "Node.js (nodejs)")
    # Run as a program, a file of tests needs one process; `node --test` would start a second one.
    command = [node, str(path.relative_to(ROOT))]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
