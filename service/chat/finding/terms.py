"""The terms of a search question, and their places in a text.

A word is written in a script with upper and lower case, where blanks separate words. It matches
whole words; the last word of a question also matches the beginning of a word. Other letters
(Chinese, Japanese, Thai, Hebrew, …) and signs match anywhere in a text.
Source: docs/contract.md, section 4.7.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, takewhile

TERMS_LIMIT = 20
SNIPPET = 160  # characters
LEAD = 50  # of these, before the first hit

# Latin, Greek, Cyrillic and Armenian letters, as in migration 0025. The signs between them are left
# out, because FTS5 divides words there.
WORD = (
    "0-9A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u024f\u0250-\u0293"
    "\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u0386\u0388-\u03f5\u03f7-\u03ff\u0400-\u0481"
    "\u048a-\u052f\u0531-\u0556\u0561-\u0587\u1e00-\u1fbc\u1fbe\u1fc2-\u1fcc\u1fd0-\u1fdc\u1fe0-\u1fec"
    "\u1ff2-\u1ffc"
)
_PIECES = re.compile(f"([{WORD}]+)|([^{WORD}\\s]+)")
_MARKS = re.compile(r"\*\*+|`+|~~|^#{1,6} ", re.MULTILINE)  # of Markdown; excerpts leave them out
_IGNORED = ("P", "Z", "C")  # Unicode's categories of punctuation, blanks and controls

Span = tuple[int, int]


@dataclass(frozen=True)
class Terms:
    """The terms of a question. A text matches if it has all of them.

    `prefix` is a word that may continue, and `parts` match anywhere. No two terms are equal.
    """

    words: tuple[str, ...] = ()
    prefix: str | None = None
    parts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.prefix or self.parts)

    @property
    def word_like(self) -> tuple[str, ...]:
        """All words, including the unfinished one."""
        return (*self.words, self.prefix) if self.prefix else self.words

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # One group for all words: a group for each takes ten times as long for twenty words.
        whole = [f"(?<![{WORD}])(?:{_any_of(self.words)})(?![{WORD}])"] if self.words else []
        begun = [f"(?<![{WORD}])(?:{_any_of((self.prefix,))})"] if self.prefix else []
        anywhere = [_any_of(self.parts)] if self.parts else []
        return re.compile("|".join([*whole, *begun, *anywhere]), re.IGNORECASE)

    def hits(self, text: str) -> Iterator[Span]:
        """Yield the places of all terms in a text, in order: `(start, end)`, in characters."""
        return (found.span() for found in self._pattern.finditer(text)) if self else iter(())


def spellings(term: str) -> tuple[str, ...]:
    """Return a term, and its form with marks apart from their letters if that differs.

    Texts from files and from some systems have the second form. It looks the same, and a text that
    is copied from a message keeps it.
    """
    return tuple(dict.fromkeys((term, unicodedata.normalize("NFD", term))))


def _any_of(terms: tuple[str, ...]) -> str:
    return "|".join([re.escape(form) for term in terms for form in spellings(term)])


def parse(question: str) -> Terms:
    """Return the terms of a question, at most `TERMS_LIMIT`; none if it has only punctuation."""
    words: list[str] = []
    parts: list[str] = []
    text = unicodedata.normalize("NFC", question)
    for word, other in _PIECES.findall(text):
        if word:
            words.append(_lower(word))
        else:
            parts += _parts(other)
    prefix = words.pop() if words and re.search(f"[{WORD}]$", text) else None
    whole = tuple(dict.fromkeys(words))[:TERMS_LIMIT]
    return Terms(whole, prefix, tuple(dict.fromkeys(parts))[:TERMS_LIMIT])


def _lower(word: str) -> str:
    """Lower a word letter by letter.

    The lower case of İ is two characters, and neither index has it.
    """
    return "".join([c.lower() if len(c.lower()) == 1 else c for c in word])


def _parts(run: str) -> list[str]:
    """Divide a run at the characters that are ignored."""
    kept = ("\0" if unicodedata.category(c).startswith(_IGNORED) else c for c in run)
    return [piece for piece in "".join(kept).split("\0") if piece]


@dataclass(frozen=True)
class Excerpt:
    """A piece of a text. `hits` are the places of the terms in it, in characters."""

    text: str
    hits: list[Span]


def excerpt(text: str, terms: Terms) -> Excerpt:
    """Return about `SNIPPET` characters of a text around its first hit, on one line."""
    line = " ".join(_MARKS.sub("", text).split())
    found = terms.hits(line)
    first = next(found, (0, 0))
    start = _start(line, first[0])
    end = _end(line, start + SNIPPET)
    before, after = "… " if start else "", " …" if end < len(line) else ""
    shift = len(before) - start
    shown = takewhile(lambda hit: hit[1] <= end, chain([first], found))  # a text may have 50,000
    hits = [(a + shift, b + shift) for a, b in shown if b]
    return Excerpt(before + line[start:end] + after, hits)


def _start(line: str, hit: int) -> int:
    """Return the start of a word, at most `LEAD` characters before the hit."""
    if hit <= LEAD:
        return 0
    blank = line.find(" ", hit - LEAD, hit)
    return blank + 1 if blank >= 0 else hit - LEAD


def _end(line: str, end: int) -> int:
    if end >= len(line):
        return len(line)
    blank = line.rfind(" ", end - LEAD, end)
    return blank if blank >= 0 else end
