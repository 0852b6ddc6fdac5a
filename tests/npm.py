"""npm packages that tests need, pinned in a folder's package.json.

One folder has those of all tests but one: each installation takes half a second of a processor,
besides its packages. `tests/app` is an app of its own, whose bundle must have one version of each.
"""

import fcntl
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.services import require

# A lock file would name the host it was made from. A package that does not come is asked for again
# after 20 s, not after npm's 5 minutes, in which the test that waits would have failed.
OPTIONS = (
    "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts",
    "--fetch-timeout=20000", "--fetch-retries=4", "--fetch-retry-mintimeout=1000",
)  # fmt: skip

TESTS = Path(__file__).parent
MODULES = TESTS / "node_modules"

_begun: list[subprocess.Popen] = []


def begin(folder: Path) -> None:
    """Install in the background what `install` will wait for: it may take minutes."""
    npm = shutil.which("node") and shutil.which("npm")
    if not npm or is_installed(folder):
        return
    with (folder / "package.json").open() as locked, suppress(BlockingIOError):
        fcntl.flock(locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        script = ["sh", "-c", '"$@" && touch node_modules/.installed', "sh"]
        process = subprocess.Popen(  # it inherits the lock
            [*script, npm, "install", *OPTIONS], cwd=folder, pass_fds=[locked.fileno()],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _begun.append(process)


def is_installed(folder: Path) -> bool:
    manifest, stamp = folder / "package.json", folder / "node_modules/.installed"
    return stamp.exists() and stamp.stat().st_mtime >= manifest.stat().st_mtime


def install(folder: Path = TESTS) -> None:
    """Install what package.json pins; nothing to do while it has not changed."""
    missing = lack(folder)
    require(not missing, missing or "")


def lack(folder: Path) -> str | None:
    """Install what package.json pins; return what is missing for it.

    Another process of the same run that comes meanwhile waits.
    """
    npm = shutil.which("node") and shutil.which("npm")
    if not npm:
        return "Node.js with npm (nodejs, npm)"
    manifest, stamp = folder / "package.json", folder / "node_modules/.installed"
    with manifest.open() as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        if is_installed(folder):
            return None
        command = [npm, "install", *OPTIONS]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        said = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
        if done.returncode:
            return f"the packages of {manifest} ({said[:2]})"
        stamp.touch()
    return None
