"""What the endpoints of Exa take."""

from typing import Any
from urllib.parse import urlsplit

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from service.fields import Text
from service.integrations.payload import Bounded, Moment

TYPES = ("instant", "fast", "auto", "deep-lite", "deep", "deep-reasoning")
CATEGORIES = (
    "company", "research paper", "publication", "news", "personal site", "financial report",
    "people",
)  # fmt: skip
UNFILTERED = ("company", "people")  # these refuse dates and excluded domains
MOST_PAGES = 100  # of one request, subpages included: each is billed


class Url(Text):
    def __init__(self, **facts: Any) -> None:
        looks = validate.URL(schemes={"http", "https"})
        super().__init__(validate=Bounded(1, 2048, looks, _parses), **facts)


def _parses(url: str) -> None:
    """What looks like a URL may have a host that is none, such as `[::::]`."""
    try:
        urlsplit(url)
    except ValueError:
        raise ValidationError("Not a valid URL.") from None


class Filtered(Schema):
    numResults = fields.Integer(load_default=10, strict=True, validate=validate.Range(1, 100))
    category = Text(validate=validate.OneOf(CATEGORIES))
    includeDomains = fields.List(
        Text(validate=validate.Length(1, 253)), validate=validate.Length(1, 1200)
    )
    excludeDomains = fields.List(
        Text(validate=validate.Length(1, 253)), validate=validate.Length(1, 1200)
    )
    startPublishedDate = Moment()
    endPublishedDate = Moment()
    text = fields.Boolean(load_default=False)
    highlights = fields.Boolean(load_default=True)
    summaryQuery = Text(validate=validate.Length(1, 2000))
    maxAgeHours = fields.Integer(strict=True, validate=validate.Range(-1, 720))

    @validates_schema
    def allowed(self, data: dict[str, Any], **kwargs: Any) -> None:
        filters = ("excludeDomains", "startPublishedDate", "endPublishedDate")
        refused = [name for name in filters if name in data and data.get("category") in UNFILTERED]
        if refused:
            raise ValidationError(dict.fromkeys(refused, ["Not together with this category."]))


class Search(Filtered):
    query = Text(required=True, validate=validate.Length(1, 5000))
    type = Text(load_default="auto", validate=validate.OneOf(TYPES))
    userLocation = Text(validate=validate.Regexp("^[A-Za-z]{2}$"))
    moderation = fields.Boolean(load_default=False)


class Similar(Filtered):
    url = Url(required=True)
    excludeSourceDomain = fields.Boolean(load_default=True)


class Contents(Schema):
    urls = fields.List(Url(), required=True, validate=validate.Length(1, 100))
    text = fields.Boolean(load_default=True)
    maxCharacters = fields.Integer(strict=True, validate=validate.Range(1, 10_000))
    highlightsQuery = Text(validate=validate.Length(1, 2000))
    summaryQuery = Text(validate=validate.Length(1, 2000))
    maxAgeHours = fields.Integer(strict=True, validate=validate.Range(-1, 720))
    subpages = fields.Integer(load_default=0, strict=True, validate=validate.Range(0, 99))
    subpageTarget = Text(validate=validate.Length(1, 200))

    @validates_schema
    def pages(self, data: dict[str, Any], **kwargs: Any) -> None:
        if len(data["urls"]) * (1 + data["subpages"]) > MOST_PAGES:
            raise ValidationError(f"At most {MOST_PAGES} pages, subpages included.", "subpages")


class Answer(Schema):
    query = Text(required=True, validate=validate.Length(1, 5000))
    text = fields.Boolean(load_default=False)
    outputSchema = fields.Dict(keys=Text())


class Research(Schema):
    query = Text(required=True, validate=validate.Length(1, 20_000))
    systemPrompt = Text(validate=validate.Length(1, 20_000))
    effort = Text(
        load_default="auto", validate=validate.OneOf(["low", "medium", "high", "xhigh", "auto"])
    )
    outputSchema = fields.Dict(keys=Text())
    previousRunId = Text(validate=validate.Regexp("^[A-Za-z0-9_-]{1,100}$"))
