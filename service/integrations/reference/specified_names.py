"""The names that the specification promises, each with its category.

They come from the specification's text, or from `names.json`, which was made from it.
Source: docs/contract.md, "Catalog endpoint names".
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

LIST = Path(__file__).with_name("names.json")
HEADING = "### Catalog endpoint names"
SUITE = "Cloud suite"


@dataclass(frozen=True)
class Promise:
    """A promised name, or a family: `racing-*` with `standings` is any `racing-…-standings`."""

    category: str
    name: str
    thing: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of fitting names. In a family with dashes, more words and singulars fit."""
        if not self.thing:
            return re.compile(re.escape(self.name))
        prefix, thing = re.escape(self.name.rstrip("*")), re.escape(self.thing.replace(" ", "-"))
        if self.name.endswith("/*"):
            return re.compile(prefix + thing)
        return re.compile(rf"{prefix}([a-z]+-)*{thing.removesuffix('s')}s?")

    def __str__(self) -> str:
        return f"{self.name} ({self.thing})" if self.thing else self.name


def promises(path: Path) -> tuple[Promise, ...]:
    """Read a specification in Markdown, or a list in JSON. Raises ValueError for other texts."""
    text = path.read_text()
    if path.suffix == ".json":
        named = json.loads(text).items()
        return tuple(Promise(category, name) for category, names in named for name in names)
    if HEADING not in text:
        raise ValueError(f"{path} has no section {HEADING!r}")
    return tuple(_of_specification(text))


def missing(promised: Iterable[Promise], names: Iterable[str]) -> list[Promise]:
    """Return the promises that no name fulfils."""
    every = list(names)
    return [one for one in promised if not any(map(one.pattern.fullmatch, every))]


def promise_of(promised: Iterable[Promise], name: str) -> Promise | None:
    """Return the promise that a name fulfils, or None."""
    return next((one for one in promised if one.pattern.fullmatch(name)), None)


def _of_specification(text: str) -> Iterator[Promise]:
    """Yield the promises in its table of the suite's endpoints, then in its table of names."""
    for name in re.findall(r"^\| (cloudsuite/[\w-]+) \|", text, re.M):
        yield Promise(SUITE, name)
    section = re.split("^##", text.partition(HEADING)[2], flags=re.M)[0]
    covered = dict(_coverage(section))
    rows = re.findall(r"^\| ([A-Z][^|(]*)(?:\([^|]*)?\| (.+) \|$", section, re.M)
    for category, names in rows[1:]:  # without the head
        yield from _of_row(category.strip(), names, covered)


def _of_row(category: str, names: str, covered: dict[str, list[str]]) -> Iterator[Promise]:
    for name in re.sub(r"\([^)]*\)", "", names).split(";"):
        name = name.strip()
        if not name.endswith("*"):
            yield Promise(category, name)
        elif things := covered.get(name.rstrip("/-*")):
            yield from (Promise(category, name, thing) for thing in things)
        else:
            raise ValueError(f"nothing says what {name} covers")


def _coverage(section: str) -> Iterator[tuple[str, list[str]]]:
    """Yield `nfl`, [`leagues`, …] from "Basketball and nfl cover leagues, …"."""
    for families, things in re.findall(r"([\w ]+) covers? ([^.]+)\.", section):
        for family in families.lower().split(" and "):
            yield family.strip(), [thing.strip() for thing in things.split(",")]
