"""Find names that are similar to a wrong name.

The wrong name may be misspelt, have its words in another order, or have a word more or less.
"""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

NAME_RATIO = 0.9  # the least ratio of two whole names, without the marks between words
WORD_RATIO = 0.8  # the least ratio of two words
PREFIX_LETTERS = 4  # at the beginning that identify a word
COMPARED_CHARACTERS = 100
COMPARED_WORDS = 8  # each with all words of all names
MOST_SUGGESTIONS = 3

_between_cases = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_between_words = re.compile(r"[^a-z0-9]+")


def near_names(wrong_name: str, names: Iterable[str]) -> list[str]:
    """Return at most three names that are similar to `wrong_name`, the most similar first.

    A name is similar if its spelling is nearly the same, if it has all words of `wrong_name`, or if
    `wrong_name` has all of its words. `weather` is similar to `current-weather`, and `web-search`
    to `search-web`.
    """
    words = _words(wrong_name[:COMPARED_CHARACTERS])
    whole = "".join(words)
    by_name = {name: _words(name) for name in names}
    meanings = _meanings(words, {word for of_name in by_name.values() for word in of_name})
    matcher = SequenceMatcher(b=whole, autojunk=False)
    near: list[tuple[float, str]] = []
    for name, of_name in by_name.items():
        matcher.set_seq1("".join(of_name))
        if _shares_words(meanings, of_name) or _is_like(matcher):
            near.append((-matcher.ratio(), name))
    return [name for _, name in sorted(near)[:MOST_SUGGESTIONS]]


def with_suggestions(message: str, names: list[str]) -> str:
    """Return the message with a sentence about similar names, if there are any."""
    return f"{message} The nearest names: {', '.join(names)}." if names else message


def _words(name: str) -> list[str]:
    parts = _between_words.split(_between_cases.sub("-", name).lower())
    return [part for part in parts if part]


def _meanings(words: list[str], known: set[str]) -> list[set[str]]:
    """Return for each word the known words that it may mean. With too many words, return []."""
    if len(words) > COMPARED_WORDS:
        return []
    return [
        {other for other in known if len(word) >= PREFIX_LETTERS and other.startswith(word)}
        | set(get_close_matches(word, known, cutoff=WORD_RATIO))
        for word in words
    ]


def _shares_words(meanings: list[set[str]], words: list[str]) -> bool:
    """Return whether all words of one of two names are among those of the other."""
    if not meanings or not words:
        return False
    return all(meant.intersection(words) for meant in meanings) or all(
        any(word in meant for meant in meanings) for word in words
    )


def _is_like(matcher: "SequenceMatcher[str]") -> bool:
    """Return whether the ratio is high enough. The two quick ratios are its upper bounds."""
    return (
        matcher.real_quick_ratio() >= NAME_RATIO
        and matcher.quick_ratio() >= NAME_RATIO
        and matcher.ratio() >= NAME_RATIO
    )
