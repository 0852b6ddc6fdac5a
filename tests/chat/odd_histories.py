"""Random histories: what chats hold, and what an older version, an edit or a deletion may leave."""

import random
from typing import Any

from service.chat.history.messages import StoredMessage

WORDS = (
    "harbour ",
    "blue. ",
    "漢字かな",
    "🚢🌊",
    "é\u0301",
    '{"a":1}',
    "\n",
    "\t ",
    "<|end|>",
    '"\\',
)
BLANK = ("", " ", "\n\t")
NAMES = ("schema.list", "records.query", "gone.tool", "", "a b/ü", "x" * 80)
IDS = ("", "call", "c1", "c1", "c 2", "toolu_1", "y" * 40, "y" * 64, "y" * 90, "ü", None, 7)
INPUTS: tuple[Any, ...] = (
    {},
    {"collection": "tasks"},
    {"deep": [{"漢": "字" * 40}]},
    [1],
    "{bro",
    5,
)
OUTPUTS: tuple[Any, ...] = (None, "", 0, [], {"records": []}, {"text": "🚢" * 60}, "x" * 900)
STATES = ("output-available", "output-error", "input-streaming", "input-available", "odd", None)
UNKNOWN: tuple[Any, ...] = (
    {"type": "reasoning", "text": "hm"},
    {"type": "source-url", "url": "x"},
    {"type": "dynamic-tool", "toolName": "x"},
    {"type": None},
    {"type": "text"},
    {"type": "text", "text": None},
    {},
    None,
    "text",
)


def history(dice: random.Random) -> list[StoredMessage]:
    """The rows of a chat as they might stand in a database."""
    whole: list[StoredMessage] = []
    for _ in range(dice.randrange(12)):
        whole += [_asks(dice), _answers(dice)]
    if dice.random() < 0.4:  # its owner has deleted messages, or half a turn was stored
        gone = dice.random()
        whole = [row for row in whole if dice.random() > gone]
    if dice.random() < 0.1:
        whole = [row for row in whole if not row.is_question]
    return [StoredMessage(n * 3 + 1, *_rest(row)) for n, row in enumerate(whole)]


def _rest(row: StoredMessage) -> tuple[Any, ...]:
    return row.role, row.content, row.parts, row.edited, row.cut_short


def text(dice: random.Random, most: int = 60) -> str:
    if dice.random() < 0.08:
        return dice.choice(BLANK)
    return "".join(dice.choices(WORDS, k=dice.randrange(1, 6))) * dice.randrange(1, most // 3)


def _asks(dice: random.Random) -> StoredMessage:
    return StoredMessage(0, "user", text(dice), edited=dice.random() < 0.1)


def _answers(dice: random.Random) -> StoredMessage:
    marks = {"edited": dice.random() < 0.1, "cut_short": dice.random() < 0.1}
    if dice.random() < 0.15:  # before there were parts
        return StoredMessage(0, "assistant", text(dice), dice.choice((None, [])), **marks)
    parts: list[Any] = []
    for _ in range(dice.choice((0, 1, 1, 2, 3))):
        parts += _step(dice)
    return StoredMessage(0, "assistant", text(dice) if dice.random() < 0.5 else "", parts, **marks)


def _step(dice: random.Random) -> list[Any]:
    parts: list[Any] = [{"type": "step-start"}] if dice.random() < 0.9 else []
    if dice.random() < 0.6:
        parts.append({"type": "text", "text": text(dice), "state": "done"})
    if dice.random() < 0.6:
        parts += [_tool(dice) for _ in range(dice.choice((1, 1, 2, 4)))]
    if dice.random() < 0.15:
        parts.insert(dice.randrange(len(parts) + 1), dice.choice(UNKNOWN))
    return parts


def _tool(dice: random.Random) -> dict[str, Any]:
    id = dice.choice(IDS) if dice.random() < 0.2 else f"call_{dice.getrandbits(128):032x}"
    part = {"type": f"tool-{dice.choice(NAMES)}", "toolCallId": id}
    state = dice.choice(STATES) if dice.random() < 0.4 else "output-available"
    if state is not None:
        part["state"] = state
    part[dice.choice(("input", "input", "rawInput", "none"))] = dice.choice(INPUTS)
    if dice.random() < 0.9:
        part["output"] = dice.choice(OUTPUTS) if dice.random() < 0.5 else text(dice)
    if dice.random() < 0.5:
        part["errorText"] = dice.choice((*BLANK, None, 5, "It failed. " * 9))
    return part
