"""Show only public repositories. The operator's token, used for all users, may open others.

Before a request for a part of a repository, GitHub is asked whether the repository is public. The
answer is kept for a minute in each worker, so this takes one of the 5 000 requests an hour for each
repository and minute. `vendor.py` refuses the description of any other repository. Without a token
GitHub shows only public repositories, and nothing is asked first.
"""

import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.reading import need
from service.integrations.declare.request import get

REMEMBERED = 60.0  # seconds
MOST = 1000  # repositories
ONE = get("/repos/{owner}/{repo}")


class Seen:
    """The repositories that were public a moment ago, the oldest first."""

    def __init__(self) -> None:
        self._until: OrderedDict[str, float] = OrderedDict()

    def has(self, name: str) -> bool:
        return self._until.get(name, 0.0) > time.monotonic()

    def add(self, name: str) -> None:
        self._until[name] = time.monotonic() + REMEMBERED
        self._until.move_to_end(name)
        while len(self._until) > MOST:
            self._until.popitem(last=False)

    def clear(self) -> None:
        self._until.clear()


seen = Seen()


def refuse_private(call: Call, values: Mapping[str, Any]) -> None:
    """Raise `NotFound` unless the repository is public, as for one that does not exist.

    Call it before a request for a part of a repository.
    """
    owner, repo = values["owner"], values["repo"]
    name = f"{owner}/{repo}".lower()
    if call.has_key and not seen.has(name):
        description = call.send(ONE.with_parts(path={"owner": owner, "repo": repo}))
        need(description, "full_name")
        seen.add(name)
