"""Mistakes in the names of settings: nearly right names, and files of what is no secret."""

from collections.abc import Iterable, Mapping

LEAST_LETTERS = 8  # of a name that other programs hardly use for something else


def unread_file(environ: Mapping[str, str], plain: Iterable[str]) -> str | None:
    """Return the first of these settings that is given only as `NAME_FILE`, which is not read."""
    for name in sorted(plain):
        if len(name) >= LEAST_LETTERS and environ.get(f"{name}_FILE") and not environ.get(name):
            return name
    return None


def misspelt(name: str, known: Iterable[str]) -> str | None:
    """Return the first known name of at least eight letters that `name` nearly equals, or None.

    One slip is allowed, or two in a name of sixteen letters or more. A slip is a letter too many,
    too few, wrong, or swapped with the next one. XAI_BASE_URL, which other programs use, has two
    slips from EXA_BASE_URL and is therefore not a near miss.
    """
    for other in known:
        allowed = 0 if len(other) < LEAST_LETTERS else 1 if len(other) < 16 else 2
        # These cheap tests exclude nearly every pair of names. A slip changes at most two letters.
        if not allowed or abs(len(name) - len(other)) > allowed or name == other:
            continue
        if len(set(name) ^ set(other)) <= 2 * allowed and _slips(name, other) <= allowed:
            return other
    return None


def _slips(one: str, other: str) -> int:
    """Return the optimal string alignment distance between two names."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, against in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != against))
            swapped = i > 1 and j > 1 and (letter, against) == (other[j - 2], one[i - 2])
            row.append(min(cost, before[j - 2] + 1) if swapped else cost)
        before, last = last, row
    return last[-1]
