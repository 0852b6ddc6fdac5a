"""A conversation to ask with, and the bodies that the wires make of it."""

import json
from typing import Any

from config import load
from service.providers.catalog import models
from service.providers.prompt import (
    AssistantMessage,
    Message,
    Prompt,
    Result,
    ToolCall,
    ToolResults,
    ToolSpec,
    UserMessage,
)
from service.providers.provider import Model, WireRequest

SETTINGS = {
    "PROVIDER_A_API_KEY": "key-of-a",
    "PROVIDER_B_API_KEY": "key-of-b",
    "PROVIDER_C_API_KEY": "key-of-c",
}
IDS = {"A": "llm-sonnet-4-6", "B": "gen-5.4", "C": "oss-120b"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = ToolSpec("weather.read", "The weather in a city.", SCHEMA)
CLOCK = ToolSpec("clock.now", "The time of day.", {"type": "object", "properties": {}})

ASKED = UserMessage("How warm is it in Tromsø, and how late?")
CALLED = AssistantMessage(
    "Let me look.",
    (ToolCall("call-1", "weather.read", {"city": "Tromsø"}), ToolCall("call-2", "clock.now", {})),
)
ANSWERED = ToolResults((Result("call-1", '{"degrees":-4}'), Result("call-2", "no clock", True)))
CONVERSATION = (ASKED, CALLED, ANSWERED)


def model(kind: str, **settings: str) -> Model:
    return models(load(SETTINGS | settings))[IDS[kind]]


def request(kind: str, prompt: Prompt, **settings: str) -> WireRequest:
    asked = model(kind, **settings)
    return asked.provider.wire.request(asked.provider, asked.upstream_name, prompt)


def prompt(*messages: Message, **more: Any) -> Prompt:
    return Prompt("Be brief.", messages or CONVERSATION, **{"tools": (WEATHER, CLOCK)} | more)


def body(kind: str, *messages: Message, **more: Any) -> dict[str, Any]:
    return json.loads(request(kind, prompt(*messages, **more)).body)
