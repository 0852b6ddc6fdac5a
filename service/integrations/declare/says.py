"""Sentences that describe a call to people: while it runs, and by its answer.

A place `{place.name}` is a value of the parameters, or else of the answer. `{messages:mail}` is the
number of a list's items in the answer, as "5 mails"; with an irregular plural it is
`{entries:entry|entries}`. If a value is missing, or is neither text nor number, clients do not use
the sentence, and make one from the endpoint's summary and the answer.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from service.integrations.declare.forms import check_forms
from service.integrations.declare.shape import Json

PLACE = re.compile(r"\{([\w.]+)(:[a-z |]+)?\}")
PLAIN, LISTS = ("string", "integer", "number"), ("array",)


@dataclass(frozen=True)
class Says:
    """`doing`, such as "Reading mail", has places only for parameters. `done` is in the past."""

    doing: str
    done: str

    def __post_init__(self) -> None:
        """Raise ValueError for a field of another type."""
        check_forms(self)

    def faults(self, body: Json, answer: Json) -> Iterator[str]:
        """Yield the faults of the sentences, by the JSON Schemas of the body and of the data."""
        for name, text, schemas in (
            ("doing", self.doing, (body,)),
            ("done", self.done, (answer, body)),
        ):
            if set(PLACE.sub("", text)) & set("{}"):
                yield f"says.{name}: a place is not closed, or has other letters"
            if text.endswith((".", "…")):
                yield f"says.{name}: ends with a mark, which clients add"
            for path, nouns in PLACE.findall(text):
                kinds = LISTS if nouns else PLAIN
                if not any(_has(schema, path, kinds) for schema in schemas):
                    yield f"says.{name}: {path} is no {' or '.join(kinds)} there"


def _has(schema: Json, path: str, kinds: tuple[str, ...]) -> bool:
    """Return whether the value at a path may be of one of the kinds, according to the schema."""
    for name in path.split("."):
        inner = _inside(schema, name)
        if inner is None:
            return not schema.get("type") and "anyOf" not in schema
        schema = inner
    kind = schema.get("type")
    return kind is None or any(one in kinds for one in ([kind] if isinstance(kind, str) else kind))


def _inside(schema: Json, name: str) -> Json | None:
    """Return the schema of a list's item or of a member, also in alternatives, or None."""
    if name.isdecimal():
        items: Json = schema.get("items", {})
        return items
    members = [one.get("properties", {}) for one in (schema, *schema.get("anyOf", ()))]
    return next((each[name] for each in members if name in each), None)
