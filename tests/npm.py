"""npm packages that tests need, pinned in a folder's package.json."""

import shutil
import subprocess
from pathlib import Path

from tests.services import require

# A lock file would name the host it was made from.
OPTIONS = ("--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")


def install(folder: Path) -> None:
    """Install what package.json pins; nothing to do while it has not changed."""
    npm = shutil.which("node") and shutil.which("npm")
    require(npm, "Node.js with npm (nodejs, npm)")
    manifest, stamp = folder / "package.json", folder / "node_modules/.installed"
    if stamp.exists() and stamp.stat().st_mtime >= manifest.stat().st_mtime:
        return
    done = subprocess.run([npm, "install", *OPTIONS], cwd=folder, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
    require(done.returncode == 0, f"the packages of {manifest} ({said[:2]})")
    stamp.touch()
