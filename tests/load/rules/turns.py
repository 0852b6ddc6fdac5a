"""Rules of turns: docs/contract.md, sections 0.8 and 5."""

from collections.abc import Iterator
from typing import Any

from tests.load.observations import Attempt, Question
from tests.load.rules import Finding, Outcome, rule
from tests.load.user_requests import LEAKS


def attempts(outcome: Outcome) -> Iterator[tuple[Question, Attempt]]:
    for user in outcome.observations:
        for question in user.questions:
            for attempt in question.attempts:
                yield question, attempt


def with_ending(outcome: Outcome, *endings: str) -> Iterator[tuple[Question, Attempt]]:
    return ((q, a) for q, a in attempts(outcome) if a.ending in endings)


@rule("a stream has one ending")
def one_ending(outcome: Outcome) -> Iterator[Finding]:
    for question, attempt in with_ending(outcome, "finish", "abort", "error"):
        yield attempt.endings == 1, (question.id, attempt)


@rule("start, X-Asst-Id and the answer's row have one id")
def one_id(outcome: Outcome) -> Iterator[Finding]:
    for question, attempt in attempts(outcome):
        if attempt.started:
            yield attempt.started == attempt.assistant, (question.id, attempt)


@rule("an acknowledged finish has its turn, which says finished")
def finish_has_turn(outcome: Outcome) -> Iterator[Finding]:
    turns = outcome.stored.by("turns", "assistant_message_id")
    for question, attempt in with_ending(outcome, "finish"):
        rows = turns.get(attempt.assistant, [])
        found = [(row["status"], row["user_message_id"]) for row in rows]
        yield found == [("finished", question.id)], (question.id, attempt, found)


@rule("a stream that ended in error has no rows")
def error_has_no_rows(outcome: Outcome) -> Iterator[Finding]:
    turns = outcome.stored.by("turns", "assistant_message_id")
    messages = outcome.stored.by("messages", "record_id")
    for question, attempt in with_ending(outcome, "error"):
        left = attempt.assistant in turns or attempt.assistant in messages
        yield not left, (question.id, attempt)


@rule("an aborted stream has its turn, which says aborted, or nothing")
def aborted(outcome: Outcome) -> Iterator[Finding]:
    turns = outcome.stored.by("turns", "assistant_message_id")
    for question, attempt in with_ending(outcome, "abort"):
        states = [row["status"] for row in turns.get(attempt.assistant, [])]
        yield states in ([], ["aborted"]), (question.id, attempt, states)


@rule("a chat holds the messages of its turns, in order, and no others")
def chats_in_order(outcome: Outcome) -> Iterator[Finding]:
    questions: dict[str, list[Question]] = {}
    for user in outcome.observations:
        for question in user.questions:
            questions.setdefault(question.id, []).append(question)
    turns = outcome.stored.by("turns", "chat_id")
    messages = outcome.stored.by("messages", "chat_id")
    for chat in outcome.stored["chats"]:
        wanted: list[Pair] = []
        for row in turns.get(chat["record_id"], []):
            _replay(wanted, row, questions.get(row["user_message_id"], []))
        found = [row["record_id"] for row in messages.get(chat["record_id"], [])]
        yield fits(wanted, found), (chat["record_id"], wanted, found)


class Pair(list[Any]):
    """A user's message and its answer. `is_sure` is False if a replacement may have removed it."""

    is_sure = True


def _replay(wanted: list[Pair], turn: dict[str, Any], asked: list[Question]) -> None:
    """Add a turn's messages; remove what it replaces, and what came after that."""
    message = turn["user_message_id"]
    targets = {message, *(question.replaces for question in asked)}
    start = next((n for n, pair in enumerate(wanted) if pair[0] in targets), len(wanted))
    known = [question.known for question in asked if question.known]
    for pair in wanted[start:]:
        if pair[0] in targets or all(pair[0] in ids for ids in known):
            wanted.remove(pair)
        else:
            pair.is_sure = False  # stored while the replacement ran, perhaps before it began
    wanted.append(Pair([message, turn["assistant_message_id"]]))


def fits(wanted: list[Pair], found: list[str]) -> bool:
    """Whether these are the messages, without any of those that are not sure."""
    place = 0
    for pair in wanted:
        if found[place : place + 2] == pair:
            place += 2
        elif pair.is_sure:
            return False
    return place == len(found)


@rule("a message has one turn, unless it was asked anew")
def one_turn(outcome: Outcome) -> Iterator[Finding]:
    anew = {q.id for user in outcome.observations for q in user.questions if q.again}
    for message, rows in outcome.stored.by("turns", "user_message_id").items():
        yield len(rows) == 1 or message in anew, (message, rows)


@rule("no message id is there twice")
def no_id_twice(outcome: Outcome) -> Iterator[Finding]:
    for owner, rows in outcome.stored.by("messages", "user_id").items():
        ids = [row["record_id"] for row in rows]
        yield len(ids) == len(set(ids)), owner
    answers = [row["assistant_message_id"] for row in outcome.stored["turns"]]
    yield len(answers) == len(set(answers)), "two turns have one answer"


@rule("createdAt grows strictly within a chat")
def times_grow(outcome: Outcome) -> Iterator[Finding]:
    for chat, rows in outcome.stored.by("messages", "chat_id").items():
        times = [row["created_at"] for row in rows]
        yield all(a < b for a, b in zip(times, times[1:], strict=False)), (chat, times)


@rule("an answer is stored as it was streamed")
def stored_as_streamed(outcome: Outcome) -> Iterator[Finding]:
    messages = outcome.stored.by("messages", "record_id")
    for question, attempt in with_ending(outcome, "finish"):
        for row in messages.get(attempt.assistant, []):
            yield row["content"] == attempt.text, (question.id, attempt.text, row["content"])


@rule("a message that is sent again gets the answer that it got before")
def replays(outcome: Outcome) -> Iterator[Finding]:
    for user in outcome.observations:
        for question in user.questions:
            answers = {attempt.assistant for attempt in question.finished}
            if len(question.finished) > 1:
                yield len(answers) == 1, (question.id, question.attempts)


@rule("the model is not asked more often than a message was sent")
def model_is_asked_once(outcome: Outcome) -> Iterator[Finding]:
    sent: dict[str, int] = {}
    for question, attempt in attempts(outcome):
        if attempt.status in (0, 200) or attempt.status >= 500:
            sent[question.content] = sent.get(question.content, 0) + 1
    for content, count in sent.items():
        # A message of a chat whose older turns are gone may be a prompt's last text again.
        yield outcome.asked.get(content, 0) <= count, (content, outcome.asked.get(content), count)


@rule("no claim and no published chunk is left", at_rest=True)
def nothing_left(outcome: Outcome) -> Iterator[Finding]:
    for table in ("claims", "published_chunks"):
        yield outcome.stored[table] == [], (table, outcome.stored[table])


@rule("an error of a stream tells nothing of the inside")
def errors_are_for_people(outcome: Outcome) -> Iterator[Finding]:
    for question, attempt in with_ending(outcome, "error"):
        yield not any(leak in attempt.error for leak in LEAKS), (question.id, attempt.error)
