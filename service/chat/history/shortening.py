"""The final stage for a conversation that does not fit: the ends of its longest texts are cut."""

import json
from collections.abc import Callable

from service.chat.history.limits import Limits, size
from service.providers.prompt import (
    AssistantMessage,
    Message,
    Result,
    ToolCall,
    ToolResults,
    UserMessage,
)

SHORTENED = "… [shortened]"
CUT_INPUT = {"shortened": True}


def shorten_messages(messages: tuple[Message, ...], limits: Limits) -> tuple[Message, ...]:
    """Return the messages, shortened to fit if that is possible.

    Results are cut first, the longest ones first, then texts, then inputs of calls. The newest
    message of the user stays whole.
    """
    if limits.fit(messages):
        return messages
    newest = max(n for n, m in enumerate(messages) if isinstance(m, UserMessage))
    for shorten in (_shorten_results, _shorten_texts, _shorten_inputs):
        longest = _longest_that_fits(messages, newest, limits, shorten)
        messages = shorten(messages, newest, longest)
        if limits.fit(messages):
            break
    return messages


Shorten = Callable[[tuple[Message, ...], int, int], tuple[Message, ...]]


def _longest_that_fits(
    messages: tuple[Message, ...], newest: int, limits: Limits, shorten: Shorten
) -> int:
    """Return the greatest length in characters at which the messages fit.

    Longer texts are cut to it.
    """
    low, high = 0, max((size([message])[0] for message in messages), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if limits.fit(shorten(messages, newest, middle)):
            low = middle
        else:
            high = middle - 1
    return low


def _shorten_results(
    messages: tuple[Message, ...], newest: int, longest: int
) -> tuple[Message, ...]:
    def shorten(result: Result) -> Result:
        return Result(result.call_id, _short(result.content, longest), result.failed)

    return tuple(
        ToolResults(tuple(map(shorten, m.results))) if isinstance(m, ToolResults) else m
        for m in messages
    )


def _shorten_texts(messages: tuple[Message, ...], newest: int, longest: int) -> tuple[Message, ...]:
    def shorten(number: int, message: Message) -> Message:
        match message:
            case UserMessage(text) if number != newest:
                return UserMessage(_short(text, longest))
            case AssistantMessage(text, calls) if text:
                return AssistantMessage(_short(text, longest), calls)
        return message

    return tuple(shorten(number, message) for number, message in enumerate(messages))


def _shorten_inputs(
    messages: tuple[Message, ...], newest: int, longest: int
) -> tuple[Message, ...]:
    def shorten(call: ToolCall) -> ToolCall:
        long = len(json.dumps(call.input, ensure_ascii=False)) > max(
            longest, len('{"shortened":1}')
        )
        return ToolCall(call.id, call.name, CUT_INPUT) if long else call

    return tuple(
        AssistantMessage(m.text, tuple(map(shorten, m.calls)))
        if isinstance(m, AssistantMessage)
        else m
        for m in messages
    )


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest + len(SHORTENED) else text[:longest] + SHORTENED
