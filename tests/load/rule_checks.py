"""The rules, applied to the outcome of a load."""

from types import ModuleType

from tests.load.rules import (
    RULES,
    Outcome,
    Verdict,
    credits,
    following,
    records,
    service,
    turns,
)

# Importing a module registers its rules.
SOURCES = (turns, records, following, credits, service)


def check(
    outcome: Outcome, sources: tuple[ModuleType, ...] = SOURCES, is_at_rest: bool = True
) -> list[Verdict]:
    """Apply the rules of these modules; those that hold only at rest if everything has ended."""
    names = {source.__name__ for source in sources}
    return [
        rule.verdict(outcome)
        for rule in RULES.values()
        if rule.check.__module__ in names and (is_at_rest or not rule.at_rest)
    ]
