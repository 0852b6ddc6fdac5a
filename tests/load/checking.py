"""All rules, applied to the outcome of a load."""

from tests.load.rules import Outcome, Verdict, credits, records, service, turns, verdicts

# Importing a module registers its rules.
SOURCES = (turns, records, credits, service)


def check(outcome: Outcome) -> list[Verdict]:
    return list(verdicts(outcome))
