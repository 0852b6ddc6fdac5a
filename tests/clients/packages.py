"""The versions of the `ai` package, pinned in package.json and installed by npm."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.services import require

HERE = Path(__file__).parent
MANIFEST = HERE / "package.json"
MODULES = HERE / "node_modules"
STAMP = MODULES / ".installed"

PINNED = json.loads(MANIFEST.read_text())["dependencies"]
PACKAGES = {name: pin for name, pin in PINNED.items() if name != "zod"}  # zod is what they need
STRICT = "ai-5.0.200"  # its schema refuses unknown keys; ours is written after it

# A lock file would name the host it was made from.
OPTIONS = ("--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")


def install() -> None:
    """Install what package.json pins; nothing to do while it has not changed."""
    npm = shutil.which("node") and shutil.which("npm")
    require(npm, "Node.js with npm (nodejs, npm)")
    if STAMP.exists() and STAMP.stat().st_mtime >= MANIFEST.stat().st_mtime:
        return
    done = subprocess.run([npm, "install", *OPTIONS], cwd=HERE, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
    require(done.returncode == 0, f"the packages of tests/clients/package.json ({said[:2]})")
    STAMP.touch()


def manifest_of(package: str) -> dict[str, Any]:
    """The package.json of an installed package."""
    return json.loads((MODULES / package / "package.json").read_text())
