"""Titles of chats: the check of a title, and the title made from a chat's first question. Pure.

Source: docs/contract.md, sections 4.1 and 4.2.
"""

import re

TITLE_LENGTH = 60  # characters of the question's text
LAST_WORD = 20  # characters: a last word of at most this length is left out, a longer one is cut
READ_CHARACTERS = 1000  # characters of the question that are read for the title

# A line of only marks: a fence with its language, a rule, the second line of a table. Its first
# quantifiers do not backtrack: to try every division of a long line would take minutes.
_ONLY_MARKS = re.compile(
    r"^[ >]*+(?:(?:```|~~~)[^`\n]*+|[-*_=]{3,}+|[ |:]*+-[ :-]*+\|[ |:-]*+)$", re.M
)
_LINE_START = re.compile(r"^[ \t>]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)?", re.M)
_ROW = re.compile(r"^\|.*\|[ \t]*$", re.M)
_LINK = re.compile(r"!?\[([^][\n]{0,300})\]\([^()\s]{0,300}\)")
_CODE = re.compile(r"(`+)([^`\n]{1,300})\1")
# A mark inside a word or beside a space is not emphasis: `snake_case`, `2 * 3 * 4`. Neither is
# `__name__`, a name in Python, although Markdown reads it as strong.
_EMPHASIS = re.compile(
    r"(?<![\w*~])(?!__[^\W_]\w*__\b)(\*{1,3}|_{1,3}|~~)(?=[^\s*_~])"
    r"([^\n*~]{1,300}?)(?<=\S)\1(?![*~]|\.?[^\W_])"
)
_MARKS, _HIDDEN = "*_~", "\ud800\ud801\ud802"  # surrogates stand for marks in code: no text has any
_HIDE, _SHOW = str.maketrans(_MARKS, _HIDDEN), str.maketrans(_HIDDEN, _MARKS)


def wrong_title(title: str) -> list[str]:
    """Return what is wrong with a title; empty if nothing.

    A blank title can't be seen or clicked in a list.
    """
    return ["Must not be blank."] if title.isspace() else []


def title_from(question: str) -> str:
    """Return the beginning of a question in one line of at most 60 characters.

    Marks of Markdown are removed. The title ends with a whole word, unless the word that would be
    cut is very long. A question of only marks is its own title.
    """
    text = question.lstrip()[:READ_CHARACTERS]
    lines = _LINE_START.sub("", _ONLY_MARKS.sub("", text))
    plain = _without_spans(_ROW.sub(lambda row: row[0].replace("|", " "), lines))
    return _beginning(" ".join(plain.split() or text.split()))


def _beginning(line: str) -> str:
    if len(line) <= TITLE_LENGTH:
        return line
    end = line.rfind(" ", TITLE_LENGTH - LAST_WORD, TITLE_LENGTH + 1)
    words = line[:end].rstrip(" ,;:") if end > 0 else ""
    return words or line[:TITLE_LENGTH].rstrip()  # a row of colons has no words


def _without_spans(text: str) -> str:
    """Remove the marks of links, code and emphasis. Emphasis may contain emphasis once."""
    text = _CODE.sub(lambda code: code[2].translate(_HIDE), _LINK.sub(r"\1", text))
    return _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text)).translate(_SHOW)
