"""Which names are near a wrong one: misspelt, in another order, or with a word more or less."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

LIKE = 0.9  # of two whole names, without what stands between their words
LIKE_WORD = 0.8  # of two words
BEGINNING = 4  # letters by which a word is known
LENGTH = 100  # characters that are looked at
WORDS = 8  # likewise; each is compared with all words of all names
MOST = 3

_between_cases = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_between_words = re.compile(r"[^a-z0-9]+")


def near_names(asked: str, names: Iterable[str]) -> list[str]:
    """The names that are near, three at most, the most alike first.

    A name is near if it is spelt nearly the same, if it has all words of `asked`, or if `asked` has
    all of its words. `weather` is near `current-weather`, and `web-search` near `search-web`.
    """
    words = _words(asked[:LENGTH])
    whole = "".join(words)
    by_name = {name: _words(name) for name in names}
    meanings = _meanings(words, {word for of_name in by_name.values() for word in of_name})
    matcher = SequenceMatcher(b=whole, autojunk=False)
    near: list[tuple[float, str]] = []
    for name, of_name in by_name.items():
        matcher.set_seq1("".join(of_name))
        if _shares_words(meanings, of_name) or _is_like(matcher):
            near.append((-matcher.ratio(), name))
    return [name for _, name in sorted(near)[:MOST]]


def _words(name: str) -> list[str]:
    parts = _between_words.split(_between_cases.sub("-", name).lower())
    return [part for part in parts if part]


def _meanings(words: list[str], known: set[str]) -> list[set[str]]:
    """For each word, the known ones that may be meant; none if there are too many words."""
    if len(words) > WORDS:
        return []
    return [
        {other for other in known if len(word) >= BEGINNING and other.startswith(word)}
        | set(get_close_matches(word, known, cutoff=LIKE_WORD))
        for word in words
    ]


def _shares_words(meanings: list[set[str]], words: list[str]) -> bool:
    """Whether all words of one of two names are among those of the other."""
    if not meanings or not words:
        return False
    return all(meant.intersection(words) for meant in meanings) or all(
        any(word in meant for meant in meanings) for word in words
    )


def _is_like(matcher: "SequenceMatcher[str]") -> bool:
    """The two quick ratios are upper bounds of the ratio."""
    return (
        matcher.real_quick_ratio() >= LIKE
        and matcher.quick_ratio() >= LIKE
        and matcher.ratio() >= LIKE
    )
