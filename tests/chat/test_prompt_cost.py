"""What a turn of five steps costs in a chat of 48 000 characters, at provider A's prices."""

import json

import pytest

from tests.chat.long_chats import fill, newest_turn
from tests.chat.prompt_cache import Cache
from tests.services import on_sqlite
from tests.upstream import Answer

pytestmark = on_sqlite
DOLLARS = {"fresh": 3e-6, "read": 0.3e-6, "written": 3.75e-6, "said": 15e-6}  # llm-sonnet-4-6
CREDIT = 0.02  # dollars
SAID = 150  # tokens of each answer


class Host:
    """Provider A with its cache. It calls a tool as long as it may, if asked to."""

    def __init__(self):
        self.cache, self.counted = Cache(), []

    def __call__(self, seen):
        self.counted.append(self.cache.count(seen.json))
        newest = seen.json["messages"][-1]["content"]
        asked = any(b["type"] == "tool_result" or "tools" in b["text"] for b in newest)
        calls = asked and seen.json["tool_choice"] == {"type": "auto"}
        return Answer("".join(f"data: {json.dumps(e)}\n\n" for e in self._events(calls)))

    def _events(self, calls):
        text = {"type": "text", "text": "Let me see. " if calls else "That is all."}
        given = {"collection": "notes", "limit": len(self.counted)}
        call = {"type": "tool_use", "id": "c", "name": "records__query", "input": given}
        blocks = [text, call] if calls else [text]
        usage = {**self.counted[-1].usage, "output_tokens": SAID}
        start = {"content": blocks, "usage": usage}
        start["stop_reason"] = "tool_use" if calls else "end_turn"
        return {"type": "message_start", "message": start}, {"type": "message_stop"}

    def dollars(self, counted):
        fresh, read = (sum(getattr(c, name) for c in counted) for name in ("fresh", "read"))
        written = sum(c.written for c in counted)
        parts = {"fresh": fresh, "read": read, "written": written, "said": SAID * len(counted)}
        return sum(DOLLARS[name] * tokens for name, tokens in parts.items())


@pytest.fixture
def host(served_by):
    made = Host()
    served_by.answers = [made]
    return made


@pytest.fixture
def long_chat(app, alice):
    for number in range(5):
        alice.post("/api/records/notes", {"title": f"note {number}", "text": "word " * 80})
    chat = alice.new_chat()
    fill(app, alice, chat, 48, content="words " * 166)
    return chat


def kept(counted):
    """What a later request can read of it."""
    return counted.read + counted.written


def turn(alice, host, chat, content):
    """The requests of a turn as counted, and what was charged for it."""
    before, paid = len(host.counted), alice.get("/api/credits").json["balance"]
    end = alice.turn(chat, content)[-1]["messageMetadata"]
    charged = paid - alice.get("/api/credits").json["balance"]
    return host.counted[before:], charged, end["usage"]


def test_five_steps_cost_a_fraction_of_what_they_would_without_a_cache(alice, host, long_chat):
    cold, charged, usage = turn(alice, host, long_chat, "use your tools")
    warm, again, _ = turn(alice, host, long_chat, "use your tools again")
    assert len(cold) == len(warm) == 5
    uncached = sum(c.total for c in cold) * DOLLARS["fresh"] + 5 * SAID * DOLLARS["said"]
    assert charged * CREDIT == pytest.approx(host.dollars(cold), rel=0.001)
    assert again * CREDIT == pytest.approx(host.dollars(warm), rel=0.001)
    assert usage["cachedInputTokens"] == sum(c.read for c in cold)
    assert usage["cacheWriteTokens"] == sum(c.written for c in cold)
    assert uncached > 0.22
    assert host.dollars(cold) < 0.62 * uncached
    assert host.dollars(warm) < 0.31 * uncached


def test_a_fifth_step_reads_what_the_last_one_wrote(alice, host, long_chat):
    """Under its own `tool_choice`, where no other step can read it, and up to the question, because
    the time behind it is not in the next turn's prompt."""
    first, second = (turn(alice, host, long_chat, f"use your tools {n}")[0] for n in "ab")
    assert first[4].read < first[0].total < first[4].written + first[4].read
    assert second[4].read == kept(first[0])


def test_a_step_writes_only_what_is_new_in_it(alice, host, long_chat):
    steps, _, _ = turn(alice, host, long_chat, "use your tools")
    assert 0 < steps[0].fresh < 50  # the time
    for earlier, later in zip(steps[:3], steps[1:4], strict=True):
        assert later.read == kept(earlier)
        assert later.fresh == 0


def test_the_next_turn_reads_what_the_last_one_wrote(alice, host, long_chat):
    first, _, _ = turn(alice, host, long_chat, "hello")
    second, _, _ = turn(alice, host, long_chat, "and now")
    assert second[0].read == kept(first[0])
    after_tools = turn(alice, host, long_chat, "use your tools")[0]
    assert turn(alice, host, long_chat, "thanks")[0][0].read == kept(after_tools[0])


def test_what_the_cache_gave_is_stored_and_told_again(app, alice, host, long_chat):
    turn(alice, host, long_chat, "hello")
    asked = {"content": "and now", "userMessageId": "twice"}
    first = alice.turn(long_chat, **asked)[-1]["messageMetadata"]["usage"]
    assert first["cachedInputTokens"] > 10_000
    assert first["cacheWriteTokens"] > 0
    row = newest_turn(app)
    assert row.cached_input_tokens == first["cachedInputTokens"]
    assert row.cache_write_tokens == first["cacheWriteTokens"]
    requests = len(host.counted)
    assert alice.turn(long_chat, **asked)[-1]["messageMetadata"]["usage"] == first
    assert len(host.counted) == requests
