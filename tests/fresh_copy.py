"""A copy of the tracked files, as an operator has them at first, with its own environment."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config import ROOT, load
from service.auth.tokens import issue
from tests.services import SECRET, wait_for

EXPIRED = issue(load({"AUTH_SECRET": SECRET}), "boss", "owner", -3600)  # an owner's token


class FreshCopy:
    """A copy of the tracked files in `place`, with the virtual environment of this tree.

    The compiled modules are copied as well, because compiling takes as long as a start.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        for name in tracked_files():
            _copy(ROOT / name, place / name)
            compiled = Path(importlib.util.cache_from_source(name))
            if name.endswith(".py") and (ROOT / compiled).exists():
                _copy(ROOT / compiled, place / compiled)
        (place / ".venv").symlink_to(Path(sys.prefix))

    def flask(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess:
        return self.run(".venv/bin/flask", "--app", "wsgi", *arguments, **settings)

    def gunicorn(self, **settings: str) -> subprocess.CompletedProcess:
        return self.run(".venv/bin/gunicorn", "-c", "gunicorn.conf.py", "wsgi:app", **settings)

    @contextmanager
    def serving(self, *command: str, until: bytes = b"Booting", **settings: str) -> Iterator[str]:
        """Run the command, and yield its output up to the moment in which `until` is in it.

        The default is what gunicorn prints when it boots a worker.
        """
        printed = self.place / "printed"
        with printed.open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=self.place,
                env=environment_of(**settings),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_for(lambda: process.poll() is not None or until in printed.read_bytes(), 60)
        assert process.poll() is None, printed.read_text()
        try:
            yield printed.read_text()
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=40)

    def run(self, *command: str, **settings: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            command,
            cwd=self.place,
            env=environment_of(**settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=180,
        )


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)  # with its time, by which Python knows what is compiled


def environment_of(**settings: str) -> dict[str, str]:
    """Return an environment that has no other settings than these."""
    return {"PATH": os.environ["PATH"], **settings}


def tracked_files() -> list[str]:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]
