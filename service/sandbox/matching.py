"""Find the example of the catalog that answers a request to a vendor's stand-in.

An example is found by base URL, method, path, and a condition on query or body. The most specific
example answers: literal pieces of a path come before varying ones, and one piece before several.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any
from urllib.parse import unquote, urlsplit

from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Exchange
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import Template

_PIECE = re.compile(r"\{\w+(\+?)\}")


@dataclass(frozen=True)
class VendorRequest:
    """A request to a stand-in.

    `base` is the setting of the base URL that received it, and `path` the rest of the address, as
    in the request line. `query` and `form` have a list of texts for each name, and `json` is the
    body's value.
    """

    base: str
    method: str
    path: str
    query: Mapping[str, list[str]] = field(default_factory=dict)
    form: Mapping[str, list[str]] = field(default_factory=dict)
    json: Any = None

    def value(self, target: str) -> Any:
        """Return the value at a target such as `query.format`, or None."""
        place, _, name = target.partition(".")
        if place == "json":
            return find(self.json, name)
        texts = (self.query if place == "query" else self.form).get(name)
        return texts[0] if texts and len(texts) == 1 else texts


@dataclass(frozen=True)
class Rule:
    """One exchange of an example, and the requests that it answers."""

    endpoint: str
    base: str
    path: str
    exchange: Exchange

    @property
    def kinds(self) -> tuple[tuple[int, str], ...]:
        """The pieces of its path: 0 with the text if it is literal, 1 if it varies, 2 for many."""
        return tuple(_kind(piece) for piece in self.path.split("/"))

    @property
    def place(self) -> tuple[Any, ...]:
        """A key. Of two rules with different keys for one request, one is more specific."""
        return self.base, self.exchange.method, self.kinds, len(self.exchange.when)

    @property
    def order(self) -> tuple[list[int], int]:
        """The sort key, with which the most specific rule comes first."""
        return [kind for kind, _ in self.kinds], -len(self.exchange.when)

    def fits(self, request: VendorRequest) -> bool:
        same = (self.base, self.exchange.method) == (request.base, request.method)
        return same and fits(self.path, request.path) and self._meets(request)

    def _meets(self, request: VendorRequest) -> bool:
        return all(_equal(request.value(target), it) for target, it in self.exchange.when.items())

    def contests(self, other: "Rule") -> bool:
        """Return whether both rules fit some request equally well, and answer it differently."""
        ours, theirs = self.exchange, other.exchange
        shared = ours.when.keys() & theirs.when.keys()
        return (
            self.place == other.place
            and all(_equal(ours.when[target], theirs.when[target]) for target in shared)
            and _answer(ours) != _answer(theirs)
        )


class Rules:
    """The rules of a catalog."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        """Raise ValueError for two examples that would answer the same request differently."""
        rules = sorted((rule for one in endpoints for rule in _rules(one)), key=lambda r: r.order)
        _check(rules)
        self._rules = rules

    def find(self, request: VendorRequest) -> Exchange | None:
        return next((rule.exchange for rule in self._rules if rule.fits(request)), None)


def _check(rules: Iterable[Rule]) -> None:
    """Raise ValueError for the first two rules that contest a request."""
    places: dict[tuple[Any, ...], list[Rule]] = {}
    for rule in rules:
        places.setdefault(rule.place, []).append(rule)
    for group in places.values():
        for one, other in combinations(group, 2):
            if one.contests(other):
                raise ValueError(
                    f"examples of {one.endpoint} ({one.exchange.sends}) and {other.endpoint} "
                    f"({other.exchange.sends}) answer the same request: add `when` or `serves`"
                )


def fits(pattern: str, path: str) -> bool:
    """Return whether a path of a request line fits a pattern, as `/repos/{owner}/{rest+}`."""
    kinds = [_kind(piece) for piece in pattern.split("/")]
    pieces = [unquote(piece) for piece in path.split("/")]
    return _fits(kinds, pieces)


def _fits(kinds: list[tuple[int, str]], pieces: list[str]) -> bool:
    if not kinds or not pieces:
        return not kinds and not pieces
    (kind, text), *rest = kinds
    if kind == 2:
        return any(_fits(rest, pieces[count:]) for count in range(1, len(pieces) + 1))
    expression = "(.+)".join(map(re.escape, text.split("\0")))
    return re.fullmatch(expression, pieces[0], re.S) is not None and _fits(rest, pieces[1:])


def _kind(piece: str) -> tuple[int, str]:
    """Return the kind of a piece and its text, with `\\0` for varying parts, as in `{id}.json`."""
    names = _PIECE.findall(piece)
    return 2 if "+" in names else 1 if names else 0, _PIECE.sub("\0", unquote(piece))


def _equal(value: Any, expected: Any) -> bool:
    """Compare with a condition's value. In a query or form, numbers and booleans are texts."""
    if isinstance(value, str) and not isinstance(expected, str):
        return value == (str(expected).lower() if isinstance(expected, bool) else str(expected))
    return bool(value == expected) and isinstance(value, bool) == isinstance(expected, bool)


def _answer(exchange: Exchange) -> tuple[Any, ...]:
    return exchange.status, dict(exchange.headers), exchange.content


def _rules(endpoint: Endpoint) -> Iterator[Rule]:
    """Yield one rule for each kind of request. Of an example's equal polls, the last answers."""
    poll = (endpoint.job.poll,) if endpoint.job else ()
    templates = (*((endpoint.asks,) if endpoint.asks else ()), *poll)
    first = next((base.name for base in endpoint.vendor.bases), "")
    for example in endpoint.examples:
        rules: dict[Any, Rule] = {}
        for exchange in example.exchanges:
            base = exchange.base or first
            rule = Rule(endpoint.name, base, _pattern(exchange, templates, first), exchange)
            key = (base, exchange.method, rule.kinds, str(exchange.when))
            rules[key] = rule
        yield from rules.values()


def _pattern(exchange: Exchange, templates: tuple[Template, ...], first: str) -> str:
    """Return the path under which an exchange is served."""
    path = urlsplit(exchange.target).path
    for template in templates:
        bases = (template.base or first, exchange.base or first)
        same = template.method == exchange.method and bases[0] == bases[1]
        if not exchange.serves and same and fits(template.path, path):
            return template.path
    return exchange.serves or path
