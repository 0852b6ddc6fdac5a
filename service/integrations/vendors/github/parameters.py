"""What the endpoints of GitHub take."""

from typing import Any

from marshmallow import Schema, fields, validate

from service.fields import Text
from service.integrations.payload import Moment

# Ours to GitHub's, where they differ
NAMES = {"perPage": "per_page", "query": "q", "ref": "sha"}


def query_of(asked: dict[str, Any]) -> dict[str, Any]:
    """Parameters as GitHub's query has them."""
    return {
        NAMES.get(name, name): ",".join(value) if isinstance(value, list) else value
        for name, value in asked.items()
    }


def _name(**facts: Any) -> Text:
    return Text(validate=validate.Length(1, 256), **facts)


def _one_of(*values: str, **facts: Any) -> Text:
    return Text(validate=validate.OneOf(values), **facts)


class Page(Schema):
    perPage = fields.Integer(load_default=30, strict=True, validate=validate.Range(1, 100))
    page = fields.Integer(load_default=1, strict=True, validate=validate.Range(1, 10_000))


class Search(Page):
    query = Text(required=True, validate=validate.Length(1, 256))
    sort = _one_of("stars", "forks", "help-wanted-issues", "updated")
    order = _one_of("desc", "asc", load_default="desc")


class Repository(Schema):
    owner = Text(required=True, validate=validate.Regexp("^[A-Za-z0-9_-]{1,100}$"))
    repo = Text(required=True, validate=validate.Regexp("^[A-Za-z0-9._-]{1,100}$"))


class Commits(Repository, Page):
    ref = _name()
    path = Text(validate=validate.Length(1, 1024))
    author = _name()
    since = Moment()
    until = Moment()


class Issues(Repository, Page):
    state = _one_of("open", "closed", "all", load_default="open")
    labels = fields.List(
        Text(validate=validate.Regexp("^[^,]{1,100}$")), validate=validate.Length(1, 50)
    )
    assignee = _name()
    creator = _name()
    sort = _one_of("created", "updated", "comments", load_default="created")
    direction = _one_of("asc", "desc", load_default="desc")
    since = Moment()


class Pulls(Repository, Page):
    state = _one_of("open", "closed", "all", load_default="open")
    head = _name()
    base = _name()
    sort = _one_of("created", "updated", "popularity", "long-running", load_default="created")
    direction = _one_of("asc", "desc")


class Tree(Repository):
    ref = _name(load_default="HEAD")
    recursive = fields.Boolean(load_default=True)


class Contents(Repository):
    path = Text(load_default="", validate=validate.Length(max=1024))
    ref = _name()
