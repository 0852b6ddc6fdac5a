"""A test that hangs fails by itself and is named; those after it are run."""

import re
import subprocess
import sys

from config import ROOT
from tests.depth import depth

HANGING = """
import gevent, pytest

@pytest.fixture
def taken_down():
    yield
    print("taken down")

def test_that_waits(taken_down):
    gevent.sleep(600)

def test_that_works(taken_down):
    while True:
        pass

def test_that_does_not():
    pass
"""


def test_a_test_that_hangs_fails_and_is_named(tmp_path):
    (tmp_path / "test_hanging.py").write_text(HANGING)
    command = [sys.executable, "-m", "pytest", "-c", "setup.cfg", "--timeout=1",
               "-p", "no:cacheprovider", "-p", "no:tests.file_order_plugin",
               "--numprocesses=1", str(tmp_path)]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    failed = re.findall(r"^FAILED \S*::(\w+) - (.*)", done.stdout, re.MULTILINE)
    said = f"Failed: hangs: not done after {depth(1)} s"
    assert failed == [("test_that_waits", said), ("test_that_works", said)], done.stdout
    assert "gevent.sleep(600)" in done.stdout  # where it waited
    assert done.stdout.count("taken down\n") == 2
    assert "2 failed, 1 passed" in done.stdout.splitlines()[-1]
