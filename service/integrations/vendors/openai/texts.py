"""Texts of OpenAI's language models."""

from collections.abc import Mapping, Sequence
from typing import Any

from marshmallow import ValidationError, post_load, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.example import Example, Exchange, File, example
from service.integrations.declare.fields import (
    Amount,
    Choice,
    Count,
    Parameters,
    Part,
    Several,
    Words,
)
from service.integrations.declare.json_paths import find
from service.integrations.declare.matching import check_not_blank
from service.integrations.declare.reading import need, unusable
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Int, Made, Maybe, Shape, Values, Within
from service.integrations.vendors.openai.meters import MODELS, TEXTS
from service.integrations.vendors.openai.vendor import DOCS, OPENAI, TEXT_MODEL

LONGEST = 400_000  # characters of a prompt; the body of a call has a limit as well
SYSTEM = {"role": "system", "content": "Answer in one word."}
QUESTION = {"role": "user", "content": "Which planet is the largest?"}
IN_JSON = {"role": "user", "content": "Which planet is the largest? Answer in JSON."}


class Message(Parameters):
    role = Choice("system", "user", "assistant", about="Whose message it is.", required=True)
    content = Words("What it says.", most=LONGEST, required=True)


class Text(Parameters):
    prompt = Words(
        "What to write; needed unless there are `messages`.",
        most=LONGEST, checks=(check_not_blank,),
    )  # fmt: skip
    systemPrompt = Words("Instructions, together with `prompt`.", most=LONGEST)
    messages = Several(
        Part(Message), "A whole conversation: it replaces both prompts.", least=1, most=200
    )
    model = Choice(*MODELS, about="The model; without it, the one that the operator has set.")
    maxTokens = Count(
        "The length of the text, with what the model thinks, in tokens.", least=1, most=128_000,
        to="json.max_completion_tokens", default=4096,
    )  # fmt: skip
    temperature = Amount("How freely to word the text.", least=0, most=2, to="json.temperature")
    responseFormat = Choice(
        "text", "json_object",
        about="`json_object` gives JSON, and one of the prompts must have the word JSON.",
        to="json.response_format.type", default="text",
    )  # fmt: skip

    @validates_schema
    def check_prompts(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "messages" not in data and "prompt" not in data:
            raise ValidationError("Needed unless there are `messages`.", "prompt")

    @validates_schema
    def check_format(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Raise ValidationError for JSON that no prompt asks for, which OpenAI answers with 400."""
        prompts = [data.get("prompt", ""), data.get("systemPrompt", "")]
        if "messages" in data:
            prompts = [message["content"] for message in data["messages"]]
        says_so = any("json" in prompt.lower() for prompt in prompts)
        if data["responseFormat"] == "json_object" and not says_so:
            reason = "One of the prompts must have the word JSON."
            raise ValidationError(reason, "responseFormat")

    @post_load
    def replace_prompts(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Drop both prompts if there is a conversation, which replaces them. They cost nothing."""
        replaced = ("prompt", "systemPrompt") if "messages" in data else ()
        return {name: value for name, value in data.items() if name not in replaced}


def _text(answer: Any, values: Values) -> str | None:
    """Return the text, or None if the model has refused or has used up its tokens before writing.

    Some hosts of OpenAI's API leave the text out of a refusal.
    """
    message = find(answer, "choices.0.message")
    is_refusal = isinstance(find(message, "refusal"), str)
    content = find(message, "content") if is_refusal else need(message, "content")
    if content is not None and not isinstance(content, str):
        raise unusable("choices.0.message.content")
    return content


USAGE = Shape(
    inputTokens=Int("prompt_tokens"), outputTokens=Int("completion_tokens"),
    totalTokens=Maybe(Int("total_tokens")),
    cachedTokens=Maybe(Int("prompt_tokens_details.cached_tokens")),
)  # fmt: skip
WRITTEN = Shape(
    text=Made(Maybe(""), _text), refusal=Maybe("choices.0.message.refusal"), model="model",
    finishReason="choices.0.finish_reason", usage=Maybe(Within("usage", USAGE)),
)  # fmt: skip


def _write(
    call: Call,
    request: Outgoing,
    *,
    prompt: str | None = None,
    system_prompt: str | None = None,
    messages: Sequence[Mapping[str, str]] = (),
    model: str | None = None,
) -> dict[str, Any]:
    model = model or call.settings.get(TEXT_MODEL.name) or TEXT_MODEL.default
    first = [{"role": "system", "content": system_prompt}] if system_prompt else []
    first += [{"role": "user", "content": prompt}] if prompt else []
    return WRITTEN.read(
        call.send(request.plus(json={"model": model, "messages": [*first, *messages]}))
    )


write = Endpoint(
    name="generate-text", vendor=OPENAI, category="ai",
    summary="A text written by a language model.",
    says=Says("Having a text written", "Had a text written by {model}"),
    docs=f"{DOCS}/chat/subresources/completions/methods/create", meter=TEXTS, seconds=120,
    takes=Text, asks=post("/chat/completions"), run=_write, gives=WRITTEN,
    examples=(example(
        {"prompt": QUESTION["content"], "systemPrompt": SYSTEM["content"], "temperature": 0.2},
        "POST /chat/completions", File("openai/text.json"),
        body={
            "model": "gpt-5.4-mini", "max_completion_tokens": 4096, "temperature": 0.2,
            "response_format": {"type": "text"}, "messages": [SYSTEM, QUESTION],
        },
    ), Example(
        {"messages": [IN_JSON], "model": "gpt-5.4", "maxTokens": 16,
         "responseFormat": "json_object"},
        (Exchange(
            "POST /chat/completions", File("openai/refused.json"),
            when={"json.max_completion_tokens": 16},
            body={
                "model": "gpt-5.4", "max_completion_tokens": 16,
                "response_format": {"type": "json_object"}, "messages": [IN_JSON],
            },
        ),),
    )),
)  # fmt: skip

ENDPOINTS = (write,)
