"""Make an endpoint's request from its parameters.

A `Template` is declared once. Filled with a call's parameters it becomes an `Outgoing`, which
`calling/call.py` sends. The template has method, path and constants; the fields have the targets.
"""

import copy
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any, Literal

from marshmallow import Schema, fields, missing

from service.integrations.declare.credential import Credential
from service.integrations.declare.json_paths import put_at
from service.integrations.declare.path import is_deep, label, path_of, pieces_of, quote_piece
from service.integrations.declare.payload import content_of, encode, header_text

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Returns = Literal["json", "text", "bytes", "reply"]
Json = Mapping[str, Any]

MIB = 1 << 20
WITH_BODY = ("POST", "PUT", "PATCH")
PLACES = ("path", "base", "query", "header", "json", "form", "file", "bytes")


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """One request, without credentials.

    `base` names a base URL's setting, and `base_pieces` has the varying pieces of that URL. `url`
    is instead a whole address that a caller has named: it must be public, and no credential is
    sent. `content` is the body with its media type, `json` its value if it is JSON. `repeatable`
    requests are sent again after a temporary failure. `limit` limits the decoded answer, in bytes.
    `instead` maps statuses of the vendor's own API to the answers to use for them. `credential`
    replaces the vendor's, such as a `Signer` with this request's claims.
    """

    method: Method = "GET"
    path: str = ""
    base: str = ""
    base_pieces: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    query: Json = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: tuple[bytes, str] | None = None
    json: Any = None
    returns: Returns = "json"
    limit: int = 8 * MIB
    repeatable: bool = False
    has_key: bool = True
    instead: Mapping[int, Any] = field(default_factory=dict)
    credential: Credential | None = None

    def plus(self, *, query: Json | None = None, json: Json | None = None) -> "Outgoing":
        """Return a copy of the request with more in its query, or in its JSON object.

        Raises `InvalidRequest`.
        """
        more = replace(self, query={**self.query, **(query or {})})
        if not json:
            return more
        body = {**(self.json or {}), **json}
        return replace(more, json=body, content=encode(body))

    def moved_to(self, target: str) -> "Outgoing":
        """Return a copy of the request for another path, without its query if the path has one."""
        return replace(self, path=target, query={} if "?" in target else self.query)


@dataclass(frozen=True)
class Template:
    """The request of an endpoint before its parameters are filled in.

    `path` has `{owner}` for one piece, `{path+}` for several with their slashes. `query`,
    `headers`, `json` and `form` are constants, to which the parameters add values.
    """

    method: Method
    path: str
    _: KW_ONLY
    base: str = ""
    query: Json = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Json = field(default_factory=dict)
    form: Json = field(default_factory=dict)
    returns: Returns = "json"
    limit: int = 8 * MIB
    repeatable: bool = False
    has_key: bool = True
    instead: Mapping[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for a path that can't be appended to a base URL."""
        if not self.path.startswith("/") or "?" in self.path:
            reason = "must begin with '/', and its query belongs in `query`"
            raise ValueError(f"the path {self.path!r:.80} {reason}")

    @property
    def pieces(self) -> set[str]:
        """The names of the varying pieces of its path."""
        return pieces_of(self.path)

    def fill(self, parameters: Schema, values: Json) -> Outgoing:
        """Return the request for a call's parameters. Raises `InvalidRequest`."""
        parts = self._constants()
        if parts["json"] is None and self.method in WITH_BODY and _takes_json(parameters):
            parts["json"] = {}
        for name, value in values.items():
            _place(parts, parameters.fields[name], name, value, self.path)
        return self._outgoing(parts)

    def with_parts(
        self, *, path: Json | None = None, query: Json | None = None, json: Json | None = None
    ) -> Outgoing:
        """Return the request with these parts and its constants.

        Raises `InvalidRequest`, and `Unusable` for a text that is not a piece of a path.
        """
        parts = self._constants()
        parts["path"] |= path or {}
        parts["query"] |= query or {}
        if json is not None:
            parts["json"] = {**(parts["json"] or {}), **json}
        return self._outgoing(parts)

    def _constants(self) -> dict[str, Any]:
        return {
            "path": {},
            "base": {},
            "query": dict(self.query),
            "header": dict(self.headers),
            "json": copy.deepcopy(dict(self.json)) or None,
            "form": dict(self.form),
            "file": {},
        }

    def _outgoing(self, parts: Mapping[str, Any]) -> Outgoing:
        return Outgoing(
            method=self.method,
            path=path_of(self.path, **parts["path"]),
            base=self.base,
            base_pieces=parts["base"],
            query=parts["query"],
            headers=parts["header"],
            content=content_of(parts),
            json=parts["json"],
            returns=self.returns,
            limit=self.limit,
            repeatable=self.repeatable or self.method in ("GET", "PUT"),
            has_key=self.has_key,
            instead=self.instead,
        )


get = partial(Template, "GET")
post = partial(Template, "POST")
put = partial(Template, "PUT")
patch = partial(Template, "PATCH")
delete = partial(Template, "DELETE")


def target_faults(parameters: Schema, template: Template, base: str) -> list[str]:
    """Return the faults in a declaration's targets. `base` is its default base URL."""
    wrong, filled = [], set()
    varying = {("path", name) for name in template.pieces} | {
        ("base", name) for name in pieces_of(base)
    }
    for name, one in parameters.fields.items():
        for target in one.metadata["to"]:
            place, _, rest = target.partition(".")
            if place not in PLACES or (not rest and place not in ("json", "bytes")):
                wrong.append(f"{name}: no target {target!r}")
            if place in ("path", "base"):
                filled.add((place, rest))
                optional = not one.required and one.load_default is missing
                wrong += [f"{name}: a piece of the {place} may be missing"] if optional else []
    return wrong + [f"{place}: nothing fills {name!r}" for place, name in sorted(varying ^ filled)]


def _place(
    parts: dict[str, Any], field: fields.Field[Any], name: str, value: Any, template: str
) -> None:
    """Put a parameter's value at its targets. `template` is the path's template."""
    if (theirs := _theirs(field, value)) is None:
        return
    for target in field.metadata["to"]:
        place, _, rest = target.partition(".")
        if place == "path":
            # An invalid piece is refused here, under our name for the parameter.
            quote_piece(name, str(theirs), is_deep(template, rest))
        elif place == "base":
            label(name, str(theirs))
        elif place == "header":
            header_text(name, str(theirs))
        if not rest:
            parts[place] = theirs
        elif place == "json":
            parts["json"] = parts["json"] or {}
            put_at(parts["json"], rest, theirs)
        else:
            parts[place][rest] = theirs


def _theirs(field: fields.Field[Any], value: Any) -> Any:
    """Return a loaded value in the vendor's form."""
    theirs = field.metadata.get("theirs")
    match field:
        case fields.Nested():
            value = part_of(field.schema, value)
        case fields.List(inner=fields.Nested() as inner):
            value = [part_of(inner.schema, one) for one in value]
    if theirs is None:
        return value
    return theirs(value) if callable(theirs) else theirs.get(value, value)


def part_of(parameters: Schema, values: Json) -> dict[str, Any]:
    """Return the loaded values of a `Part` in the vendor's form."""
    part: dict[str, Any] = {}
    for name, value in values.items():
        inner = parameters.fields[name]
        if (theirs := _theirs(inner, value)) is not None:
            for target in inner.metadata["to"] or (name,):
                put_at(part, target, theirs)
    return part


def _takes_json(parameters: Schema) -> bool:
    """Return whether a parameter belongs in a JSON body, which is then sent even if empty."""
    targets = (target for one in parameters.fields.values() for target in one.metadata["to"])
    return any(target.partition(".")[0] == "json" for target in targets)


def elsewhere(url: str, *, limit: int = 8 * MIB) -> Outgoing:
    """Return a GET of an address from a caller or from a vendor's answer."""
    return Outgoing(url=url, returns="bytes", limit=limit, repeatable=True, has_key=False)
