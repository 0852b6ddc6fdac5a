"""A turn's conversation with the model: the chat's history, shortened to fit, and its own steps."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from flask import Flask

from config import Settings
from service.app_keys import APP_SETTINGS
from service.auth.pseudonym import pseudonym
from service.chat import earlier_writes
from service.chat.history import recall
from service.chat.history.compaction import (
    STAGES,
    Stage,
    compact_history,
    cut_old_results,
    history_of,
)
from service.chat.history.limits import Limits
from service.chat.history.messages import StoredMessage, messages_of_parts
from service.chat.history.recall import Recalled
from service.chat.history.shortening import shorten_messages
from service.chat.tools.tool import APP_TOOLS
from service.chat.turn.running import Run
from service.chat.turn.summary import Summarizer
from service.database.prepared import reading
from service.fairness import WorkBudget
from service.observing.measures import COMPACTIONS
from service.providers.prompt import Message, Prompt, UserMessage
from service.providers.provider import Kind

ROW_SECONDS = 0.0002  # for which a row of the history counts once
_making = WorkBudget(50)  # rows: they take 1 or 2 ms; a row with large results counts several times


class Conversation:
    """Makes the prompt of each step, and records in the run's tally how it was compacted."""

    def __init__(self, app: Flask, run: Run) -> None:
        settings = APP_SETTINGS.of(app)
        question, tools = run.question, APP_TOOLS.of(app).specs
        recalled = _recall(app, run)
        kind = question.model.provider.kind
        user = pseudonym(settings, question.caller.subject, kind)
        output = settings.max_output_tokens
        self._bare = Prompt(question.system, (), tools, max_output_tokens=output, user=user)
        self._limits = limits_of(settings, kind, self._bare)
        self._summarize = Summarizer(app, run, recalled)
        self._steps: tuple[Message, ...] = ()  # of this turn
        self._sent: tuple[Message, ...] = ()  # in the last prompt
        self._counted: frozenset[Stage] = frozenset()
        user_message = UserMessage(question.content, question.aside)
        self._history = history_of(
            _with_pauses(recalled.rows), recalled.summary, user_message, run.earlier.note
        )
        self._has_cut_results = self._has_shortened = False
        self._tally = run.tally

    def prompt(self, muted: bool) -> Prompt:
        """Return the prompt of the next step. In a muted step the model may call no tools.

        Only the newest few results stay whole, and the history is shortened before this turn's own
        steps. This may ask a model for a summary.
        """
        steps = cut_old_results(self._steps, self._limits)
        self._has_cut_results |= steps != self._steps
        self._history = compact_history(self._history, self._limits.minus(steps), self._summarize)
        messages = (*self._history.messages, *steps)
        fitting = shorten_messages(messages, self._limits)
        self._has_shortened |= fitting != messages
        self._sent = fitting
        self._record()
        return replace(self._bare, messages=fitting, calls_allowed=not muted)

    def shorter_prompt(self, muted: bool) -> Prompt:
        """Return a prompt of half the length, after a provider found the last one too long."""
        self._limits = self._limits.halve(self._sent)
        return self.prompt(muted)

    def add(self, parts: list[dict[str, Any]]) -> None:
        """Add a finished step to the conversation.

        Its messages have the same bytes as in every later turn, because a provider's cache only
        serves a prompt that begins with the same bytes.
        """
        messages = tuple(messages_of_parts(parts))
        self._steps += messages
        self._tally.history_tokens = Prompt("", (*self._sent, *messages)).tokens

    @property
    def _stages(self) -> list[Stage]:
        """The stages that have changed anything, in the order in which they apply."""
        applied = set(self._history.stages)
        applied |= {"results"} if self._has_cut_results else set()
        applied |= {"shortened"} if self._has_shortened else set()
        return [stage for stage in STAGES if stage in applied]

    def _record(self) -> None:
        """Record the stages for `messageMetadata` and the metadata row; count each stage once."""
        stages = self._stages
        if stages:
            self._tally.compaction = {"stages": stages, "dropped": self._history.dropped}
        new = frozenset(stages) - self._counted
        for stage in new:
            COMPACTIONS.labels(stage).inc()
        self._counted |= new


def _with_pauses(rows: Iterable[StoredMessage]) -> Iterator[StoredMessage]:
    """Yield the rows, and let other greenlets run after each 50 of them, or at large rows."""
    for row in rows:
        began = time.monotonic()
        yield row
        _making.spend(1 + int((time.monotonic() - began) / ROW_SECONDS))


def _recall(app: Flask, run: Run) -> Recalled:
    """Load the chat's history, and the writes of earlier tries of the message into the run."""
    question = run.question
    if not (question.has_history or question.has_earlier):
        return Recalled(())
    with reading(app) as connection:
        if question.has_earlier:
            run.earlier = earlier_writes.load(connection, question)
        return recall.load(connection, question, APP_SETTINGS.of(app).summary_model)


def limits_of(settings: Settings, kind: Kind, bare: Prompt) -> Limits:
    """Return a provider's limits.

    The bare prompt's system text and schemas count against its ceiling.
    """
    limits = Limits(settings.context_budget, settings.token_ceilings[kind], bare.tokens)
    return replace(
        limits,
        result_cap=settings.tool_result_cap,
        recent_results=settings.keep_recent_tool_results,
        least_kept=settings.min_kept,
    )
