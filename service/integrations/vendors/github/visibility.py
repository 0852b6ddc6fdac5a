"""Only public repositories are shown: the operator's token, used for all users, may open others.

Whether a repository is public is asked of GitHub before anything that is in it, and remembered for
a minute in each worker: one more request of the 5 000 an hour, for each repository and minute.
Without a token GitHub itself shows nothing else, and nothing is asked.
"""

import time
from collections import OrderedDict
from typing import Any

from service.integrations.call import Call, path_of
from service.integrations.faults import absent
from service.integrations.shape import at, need
from service.integrations.vendors.github.vendor import token

REMEMBERED = 60.0  # seconds
MOST = 1000  # repositories


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


def is_public(repository: Any) -> bool:
    """Whether GitHub's description says that a repository is public."""
    need(repository, "full_name")
    visibility = at(repository, "visibility")
    if at(repository, "private") is False and visibility in (None, "public"):
        return True
    token.warn("a repository that is not public")
    return False


def public(call: Call, owner: str, repo: str) -> Any:
    """A public repository, as GitHub describes it.

    Raises `NotFound` for any other repository, as for one that does not exist.
    """
    found = call.get(path_of("/repos/{owner}/{repo}", owner=owner, repo=repo))
    if not is_public(found):
        raise absent()
    return found


def path_in(call: Call, owner: str, repo: str, path: str) -> str:
    """The path of something in a public repository. Raises `NotFound` where it is not public."""
    name = f"{owner}/{repo}".lower()
    if call.has_key and not seen.has(name):
        public(call, owner, repo)
        seen.add(name)
    return path_of("/repos/{owner}/{repo}/", owner=owner, repo=repo) + path
