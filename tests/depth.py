"""How many examples property tests and fault tests try: by TEST_DEPTH, which is 1 by default.

`make test` runs at depth 1. At depth N a test tries N times as many examples or rounds; a property
test then draws new ones each time, where at depth 1 it has the same in every run.
"""

import os

from hypothesis import settings

DEPTH = int(os.environ.get("TEST_DEPTH", "1"))


def depth(count: int) -> int:
    """Return `count` examples, rounds or writes, multiplied by the depth."""
    return count * DEPTH


def use_profile() -> None:
    """Make these the settings of every property test that doesn't give others.

    Nothing is kept in a database of examples, and no example has a time limit: the machine may be
    busy.
    """
    settings.register_profile(
        "suite", max_examples=depth(100), derandomize=DEPTH == 1, database=None, deadline=None
    )
    settings.load_profile("suite")
