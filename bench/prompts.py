"""`python -m bench.prompts`: what the tools in the prompt cost, in tokens and credits.

Turns run in this process, against a scripted provider that reports as usage what it would bill for
the bytes of each request. No network is involved.
"""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from statistics import mean
from typing import Any
from unittest import mock

from flask import Flask

import tests.gevent_plugin  # noqa: F401, I001 - patches the sockets before anything else is imported
from bench.prompt_caches import PromptCache
from service import create_app
from service.app_keys import APP_SETTINGS
from service.auth.users import rights_cache
from service.chat.turn import admission
from service.extensions import db
from service.integrations.everything import catalog
from service.providers import catalog as providers
from service.providers.events import Usage
from service.providers.tokens import likely
from tests.people import Person, person
from tests.services import Databases, settings_for
from tests.upstream import Answer, ScriptedUpstream, Seen

MODELS = ("llm-sonnet-4-6", "gen-5.4", "oss-120b")
RECORD_TOOLS = (
    "schema.list,schema.describe,user.current,"
    "records.query,records.get,records.create,records.update,records.delete"
)
BOTH = f"{RECORD_TOOLS},integrations.find,integrations.call"
OWN = 40
TURNS = 50
OUTPUT = 150  # tokens of each answer
QUESTION = "Which of these do I need for the trip, and what is missing? " * 3
SAID = "You have most of what you need, and two things are missing. " * 10
DESCRIBED = ("ai-chats", "ai-messages", "users", "canvases")


@dataclass
class ScriptedModel:
    """Makes `calls` calls of a tool, then says something."""

    cache: PromptCache = field(default_factory=PromptCache)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    billed: list[Usage] = field(default_factory=list)

    def __call__(self, seen: Seen) -> Answer:
        self.billed.append(self.cache.count(seen.json))
        call = self.calls.pop(0) if self.calls else None
        events = _messages if "messages" in seen.path else _chat
        return Answer("".join(f"data: {json.dumps(e)}\n\n" for e in events(call, self.billed[-1])))


def _messages(call: tuple[str, dict[str, Any]] | None, usage: Usage) -> Iterator[dict[str, Any]]:
    block = (
        {"type": "tool_use", "id": "c", "name": call[0], "input": call[1]}
        if call
        else {"type": "text", "text": SAID}
    )
    counts = {
        "input_tokens": usage.input - usage.cache_read - usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
        "output_tokens": OUTPUT,
    }
    reason = "tool_use" if call else "end_turn"
    message = {"content": [block], "usage": counts, "stop_reason": reason}
    yield {"type": "message_start", "message": message}
    yield {"type": "message_stop"}


def _chat(call: tuple[str, dict[str, Any]] | None, usage: Usage) -> Iterator[dict[str, Any]]:
    delta: dict[str, Any] = {"content": SAID}
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        delta = {"tool_calls": [{"index": 0, "id": "c", "function": function}]}
    yield {"choices": [{"delta": delta}]}
    yield {"choices": [{"delta": {}, "finish_reason": "tool_calls" if call else "stop"}]}
    details = {"cached_tokens": usage.cache_read}
    counts = {"prompt_tokens": usage.input, "completion_tokens": OUTPUT}
    yield {"choices": [], "usage": {**counts, "prompt_tokens_details": details}}


@contextmanager
def running(databases: Databases, upstream: ScriptedUpstream, **settings: str) -> Iterator[Flask]:
    """An app whose three providers are the scripted one."""
    given = settings_for(databases.make("sqlite"), sandbox=0, starting_credits=10**6, **settings)
    rights_cache.clear()  # it knows alice of another app's database
    app = create_app(given)
    urls = {f"provider_{kind}_base_url": upstream.url for kind in "abc"}
    keys = {f"provider_{kind}_api_key": "key" for kind in "abc"}
    app.extensions["models"] = providers.models(replace(given, **urls, **keys))
    yield app
    app.extensions["claim_watch"].stop()
    app.extensions["upstream"].close()
    with app.app_context():
        db.engine.dispose()


def five_steps(alice: Person, model: ScriptedModel, model_id: str) -> None:
    model.calls = [("schema__describe", {"collection": name}) for name in DESCRIBED]
    alice.turn(alice.new_chat(), QUESTION, modelId=model_id)


def fifty_turns(alice: Person, model: ScriptedModel, model_id: str) -> None:
    """Each turn reads the first two messages of the chat."""
    chat = alice.new_chat()
    for _ in range(TURNS):
        given = {"collection": "ai-messages", "where": {"chatId": chat}}
        model.calls = [("records__query", {**given, "limit": 2})]
        alice.turn(chat, QUESTION, modelId=model_id)


def row(alice: Person, upstream: ScriptedUpstream, model_id: str, name: str) -> tuple[str, ...]:
    """Input tokens and credits of a turn and of a chat, each from an empty cache."""
    cells = [model_id, name]
    for talk in (five_steps, fifty_turns):
        model = ScriptedModel()
        upstream.answers = [model]
        before = alice.get("/api/credits").json["balance"]
        talk(alice, model, model_id)
        credits = before - alice.get("/api/credits").json["balance"]
        whole, _, read, written = map(sum, zip(*map(astuple, model.billed), strict=True))
        cells += [f"{n:,}" for n in (whole - read - written, written, read)] + [f"{credits:.3g}"]
    return tuple(cells)


HEADINGS = (
    "model", "tools", "uncached, 5 steps", "written", "read", "credits",
    f"uncached, {TURNS} turns", "written", "read", "credits",
)  # fmt: skip


def main() -> None:
    own = [item.name for item in catalog()][::3][:OWN]
    tools = ",".join([BOTH, *(name.replace("/", ".") for name in own)])
    variants: dict[str, dict[str, str]] = {
        "8": {"tools_allowed": RECORD_TOOLS},
        "10": {"tools_allowed": BOTH},
        "10, no time": {"tools_allowed": BOTH},
        f"{OWN + 10}": {"tools_allowed": tools, "assistant_endpoints": ",".join(own)},
    }
    upstream, rows, sizes = ScriptedUpstream(), [], []
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        databases = Databases(Path(directory))
        for name, settings in variants.items():
            with running(databases, upstream, **settings) as app, _time(name):
                alice = person(app.test_client(), APP_SETTINGS.of(app), "alice")
                rows += [row(alice, upstream, model_id, name) for model_id in MODELS]
                tokens = [likely(spec.tokens) for spec in app.extensions["tools"].specs]
                sizes.append(
                    f"{name}: {len(tokens)} tools, {sum(tokens)} tokens, {mean(tokens):.0f} each"
                )
        databases.remove()
    for line in [
        HEADINGS,
        ("---",) * len(HEADINGS),
        *sorted(rows, key=lambda r: MODELS.index(r[0])),
    ]:
        print(f"| {' | '.join(line)} |")
    print("", *sizes, sep="\n")


@contextmanager
def _time(name: str) -> Iterator[None]:
    if "no time" not in name:
        yield
        return
    with mock.patch.object(admission, "time_text", return_value=""):
        yield


if __name__ == "__main__":
    main()
