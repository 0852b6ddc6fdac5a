"""A long message stops the sandbox's worker no longer than a short one."""

import time

import pytest

from service.sandbox.assistant import SUMMARIZE, AssistantInput, reply

TOOLS = frozenset({"schema.list", "records.query", "records.create", "integrations.find"})
MOST = 100_000  # characters of a message
WORDS = ("what is ", "list ", "mark ", "add an a ", "remember that ", "show me the weather ")


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("begin", ["", SUMMARIZE], ids=["a message", "a summary"])
def test_a_long_message_of_its_words_takes_no_time(words, begin):
    """It takes up to 60 ms, and would take half a minute if the whole message was searched."""
    text = begin + words * (MOST // len(words))
    began = time.process_time()
    reply(AssistantInput(text, earlier=(text,), tools=TOOLS))
    assert time.process_time() - began < 5


def test_a_long_text_is_said_again_as_it_is():
    text = "long " * (MOST // 5)
    assert reply(AssistantInput(f"repeat after me: {text}", tools=TOOLS)).text == text
