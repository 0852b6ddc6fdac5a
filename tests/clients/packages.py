"""The versions of the `ai` package, pinned in package.json and installed by npm."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MANIFEST = HERE / "package.json"
MODULES = HERE / "node_modules"

PINNED = json.loads(MANIFEST.read_text())["dependencies"]
PACKAGES = {name: pin for name, pin in PINNED.items() if name != "zod"}  # zod is what they need
STRICT = "ai-5.0.200"  # its schema refuses unknown keys; ours is written after it


def manifest_of(package: str) -> dict[str, Any]:
    """The package.json of an installed package."""
    return json.loads((MODULES / package / "package.json").read_text())
