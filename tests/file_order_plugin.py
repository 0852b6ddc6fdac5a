"""The order of the test files in a parallel run.

Some files mostly wait, for leases and time limits to end, and others mostly compute. Each of the
workers takes the next file, so the waiting ones are spread among the others: while one worker
waits, the others have the processors.

A browser computes as much as several workers. The files that need one are divided into a few groups
that each go to one worker, so that no more browsers run at the same time, and few are started.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import bytecode, forking
from tests.memory_directories import make_own_directory
from tests.npm import begin
from tests.services import Databases

TESTS = Path(__file__).parent
BROWSER_FOLDERS = ("browser", "widgets/frames")
BROWSERS = 2  # at the same time
WAITING = ("faults", "serving", "journeys", "test_stall.py", "test_stderr_lines.py")
# Their files share a running service or a browser, so they stay together.
TOGETHER = (*BROWSER_FOLDERS, "permissions", "integrations/bench", "integrations/third_party")
NPM = (TESTS, TESTS / "app")


def pytest_sessionstart(session: pytest.Session) -> None:
    if session.config.getoption("numprocesses", None):  # not in a worker
        for folder in NPM:
            begin(folder)
        bytecode.write(session.config)
        forking.share()
        share_databases(session.config)


def share_databases(config: pytest.Config) -> None:
    """Migrate the databases once: each worker would need a second of a processor for it."""
    directory = make_own_directory("service-sqlite-")
    config.add_cleanup(lambda: shutil.rmtree(directory, ignore_errors=True))
    Databases(directory).share()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    files = list(dict.fromkeys(item.path for item in items))
    ranks = {path: rank for rank, path in enumerate(spread(files))}
    items.sort(key=lambda item: ranks[item.path])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadFileScheduling  # it is not installed where only the service is

    class Grouped(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid.split("::", 1)[0])

    return Grouped(config, log) if config.getvalue("dist") == "loadfile" else None


def group_of(file: str) -> str:
    """What goes to one worker: the file, or a group of files that need a browser."""
    path = TESTS.parent / file
    if not _is_in(path, BROWSER_FOLDERS):
        return file
    return f"browser {sorted(path.parent.glob('test_*.py')).index(path) % BROWSERS}"


def spread(files: list[Path]) -> list[Path]:
    """The files with those that wait at even distances, beginning with one of them."""
    waiting: list[Path] = []
    blocks: dict[Path, list[Path]] = {}
    for path in files:
        of_kind = waiting if _is_in(path, WAITING) else blocks.setdefault(_block(path), [])
        of_kind.append(path)
    ordered: list[Path] = []
    placed, done, others = 0, 0, len(files) - len(waiting)
    for block in blocks.values():
        due = len(waiting) * (done + 1) // others + 1
        ordered += waiting[placed:due] + block
        placed, done = due, done + len(block)
    return ordered + waiting[placed:]


def _block(path: Path) -> Path:
    return next((TESTS / name for name in TOGETHER if _is_in(path, (name,))), path)


def _is_in(path: Path, names: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(TESTS / name) for name in names)
