"""Rules of records, their feed and the journal: docs/contract.md, section 7."""

from collections.abc import Iterator

from tests.load.observations import Note
from tests.load.rules import Finding, Outcome, rule


def notes(outcome: Outcome) -> Iterator[Note]:
    return (note for user in outcome.observations for note in user.notes)


@rule("an acknowledged note exists exactly once, as it was acknowledged last")
def notes_exist(outcome: Outcome) -> Iterator[Finding]:
    for note in notes(outcome):
        if note.record and note.is_certain and not note.is_deleted:
            found = [(row["record_id"], row["data"]) for row in outcome.stored.titles[note.title]]
            wanted = {**note.record["data"]}
            same = [
                (id, {**data, "userId": wanted["userId"]}) == (note.record["recordId"], wanted)
                for id, data in found
            ]
            yield same == [True], (note, found)


@rule("a note whose creation was not acknowledged exists at most once")
def unsure_notes(outcome: Outcome) -> Iterator[Finding]:
    for note in notes(outcome):
        if not note.record or not note.is_certain:
            yield len(outcome.stored.titles[note.title]) <= 1, note


@rule("a deleted note is gone")
def deleted_notes(outcome: Outcome) -> Iterator[Finding]:
    for note in notes(outcome):
        if note.is_deleted:
            yield outcome.stored.titles[note.title] == [], note


@rule("a note is added once in the feed")
def added_once(outcome: Outcome) -> Iterator[Finding]:
    for owner, changes in outcome.stored.changes.items():
        added = [row["record_id"] for row in changes if row["action"] == "added"]
        yield len(added) == len(set(added)), owner


@rule("the changes of the feed add up to the stored notes")
def feed_adds_up(outcome: Outcome) -> Iterator[Finding]:
    records = outcome.stored.by("records", "owner")
    for owner, changes in outcome.stored.changes.items():
        state: dict[str, dict] = {}
        for row in changes:
            state.pop(row["record_id"], None)
            if row["action"] != "removed":
                state[row["record_id"]] = row["after"]["data"]
        stored = {row["record_id"]: {**row["data"], "userId": owner} for row in records[owner]}
        state = {id: {**data, "userId": owner} for id, data in state.items()}
        yield state == stored, (owner, state.keys() ^ stored.keys())


@rule("a tool has written a turn's note exactly once, if the turn was answered without its error")
def tools_write_once(outcome: Outcome) -> Iterator[Finding]:
    """A database that is lost at the write lets the call fail. The user and the model are told."""
    for user in outcome.observations:
        for question in user.questions:
            if question.note:
                count = len(outcome.stored.titles[question.note])
                least = 1 if any(not one.tool_error for one in question.finished) else 0
                yield least <= count <= 1, (question.id, count, question.attempts)


@rule("the journal has each note that a tool has written, and nothing else")
def journal_matches(outcome: Outcome) -> Iterator[Finding]:
    entries = outcome.stored.by("journal", "record_id")
    written = {r["record_id"] for r in outcome.stored["records"] if "-tool-" in r["data"]["title"]}
    for id in written | entries.keys():
        outcomes = [row["outcome"] for row in entries.get(id, [])]
        yield id in written and outcomes == ["added"], (id, outcomes)


@rule("a write and its journal's row are of one transaction's change")
def journal_has_changes(outcome: Outcome) -> Iterator[Finding]:
    added = {r["record_id"]: r for r in outcome.stored["outbox"] if r["action"] == "added"}
    for row in outcome.stored["journal"]:
        change = added.get(row["record_id"])
        yield change is not None and change["owner"] == row["user_id"], row["record_id"]
