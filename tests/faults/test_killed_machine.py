"""Random sequences of turns, calls and sweeps, whose processes are killed at any message to the
database. The rules of a load hold after each step, and again when everything was sent once more."""

import itertools
import json

import pytest
from hypothesis import settings as example_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.depth import depth
from tests.load.observations import Attempt, Call, Observations, Question
from tests.load.rule_checks import check
from tests.load.rules import Outcome, credits, records, table, turns
from tests.load.user_turns import take

RULES = (turns, records, credits)
# Messages to the database: before the first a process connects, and by the last its work is done.
FIRST, LAST = 20, 75
deaths = st.none() | st.tuples(st.integers(FIRST, LAST), st.booleans())
numbers = itertools.count()


class Mortals(RuleBasedStateMachine):
    """A user with one chat. What the user was told is compared with what is stored."""

    forks = None
    questions = Bundle("questions")
    calls = Bundle("calls")

    @initialize()
    def begin(self):
        self.forks.renew()
        self.observations = Observations(f"mortal-{next(numbers)}")
        [self.chat] = self.forks.run("prepare", [self.observations.subject])
        self.asked, self.rows = [], []  # ids of the stored messages: the user's, and all
        self.removed = set()  # of the user's: replaced, and not sent again
        self.may_be_claimed = False  # by a dead process

    @rule(target=questions, with_note=st.booleans(), death=deaths)
    def ask(self, with_note, death):
        return self._ask(self._question(with_note), death)

    @rule(question=questions, death=deaths)
    def send_again(self, question, death):
        self._ask(question, death)

    @precondition(lambda self: self.asked)
    @rule(target=questions, data=st.data(), with_note=st.booleans(), death=deaths)
    def replace(self, data, with_note, death):
        question = self._question(with_note)
        question.replaces = data.draw(st.sampled_from(self.asked))
        question.known = frozenset(self.rows)
        return self._ask(question, death)

    @rule(target=calls, death=deaths)
    def call(self, death):
        query = f"{self.observations.subject}-{next(numbers)}"
        self.observations.calls.append(Call(f"key-{query}", query))
        return self._call(self.observations.calls[-1], death)

    @rule(call=calls, death=deaths)
    def call_again(self, call, death):
        self._call(call, death)

    @rule(death=deaths)
    def sweep(self, death):
        number, after = death or (0, False)
        self.forks.run("sweep", self.forks.lapse(), number=number, after=after)
        self.may_be_claimed = False
        assert self._look() == self.asked
        self._check()

    def teardown(self):
        """Sweep, send everything once more, and sweep again."""
        self.sweep(None)
        for question in self.observations.questions:
            self._ask(question, None)
        for call in self.observations.calls:
            self._call(call, None)
            assert call.accepted or call.is_unknown
        self.sweep(None)
        self._check(is_at_rest=True)

    def _question(self, with_note):
        id = f"{self.observations.subject}-{next(numbers)}"
        note = f"{self.observations.subject}-tool-{id}" if with_note else ""
        question = Question(self.chat, id, f"{id} words=3 {note and f'note={note}'}", note)
        self.observations.questions.append(question)
        return question

    def _ask(self, question, death):
        if question.id in self.removed:
            return question
        number, after = death or (0, False)
        body = {"chatId": self.chat, "userMessageId": question.id, "content": question.content}
        if question.replaces:
            body["replaces"] = question.replaces
        answer = self.forks.run("turn", self.observations.subject, body, number=number, after=after)
        question.attempts.append(attempt_of(answer))
        self._compare(question, question.attempts[-1])
        return question

    def _compare(self, question, attempt):
        """The stored messages are those before the attempt, or those after it has succeeded."""
        before, wanted = self.asked, self._wanted(question)
        self.asked = self._look()
        assert self.asked in (before, wanted)
        self.removed.update(set(before) - set(self.asked))
        if attempt.ending == "cut":
            self.may_be_claimed = True
        elif attempt.ending == "finish":
            assert self.asked == wanted
        else:
            is_done = question.id in before or question.replaces not in ("", *before)
            assert attempt.status == (404 if attempt.status == 404 and is_done else 409)
            assert self.may_be_claimed or is_done
            assert self.asked == before
        self._check()

    def _wanted(self, question):
        if question.id in self.asked:
            return self.asked
        if not question.replaces:
            return [*self.asked, question.id]
        if question.replaces not in self.asked:
            return self.asked
        return [*self.asked[: self.asked.index(question.replaces)], question.id]

    def _call(self, call, death):
        number, after = death or (0, False)
        answer = self.forks.run(
            "call", self.observations.subject, call.query, number=number, after=after
        )
        call.answers.append(tuple(answer or (0, None)))
        assert call.answers[-1][0] in (0, 200, 409)
        self._check()
        return call

    def _look(self):
        """The ids of the user's stored messages."""
        rows = self.forks.stored()["messages"]
        self.rows = [row["record_id"] for row in rows]
        return [row["record_id"] for row in rows if row["role"] == "user"]

    def _check(self, is_at_rest=False):
        outcome = Outcome(
            observations=[self.observations],
            stored=self.forks.stored(),
            counts=self.forks.vendor.counts,
            asked=self.forks.model.calls,
        )
        violated = [one for one in check(outcome, RULES, is_at_rest) if one.violations]
        assert not violated, table(violated)


def attempt_of(answer):
    """What a client has seen of a turn, if its process lived until the end of the stream."""
    attempt = Attempt()
    if answer is None:
        return attempt
    attempt.status, attempt.assistant, stream = answer
    if attempt.status != 200:
        attempt.ending = "refused"
        return attempt
    *events, done = stream.strip().split("\n\n")
    assert done == "data: [DONE]"
    for event in events:
        if event.startswith("data: "):
            take(attempt, json.loads(event.removeprefix("data: ")))
    return attempt


@pytest.mark.timeout(900)
def test_the_rules_hold_wherever_processes_are_killed(forks):
    machine = type("Machine", (Mortals,), {"forks": forks})
    options = example_settings(max_examples=depth(4), stateful_step_count=10)
    run_state_machine_as_test(machine, settings=options)
