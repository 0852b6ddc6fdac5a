"""Examples of calls: parameters, the requests that they become, and the vendor's answers.

The sandbox serves the answers, and the tests compare the requests.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.integrations.declare.forms import check_forms


@dataclass(frozen=True)
class File:
    """A long answer of an example, in a file beside the vendors' modules."""

    path: str

    def content(self) -> bytes:
        return (Path(__file__).parents[1] / "vendors" / self.path).read_bytes()


@dataclass(frozen=True)
class Exchange:
    """One request to the vendor, and its answer.

    `sends` is `GET /path?query`, and `body` the JSON value or form that is sent with it.
    `sends_headers` are its headers beside those of every request to the vendor. `base` is the
    setting of the base URL, if not the vendor's first. `answers` is a JSON value, bytes, or a
    `File`. The sandbox gives the answer to every request that fits `serves`, a path such as
    `/repos/{owner}/{rest+}`, and `when`: values by target, such as `query.format`. Without
    `serves`, the path of the endpoint's template counts, or the path in `sends`.
    """

    sends: str
    answers: Any
    body: Any = None
    sends_headers: Mapping[str, str] = field(default_factory=dict)
    base: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    serves: str = ""
    when: Mapping[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        return self.sends.partition(" ")[0]

    @property
    def target(self) -> str:
        """Path and query."""
        return self.sends.partition(" ")[2]

    @property
    def content(self) -> tuple[bytes, str]:
        """The bytes of the answer, and their media type."""
        raw = self.answers.content() if isinstance(self.answers, File) else self.answers
        if isinstance(raw, bytes):
            is_json = isinstance(self.answers, File) and self.answers.path.endswith(".json")
            return raw, "application/json" if is_json else "application/octet-stream"
        return json.dumps(raw).encode(), "application/json"


@dataclass(frozen=True)
class Example:
    """A call with the parameters `asks`, and the requests that it makes, in their order."""

    asks: Mapping[str, Any]
    exchanges: tuple[Exchange, ...]

    def __post_init__(self) -> None:
        """Raise ValueError for a field of another type."""
        check_forms(self)


def example(
    asks: Mapping[str, Any], sends: str, answers: Any, *, body: Any = None, base: str = ""
) -> Example:
    """Return an example of a call that makes one request."""
    return Example(asks, (Exchange(sends, answers, body=body, base=base),))
