"""A turn's conversation with the model: the chat's history, made to fit, and this turn's steps."""

from dataclasses import replace
from typing import Any

from flask import Flask

from config import Settings
from service.chat import recall
from service.chat.compaction import Stage, compacted, cut_old_results, history_of
from service.chat.history import messages_of_parts
from service.chat.instructions import SYSTEM
from service.chat.limits import Limits
from service.chat.running import Run
from service.chat.shortening import shortened
from service.chat.summary import Summarizer
from service.chat.tally import size
from service.observe import COMPACTIONS
from service.providers.prompt import Message, Prompt


class Conversation:
    """`facts` is what `messageMetadata` and the metadata row say of the compaction."""

    def __init__(self, app: Flask, run: Run) -> None:
        settings: Settings = app.config["SETTINGS"]
        with app.app_context():
            recalled = recall.load(run.question, settings.summary_model)
        self._limits = limits_of(settings, run.question.model.provider.kind, app)
        self._summarize = Summarizer(app, run, recalled)
        self._since: tuple[Message, ...] = ()
        self._counted: set[Stage] = set()
        asked = run.question.content
        self._history = history_of(recalled.rows, recalled.summary, asked, run.earlier.note)
        self._is_cut = self._shortened = False

    def messages(self) -> tuple[Message, ...]:
        """The messages of the next step. The history is shortened before this turn's own steps; of
        all results only the newest few stay whole. May ask a model for a summary."""
        since = cut_old_results(self._since, self._limits)
        self._is_cut |= since != self._since
        left = self._limits.beside(since)
        self._history = compacted(self._history, left, self._summarize)
        whole = (*self._history.messages, *since)
        fitting = shortened(whole, self._limits)
        self._shortened |= fitting != whole
        self._count()
        return fitting

    def add(self, parts: list[dict[str, Any]]) -> None:
        """Add a finished step to the conversation.

        Its messages are the same bytes as in every later turn, because a provider's cache serves
        only a prompt that begins with the same bytes.
        """
        self._since += tuple(messages_of_parts(parts))

    def tighten(self) -> None:
        """The provider says that it is too long: half of it, then."""
        self._limits = self._limits.halved((*self._history.messages, *self._since))

    @property
    def facts(self) -> dict[str, Any]:
        """Empty while nothing had to be compacted."""
        stages = self._stages
        return {"stages": stages, "dropped": self._history.dropped} if stages else {}

    @property
    def _stages(self) -> list[Stage]:
        cut: tuple[Stage, ...] = ("results",) if self._is_cut else ()
        done = list(dict.fromkeys((*cut, *self._history.stages)))
        return [*done, "shortened"] if self._shortened else done

    def _count(self) -> None:
        for stage in set(self._stages) - self._counted:
            COMPACTIONS.labels(stage).inc()
            self._counted.add(stage)


def limits_of(settings: Settings, kind: str, app: Flask) -> Limits:
    """A provider's limits; system text and schemas count against its ceiling."""
    bare = Prompt(SYSTEM, (), app.extensions["tools"].specs)
    limits = Limits(settings.context_budget, settings.token_ceilings[kind], size(bare))
    return replace(
        limits,
        result_cap=settings.tool_result_cap,
        recent_results=settings.keep_recent_tool_results,
        least_kept=settings.min_kept,
    )
