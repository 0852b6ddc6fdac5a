"""The rules that a load is checked by. Each yields, for every thing that it concerns, whether it
held and what to tell if it did not."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.load.sight import Sight
from tests.load.stored import Stored

Finding = tuple[bool, Any]
SHOWN = 5  # violations of one rule


@dataclass
class Outcome:
    """All that is known after a load. `credits` are what each user was told at the end."""

    sights: list[Sight]
    stored: Stored
    counts: dict[str, int]  # the vendor's requests by query
    asked: dict[str, int]  # the model's requests by text
    followers: list[Any]
    credits: dict[str, dict[str, Any]]
    disasters: Any
    log: str
    workers: int
    expected: dict[str, int] = field(default_factory=dict)  # disasters at least


@dataclass
class Verdict:
    name: str
    count: int
    violations: list[str]

    def __str__(self) -> str:
        told = f"{self.name:<78}{self.count:>8}{len(self.violations):>12}"
        return "\n".join([told, *(f"    {one}" for one in self.violations[:SHOWN])])


Rule = Callable[[Outcome], Iterable[Finding]]
RULES: dict[str, Rule] = {}


def rule(name: str) -> Callable[[Rule], Rule]:
    """Register a rule; `name` is a sentence that holds."""

    def register(check: Rule) -> Rule:
        assert name not in RULES
        RULES[name] = check
        return check

    return register


def verdicts(outcome: Outcome) -> Iterator[Verdict]:
    for name, check in RULES.items():
        findings = list(check(outcome))
        yield Verdict(name, len(findings), [str(told) for held, told in findings if not held])


def table(checked: list[Verdict]) -> str:
    head = f"{'rule':<78}{'checked':>8}{'violations':>12}"
    return "\n".join([head, *map(str, checked)])
