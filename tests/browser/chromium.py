"""Chromium without a window, for the tests, the screenshots and the benchmark."""

import os
import shutil

from playwright.sync_api import Browser, Playwright

# The shell has no user interface and starts nothing but pages, so that a page costs a fifth less.
PROGRAMS = ("chromium-headless-shell", "chromium")
# The shell, left to itself, runs a widget's frame in the process of its page.
ISOLATED = "--site-per-process"


def find() -> str | None:
    """The path of the program, or of the one that the environment's `CHROMIUM` names."""
    named = os.environ.get("CHROMIUM")
    return next(filter(None, map(shutil.which, [named] if named else PROGRAMS)), None)


def arguments() -> list[str]:
    return [ISOLATED, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=find(), args=arguments())
