"""Rules of the service as a whole: docs/contract.md, section 13."""

from collections.abc import Iterator

from tests.load.rules import Finding, Outcome, rule


@rule("no answer is odd: only 502, 503 and 504 while something is away")
def nothing_odd(outcome: Outcome) -> Iterator[Finding]:
    for user in outcome.observations:
        yield not user.odd, (user.subject, user.odd[:3])


@rule("nothing is stuck: everything is answered in two minutes")
def nothing_stuck(outcome: Outcome) -> Iterator[Finding]:
    for user in outcome.observations:
        yield not user.stuck, (user.subject, user.stuck[:3])


@rule("every worker runs at the end")
def workers_run(outcome: Outcome) -> Iterator[Finding]:
    yield outcome.workers == 2, outcome.workers


@rule("every reload brought a new service")
def reloads(outcome: Outcome) -> Iterator[Finding]:
    yield not outcome.disasters.failed, outcome.disasters.failed


@rule("the disasters have happened")
def disasters(outcome: Outcome) -> Iterator[Finding]:
    for name, least in outcome.expected.items():
        yield getattr(outcome.disasters, name) >= least, (name, getattr(outcome.disasters, name))


@rule("users have made turns, calls and notes")
def busy(outcome: Outcome) -> Iterator[Finding]:
    for name in ("questions", "calls", "notes"):
        yield sum(len(getattr(user, name)) for user in outcome.observations) > 0, name
