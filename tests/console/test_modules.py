"""The console's pure modules, under `node --test`."""

import shutil
import subprocess
from pathlib import Path

import pytest

from config import ROOT
from tests.services import require

STATIC = "service/console/static"
TESTS = sorted(Path(__file__).parent.glob("*.test.mjs"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The modules and their tests in a package that says what they are: without that, Node
    before 20.19 takes a `.js` file for CommonJS."""
    root = tmp_path_factory.mktemp("modules")
    (root / "package.json").write_text('{"type": "module"}')
    shutil.copytree(ROOT / STATIC, root / STATIC)
    for path in TESTS:
        (root / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path.relative_to(ROOT))
    return root


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_modules(path, tree):
    node = shutil.which("node")
    require(node, "Node.js (nodejs)")
    command = [node, "--test", str(path.relative_to(ROOT))]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
