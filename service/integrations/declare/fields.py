"""Fields for endpoint parameters: marshmallow fields with a target in the vendor's request.

Every field takes `about`, a description for people, and `to`, its target in the request to the
vendor: `path.owner`, `query.per_page`, `header.X-Name`, `json.contents.text`, `form.name`,
`file.image`, or `json` or `bytes` for the whole body; `base.language` is a label of the host name
in the base URL. A tuple names several targets. Within a `Part`, `to` is a path in the part, by
default the field's own name. A parameter without a target is an argument of the endpoint's
function.

`theirs` turns a loaded value into the vendor's value. It is a mapping or a function. A value that
becomes None is left out.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from datetime import UTC, date
from typing import Any, TypedDict, Unpack

from marshmallow import Schema, fields, missing, validate

from service.integrations.declare.addresses import check_public
from service.integrations.declare.matching import Bounded, Fitting, check_not_blank, check_range
from service.web.errors import TooLarge
from service.web.fields import JsonBoolean, JsonInteger, JsonNumber, Text

WANTED_TIME = "Must be a time with its offset, such as 2026-11-30T09:00:00Z."

Targets = str | tuple[str, ...]
VendorForm = Mapping[Any, Any] | Callable[[Any], Any]


class Parameters(Schema):
    """The parameters of an endpoint, in JSON, or in a query if it only reads. Unknown names are
    refused."""


class Facts(TypedDict, total=False):
    """The arguments that every field takes beside its description and its bounds."""

    to: Targets
    theirs: VendorForm | None
    required: bool
    default: Any


def _facts(
    about: str,
    checks: list[Any],
    keywords: Mapping[str, Any] | None = None,
    *,
    to: Targets = "",
    theirs: VendorForm | None = None,
    required: bool = False,
    default: Any = missing,
) -> dict[str, Any]:
    """Return the arguments of a marshmallow field, with further `keywords` of its JSON Schema.

    `metadata` has the facts that `request.py` needs. Raises ValueError for a wrong `theirs`.
    """
    if not (theirs is None or callable(theirs) or isinstance(theirs, Mapping)):
        raise ValueError(f"`theirs` must be a function or a dict, not {theirs!r:.80}")
    targets = (to,) if isinstance(to, str) and to else tuple(to)
    named = {"description": about, **(keywords or {})}
    described = {name: value for name, value in named.items() if value}
    return {
        "required": required,
        "load_default": default,
        "validate": checks,
        "metadata": {**described, "to": targets, "theirs": theirs},
    }


class Words(Text):
    """A text of `least` to `most` characters, or one that fits a `pattern`.

    A required text is not blank, unless `least` is 0.
    """

    def __init__(
        self,
        about: str = "",
        *,
        least: int | None = 1,
        most: int | None = None,
        pattern: str | None = None,
        checks: tuple[Callable[[Any], Any], ...] = (),
        form: str | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        """`checks` see only texts of a permitted length, so they need `most`.

        `form` is the `format` in schemas.
        """
        assert most is not None or not checks, "checks need a limit of the length"
        matches: list[Any] = [Fitting(pattern)] if pattern else []
        if facts.get("required") and least:
            matches.append(check_not_blank)
        bounds = [] if most is None else [Bounded(least, most, *matches, *checks)]
        keywords = {"pattern": pattern if bounds else None, "format": form}
        super().__init__(**_facts(about, bounds or matches, keywords, **facts))


class Choice(Text):
    """One of a list of texts."""

    def __init__(self, *values: str, about: str = "", **facts: Unpack[Facts]) -> None:
        """Raise ValueError for values that are no texts."""
        if not values or not all(isinstance(value, str) for value in values):
            raise ValueError(f'a Choice takes texts, such as Choice("m", "ft"), not {values!r:.80}')
        checks = [validate.OneOf(values)]
        super().__init__(**_facts(about, checks, **facts))


class Count(JsonInteger):
    """A whole number from `least` to `most`."""

    def __init__(self, about: str = "", *, least: int, most: int, **facts: Unpack[Facts]) -> None:
        check_range(least, most)
        checks = [validate.Range(least, most)]
        super().__init__(**_facts(about, checks, **facts))


class Amount(JsonNumber):
    """A number from `least` to `most`."""

    def __init__(
        self, about: str = "", *, least: float, most: float, **facts: Unpack[Facts]
    ) -> None:
        check_range(least, most)
        checks = [validate.Range(least, most)]
        super().__init__(**_facts(about, checks, **facts))


class Switch(JsonBoolean):
    """True or false."""

    def __init__(self, about: str = "", **facts: Unpack[Facts]) -> None:
        super().__init__(**_facts(about, [], **facts))


class Moment(fields.AwareDateTime):
    """A moment with its zone, in ISO 8601. It is loaded as text in UTC for all vendors."""

    default_error_messages = {
        **dict.fromkeys(("invalid", "invalid_awareness"), WANTED_TIME),
        "range": "Must be from 1970 to 2099.",
    }

    def __init__(self, about: str = "", **facts: Unpack[Facts]) -> None:
        super().__init__(format="iso", **_facts(about, [], **facts))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        moment = super()._deserialize(value, attr, data, **kwargs)
        if not 1970 <= moment.year < 2100:  # else the change of zone may leave the calendar
            raise self.make_error("range")
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Day(Text):
    """A date, YYYY-MM-DD."""

    default_error_messages = {"day": "Must be a date (YYYY-MM-DD)."}

    def __init__(self, about: str = "", **facts: Unpack[Facts]) -> None:
        super().__init__(**_facts(about, [], {"format": "date"}, **facts))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            return date.fromisoformat(text[:32]).isoformat()
        except ValueError:
            raise self.make_error("day") from None


class WebAddress(Text):
    """An http or https URL of at most 2048 characters, whose host may be public."""

    def __init__(self, about: str = "", **facts: Unpack[Facts]) -> None:
        checks = [Bounded(1, 2048, validate.URL(schemes={"http", "https"}), check_public)]
        super().__init__(**_facts(about, checks, **facts))


def file_keywords(most: int, kind: str | None = None) -> dict[str, Any]:
    """Return the keywords of a JSON Schema for the base64 of a file of at most `most` bytes."""
    longest = (most + 2) // 3 * 4  # characters
    return {"contentEncoding": "base64", "contentMediaType": kind, "maxLength": longest}


class Bytes(Text):
    """Bytes in base64, which are loaded as at most `most` decoded bytes."""

    default_error_messages = {"base64": "Must be base64."}

    def __init__(
        self, about: str = "", *, most: int, kind: str | None = None, **facts: Unpack[Facts]
    ) -> None:
        """`kind` is the media type of the bytes, or a range of media types such as `image/*`."""
        super().__init__(**_facts(about, [], file_keywords(most, kind), **facts))
        self._most = most

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            content = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise self.make_error("base64") from None
        if len(content) > self._most:
            raise TooLarge(f"At most {self._most} bytes are accepted.", limit=self._most)
        return content


class Several(fields.List[Any]):
    """A list of `least` to `most` values. For the vendor they may be `joined` by a text."""

    def __init__(
        self,
        inner: fields.Field[Any],
        about: str = "",
        *,
        least: int | None = None,
        most: int,
        joined: str | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        checks = [validate.Length(least, most)]
        if joined is not None:
            facts["theirs"] = lambda values: joined.join(map(str, values))
        super().__init__(inner, **_facts(about, checks, **facts))


class Part(fields.Nested):
    """An object with parameters of its own."""

    def __init__(
        self, parameters: type[Parameters], about: str = "", **facts: Unpack[Facts]
    ) -> None:
        super().__init__(parameters, **{**_facts(about, [], **facts), "validate": None})


class Values(fields.Dict):
    """An object of any content, which is passed on to the vendor."""

    def __init__(self, about: str = "", **facts: Unpack[Facts]) -> None:
        super().__init__(keys=Text(), **_facts(about, [], **facts))
