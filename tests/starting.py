"""The source tree as an operator first has it: what is tracked, and an environment of one's own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from config import ROOT


class FreshCopy:
    """What is tracked, in `place`, with this one's virtual environment: a test may not install."""

    def __init__(self, place: Path) -> None:
        self.place = place
        for name in tracked():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
        (place / ".venv").symlink_to(Path(sys.prefix))

    def flask(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess:
        return self.run(".venv/bin/flask", "--app", "wsgi", *arguments, **settings)

    def gunicorn(self, **settings: str) -> subprocess.CompletedProcess:
        return self.run(".venv/bin/gunicorn", "-c", "gunicorn.conf.py", "wsgi:app", **settings)

    def run(self, *command: str, **settings: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            command,
            cwd=self.place,
            env=bare(**settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )


def bare(**settings: str) -> dict[str, str]:
    """An environment without a setting but these."""
    return {"PATH": os.environ["PATH"], **settings}


def tracked() -> list[str]:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]
