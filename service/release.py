"""The version of this release, as setup.cfg declares it, and how its requests name it."""

import configparser

from config import ROOT


def _declared() -> tuple[str, str]:
    package = configparser.ConfigParser()
    package.read(ROOT / "setup.cfg", encoding="utf-8")
    return package["metadata"]["name"], package["metadata"]["version"]


NAME, VERSION = _declared()  # read once: a later release may replace the file
USER_AGENT = f"{NAME}/{VERSION}"  # of our requests to upstreams
