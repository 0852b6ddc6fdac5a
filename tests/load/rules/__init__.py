"""The rules that a load is checked by. Each yields, for every thing that it concerns, whether it
held and what to tell if it did not."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.load.database_rows import Stored
from tests.load.observations import Observations

Finding = tuple[bool, Any]
SHOWN = 5  # violations of one rule


@dataclass
class Outcome:
    """All that is known after a load. `credits` are what each user was told at the end."""

    observations: list[Observations]
    stored: Stored
    counts: dict[str, int]  # the vendor's requests by query
    asked: dict[str, int]  # the model's requests by text
    followers: list[Any] = field(default_factory=list)
    credits: dict[str, dict[str, Any]] = field(default_factory=dict)
    disasters: Any = None
    log: str = ""
    workers: int = 0
    expected: dict[str, int] = field(default_factory=dict)  # disasters at least


@dataclass
class Verdict:
    name: str
    count: int
    violations: list[str]

    def __str__(self) -> str:
        told = f"{self.name:<78}{self.count:>8}{len(self.violations):>12}"
        return "\n".join([told, *(f"    {one}" for one in self.violations[:SHOWN])])


Check = Callable[[Outcome], Iterable[Finding]]


@dataclass(frozen=True)
class Rule:
    """`name` is a sentence that holds; at rest only, or after each step too."""

    name: str
    check: Check
    at_rest: bool

    def verdict(self, outcome: Outcome) -> Verdict:
        findings = list(self.check(outcome))
        return Verdict(self.name, len(findings), [str(told) for held, told in findings if not held])


RULES: dict[str, Rule] = {}


def rule(name: str, at_rest: bool = False) -> Callable[[Check], Check]:
    """Register a rule."""

    def register(check: Check) -> Check:
        assert name not in RULES
        RULES[name] = Rule(name, check, at_rest)
        return check

    return register


def table(checked: list[Verdict]) -> str:
    head = f"{'rule':<78}{'checked':>8}{'violations':>12}"
    return "\n".join([head, *map(str, checked)])
