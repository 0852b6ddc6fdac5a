"""A prompt begins with the bytes of the one before it: what a provider has kept stays good."""

import json
import os
import random
import subprocess
import sys

import pytest

from config import ROOT
from tests.chat.scripted_steps import Block, answer
from tests.depth import depth
from tests.services import on_sqlite
from tests.upstream import Seen

APP = {
    "ASSISTANT_INSTRUCTIONS": "You are called Ada. Grüße,\n🌍",
    "ASSISTANT_ENDPOINTS": "current-weather,cloudsuite/contacts-list,encyclopedia-summary",
}
MODELS = ("llm-sonnet-4-6", "gen-5.4", "oss-120b")
TIME = "[Added by the app: it is now"
SAID = ("Let me look.", " \n", 'Grüße,\u2028 "quoted" \\ 🌍', "And\n\nagain. ")
CALLS = (
    ("user__current", "{}"),
    ("user__current", ""),
    ("schema__describe", '{"collection":"ai-chats"}'),
    ("schema__describe", '{"collection": "nothing-here"}'),
    ("records__query", '{"collection":"ai-chats","limit":1e1}'),
    ("records__query", '{"b":2.50,"a":[1,{}],"a":"é\\u0041"}'),
    ("integrations__find", '{"query":"weather","limit":2}'),
    ("integrations__call", '{"endpoint":"current-weather","body":{"latitude":52.5}}'),
    ("current-weather", '{"city":"Berlin"}'),
    ("encyclopedia-summary", '{"title":"Earth"}'),
    ("schema__list", "[1, 2"),
    ("schema__list", '"words"'),
    ("no_such.tool", '{"x":"\\ud83d\\ude00"}'),
    ("user__current", "[" * 300 + "]" * 300),
)


def step(dice: random.Random) -> list[Block]:
    """Texts and calls in any order; a call at least, so that the turn goes on."""
    texts = [("text", text) for text in dice.choices(SAID, k=dice.randrange(3))]
    calls = [("call", *call) for call in dice.choices(CALLS, k=dice.randrange(1, 4))]
    void = [("void",)] if dice.random() < 0.2 else []
    blocks = [*texts, *calls, *void]
    dice.shuffle(blocks)
    return [*blocks, ("call", *dice.choice(CALLS))]


def pieces(seen: Seen) -> list[str]:
    """What is before the messages, then their blocks one by one, as bytes but for the marks. The
    time is a piece of its own, on every wire."""
    body = json.loads(seen.body)
    text = json.dumps([body.get("tools"), body.get("system")], ensure_ascii=False)
    blocks = [text]
    for message in body["messages"]:
        content = message.pop("content")
        frame = json.dumps(message, ensure_ascii=False)
        for block in content if isinstance(content, list) else [content]:
            if isinstance(block, dict):
                block.pop("cache_control", None)
            blocks += [frame + piece for piece in split(json.dumps(block, ensure_ascii=False))]
    return blocks


def split(block: str) -> list[str]:
    """A block, and the time behind it in a piece of its own."""
    text, found, time = block.partition("\\n\\n" + TIME)
    return [f'{text}"', TIME + time] if found else [block]


def lasting(prompt: list[str]) -> list[str]:
    """What is in front of the time, all of which the next turn's prompt has too."""
    [at] = [number for number, piece in enumerate(prompt) if TIME in piece]
    return prompt[:at]


@on_sqlite
@pytest.mark.settings(**APP)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(depth(4)))
def test_each_prompt_begins_with_the_one_before_it(alice, served_by, model, seed):
    """A turn's first prompt begins with what the last turn's have in front of the time."""
    dice, script, firsts = random.Random(f"{seed}"), [], []
    served_by.answers = [lambda seen: answer(seen, script.pop(0))]
    chat = alice.new_chat()
    for number in range(4):
        script += [step(dice) for _ in range(dice.randrange(5))]
        script.append([("text", f"That is all of {number}.")])
        firsts.append(len(served_by.seen))
        alice.turn(chat, f"question {number}", modelId=model)
        assert script == []
    prompts = list(map(pieces, served_by.seen))
    for number, (earlier, later) in enumerate(zip(prompts, prompts[1:], strict=False), 1):
        same = lasting(earlier) if number in firsts else earlier
        assert later[: len(same)] == same
        assert len(later) > len(earlier)


@on_sqlite
@pytest.mark.parametrize("model", MODELS)
def test_a_repeated_question_to_a_tool_is_answered_in_the_same_bytes_later(alice, served_by, model):
    read = ("call", "user__current", "{}")
    script = [[read], [read], [read], [("text", "done")], [("text", "fine")]]
    served_by.answers = [lambda seen: answer(seen, script.pop(0))]
    chat = alice.new_chat()
    alice.turn(chat, "who am I", modelId=model)
    alice.turn(chat, "thank you", modelId=model)
    last_step, next_turn = served_by.seen[3].body, served_by.seen[4].body
    told = rb"\"already answered above\""
    assert last_step.count(told) == next_turn.count(told) == 1


SENT = """
from service.chat.tools.lookups import LOOKUPS
from service.chat.tools.records import RECORDS
from service.chat.tools.tool import Tools
from tests.providers.prompts import prompt, request
sent = [request(kind, prompt(tools=Tools([*LOOKUPS, *RECORDS]).specs)).body for kind in "ABC"]
"""


def test_every_process_declares_the_tools_in_the_same_bytes():
    """Workers and restarts share what a provider has kept."""
    here: dict[str, list[bytes]] = {}
    exec(SENT, here)  # noqa: S102
    for seed in ("1", "2"):
        environ = {**os.environ, "PYTHONHASHSEED": seed}
        asked = [sys.executable, "-c", f"{SENT}\nprint(sent)"]
        there = subprocess.check_output(asked, cwd=ROOT, env=environ, text=True)
        assert there.strip() == repr(here["sent"])
