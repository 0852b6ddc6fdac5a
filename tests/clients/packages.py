"""The versions of the `ai` package, pinned in package.json and installed by npm."""

import json
from pathlib import Path
from typing import Any

from tests.npm import MODULES, TESTS

HERE = Path(__file__).parent
PINNED = json.loads((TESTS / "package.json").read_text())["dependencies"]
PACKAGES = {name: pin for name, pin in PINNED.items() if name.startswith("ai-")}
STRICT = "ai-5.0.200"  # its schema refuses unknown keys; ours is written after it


def manifest_of(package: str) -> dict[str, Any]:
    """The package.json of an installed package."""
    return json.loads((MODULES / package / "package.json").read_text())
