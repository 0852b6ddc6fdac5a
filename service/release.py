"""The version of this release, and how its requests name it."""

import configparser
from contextlib import suppress
from importlib import metadata

from config import ROOT

NAME = "chat-integration-service"  # as in setup.cfg


def _declared_version() -> str:
    """Return the version in setup.cfg, or that of the installed package, which has no such file."""
    package = configparser.ConfigParser()
    package.read(ROOT / "setup.cfg", encoding="utf-8")
    with suppress(metadata.PackageNotFoundError):
        return package.get("metadata", "version", fallback="") or metadata.version(NAME)
    return "unknown"


VERSION = _declared_version()  # read once: a later release may replace the file
USER_AGENT = f"{NAME}/{VERSION}"  # of our requests to upstreams
