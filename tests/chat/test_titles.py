"""Titles made of first questions, which people often write or paste as Markdown."""

import re
import time
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.chat import titles
from service.chat.titles import title_from
from tests.services import on_sqlite

TITLES = {
    "# Plan for **next** week": "Plan for next week",
    "> quoted\n\nwhat *is* this?": "quoted what is this?",
    "- [ ] buy `milk`\n- [x] eat ~~bread~~": "buy milk eat bread",
    "```python\nprint(1)\n```\nWhy?": "print(1) Why?",
    "Read [the docs](https://example.org/a) ![and](b.png)": "Read the docs and",
    "| a | b |\n|---|:-:|\n| 1 | 2 |": "a b 1 2",
    "__both *kinds*__ ***strong***": "both kinds strong",
    "What is `*args` in `f(*args)`?": "What is *args in f(*args)?",
    "**Use `_a_` or `~~`** now": "Use _a_ or ~~ now",
    "What is `__name__`?": "What is __name__?",
}
KEPT = [
    "2 * 3 * 4", "snake_case_name", "a|b || c", "__init__.py", "C# or F#?", "#1 priority", "-5 + 3",
    "[1, 2](3", "what does ** do", "5 < 6 > 4", "~/notes", "---", "**", "a *b", "What is `",
    "if __name__ == '__main__'", "__init__, __new__", "\ue000 \ue001 \ue002",
]  # fmt: skip


@pytest.mark.parametrize(("question", "title"), TITLES.items())
def test_a_title_has_no_marks_of_markdown(question, title):
    assert title_from(question) == title


@pytest.mark.parametrize("question", KEPT)
def test_a_sign_that_marks_nothing_stays_in_the_title(question):
    assert title_from(f"  {question} ") == question


def test_a_title_is_cut_after_its_marks_are_gone():
    assert title_from(f"**{'ab ' * 19}ab**, and more") == "ab " * 19 + "ab"


def test_a_row_of_marks_before_a_long_word_is_no_empty_title():
    assert title_from(":" * 45 + " " + "x" * 30) == ":" * 45 + " " + "x" * 14


def test_white_space_before_a_question_is_no_empty_title():
    assert title_from("\n" * titles.READ_CHARACTERS + "hello") == "hello"


def test_a_title_ends_with_a_whole_word_if_that_is_not_very_long():
    start = "Add three tasks: call the caterer, print the programme"
    assert title_from(f"{start}, order badges for all") == start
    assert title_from("ab " * 20 + "cd") == ("ab " * 20).rstrip()
    assert title_from("x" * 100) == "x" * 60
    assert title_from("see https://example.org/" + "x" * 60) == (
        "see https://example.org/" + "x" * 36
    )


@pytest.mark.parametrize("piece", ["*", "[", "`", "_a", "> ", "|", "# ", "~~a", "![](", "- [ ] "])
def test_a_long_question_of_marks_gets_a_title(piece):
    assert title_from(piece * 100_000)


@pytest.mark.parametrize("marks", ["-|", " -|", "|-:"])
@pytest.mark.parametrize("blanks", [0, 400])
def test_a_line_that_is_almost_one_of_marks_takes_no_time(marks, blanks):
    """An expression that tries every division of the line takes from 0.1 to some 20 seconds."""
    line = " " * blanks + marks * ((980 - blanks) // len(marks))
    title = lambda: title_from(f"Why?\n{line}x")  # noqa: E731
    assert min(timeit.repeat(title, timer=time.process_time, number=1, repeat=3)) < 0.05


@given(st.text("-|: >*_=`~\nx", max_size=12))
def test_the_lines_that_are_left_out_are_those_of_nothing_but_marks(text):
    plain = r"^[ >]*(?:(?:```|~~~)[^`\n]*|[-*_=]{3,}|[ |:-]*-[ |:-]*\|[ |:-]*)$"
    assert titles._ONLY_MARKS.sub("", text) == re.sub(plain, "", text, flags=re.M)


@on_sqlite
def test_a_chat_is_named_without_marks(alice):
    chat = alice.new_chat()
    alice.turn(chat, "## Say *hello*")
    assert alice.records("ai-chats")[0]["data"]["title"] == "Say hello"
