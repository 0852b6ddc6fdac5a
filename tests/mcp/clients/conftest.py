"""The official clients, installed once, and the service as two workers."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from tests.npm import install
from tests.services import Service, require

HERE = Path(__file__).parent
# One folder for each version of Python, whose compiled modules no other version can import.
PYTHON_PACKAGES = HERE / ".python_packages" / str(sys.implementation.cache_tag)


@pytest.fixture(scope="session")
def npm_packages():
    install()


@pytest.fixture(scope="session")
def python_packages() -> Path:
    """The client of Python, beside the environment of the tests: it needs newer packages."""
    pinned, stamp = HERE / "requirements.txt", PYTHON_PACKAGES / ".installed"
    with pinned.open() as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.stat().st_mtime < pinned.stat().st_mtime:
            options = ["--quiet", "--disable-pip-version-check", "--upgrade", "--only-binary=:all:"]
            command = [sys.executable, "-m", "pip", "install", *options]
            arguments = ["--target", str(PYTHON_PACKAGES), "-r", str(pinned)]
            done = subprocess.run([*command, *arguments], capture_output=True, text=True)
            require(done.returncode == 0, f"the packages of {pinned} ({done.stderr[-300:]})")
            stamp.touch()
    return PYTHON_PACKAGES


@pytest.fixture(scope="module")
def running(databases):
    with Service(databases.make("postgresql"), WEB_CONCURRENCY=2) as service:
        yield service.start()
