"""Rules of what users were sent and have read: docs/contract.md, sections 7 and 8."""

from collections.abc import Iterator

from tests.load.rules import Finding, Outcome, rule


@rule("a follower saw each change exactly once and in order")
def followers_saw_all(outcome: Outcome) -> Iterator[Finding]:
    for user, follower in zip(outcome.observations, outcome.followers, strict=True):
        changes = outcome.stored.changes[user.subject]
        wanted = [(r["action"], r["after"] or {"recordId": r["record_id"]}) for r in changes]
        seen = follower.replay.changes
        first = next((n for n, (a, b) in enumerate(zip(wanted, seen, strict=False)) if a != b), -1)
        told = (user.subject, len(wanted), len(seen), first)
        yield seen == wanted[len(wanted) - len(seen) :] and _complete(follower, wanted), told


def _complete(follower, wanted) -> bool:
    """What came before the snapshot is not in the changes."""
    before = len(wanted) - len(follower.replay.changes)
    state: dict[str, dict] = {}
    for action, record in wanted[:before]:
        state.pop(record["recordId"], None)
        if action != "removed":
            state[record["recordId"]] = record
    return state == follower.replay.first


@rule("a follower saw nothing that must not come")
def followers_saw_nothing_wrong(outcome: Outcome) -> Iterator[Finding]:
    for user, follower in zip(outcome.observations, outcome.followers, strict=True):
        yield not follower.wrong, (user.subject, follower.wrong)


@rule("no cursor came twice")
def cursors_differ(outcome: Outcome) -> Iterator[Finding]:
    for user, follower in zip(outcome.observations, outcome.followers, strict=True):
        cursors = follower.replay.cursors
        yield len(cursors) == len(set(cursors)), user.subject


@rule("a follower ends with the stored notes")
def followers_end_equal(outcome: Outcome) -> Iterator[Finding]:
    records = outcome.stored.by("records", "owner")
    for user, follower in zip(outcome.observations, outcome.followers, strict=True):
        stored = {row["record_id"] for row in records[user.subject]}
        yield follower.replay.records.keys() == stored, user.subject


@rule("a user reads only what is theirs")
def nothing_foreign(outcome: Outcome) -> Iterator[Finding]:
    for user, follower in zip(outcome.observations, outcome.followers, strict=True):
        owners = {r["data"]["userId"] for _, r in follower.replay.changes if "data" in r}
        yield not user.foreign and owners <= {user.subject}, (user.foreign[:3], owners)


@rule("another user's note is not found")
def probes_fail(outcome: Outcome) -> Iterator[Finding]:
    for user in outcome.observations:
        for status in user.probes:
            yield status == 404, (user.subject, status)
