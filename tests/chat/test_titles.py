"""Titles made of first questions, which people often write or paste as Markdown."""

import pytest

from service.chat.titles import title_from

TITLES = {
    "# Plan for **next** week": "Plan for next week",
    "> quoted\n\nwhat *is* this?": "quoted what is this?",
    "- [ ] buy `milk`\n- [x] eat ~~bread~~": "buy milk eat bread",
    "```python\nprint(1)\n```\nWhy?": "print(1) Why?",
    "Read [the docs](https://example.org/a) ![and](b.png)": "Read the docs and",
    "| a | b |\n|---|:-:|\n| 1 | 2 |": "a b 1 2",
    "__both *kinds*__ ***strong***": "both kinds strong",
}
KEPT = [
    "2 * 3 * 4", "snake_case_name", "a|b || c", "__init__.py", "C# or F#?", "#1 priority", "-5 + 3",
    "[1, 2](3", "what does ** do", "5 < 6 > 4", "~/notes", "---", "**", "a *b", "What is `",
]  # fmt: skip


@pytest.mark.parametrize(("question", "title"), TITLES.items())
def test_a_title_has_no_marks_of_markdown(question, title):
    assert title_from(question) == title


@pytest.mark.parametrize("question", KEPT)
def test_a_sign_that_marks_nothing_stays_in_the_title(question):
    assert title_from(f"  {question} ") == question


def test_a_title_is_cut_after_its_marks_are_gone():
    assert title_from(f"**{'ab ' * 19}ab**, and more") == "ab " * 19 + "ab,"


@pytest.mark.parametrize("piece", ["*", "[", "`", "_a", "> ", "|", "# ", "~~a", "![](", "- [ ] "])
def test_a_long_question_of_marks_gets_a_title(piece):
    assert title_from(piece * 100_000)


def test_a_chat_is_named_without_marks(alice):
    chat = alice.new_chat()
    alice.turn(chat, "## Say *hello*")
    assert alice.records("ai-chats")[0]["data"]["title"] == "Say hello"
