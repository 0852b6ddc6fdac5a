"""The titles of chats: what may be one, and the one that a chat gets from its first question. Pure.

Source: docs/contract.md, sections 4.1 and 4.2.
"""

import re

TITLE_LENGTH = 60  # characters of the question's text
LAST_WORD = 20  # characters of a word that is left out where it would be cut; a longer one is cut
READ = 1000  # characters of the question that are read for it

# A line of nothing but marks: a fence with its language, a rule, the second line of a table. No
# part of it gives characters back: to try every division of a long line would take minutes.
_ONLY_MARKS = re.compile(
    r"^[ >]*+(?:(?:```|~~~)[^`\n]*+|[-*_=]{3,}+|[ |:]*+-[ :-]*+\|[ |:-]*+)$", re.M
)
_LINE_START = re.compile(r"^[ \t>]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)?", re.M)
_ROW = re.compile(r"^\|.*\|[ \t]*$", re.M)
_LINK = re.compile(r"!?\[([^][\n]{0,300})\]\([^()\s]{0,300}\)")
_CODE = re.compile(r"(`+)([^`\n]{1,300})\1")
# A mark inside a word or beside a space is not emphasis: `snake_case`, `2 * 3 * 4`.
_EMPHASIS = re.compile(
    r"(?<![\w*~])(\*{1,3}|_{1,3}|~~)(?=[^\s*_~])([^\n*~]{1,300}?)(?<=\S)\1(?![*~]|\.?[^\W_])"
)


def wrong_title(title: str) -> list[str]:
    """Say what is wrong with a title: nobody could see or click it in a list. Empty means none."""
    return ["Must not be blank."] if title.isspace() else []


def title_from(question: str) -> str:
    """The beginning of a question in one line of at most 60 characters, without marks of Markdown.

    It ends with a whole word, if the one that would be cut is not very long. A question of nothing
    but marks is its own title.
    """
    text = question.lstrip()[:READ]
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
    """The text without the marks of links, code and emphasis, which may hold emphasis once."""
    text = _CODE.sub(r"\2", _LINK.sub(r"\1", text))
    return _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
