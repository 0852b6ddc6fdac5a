"""Statements about the members of a list, which is one parameter: SQLAlchemy writes `IN` anew for
each number of values, so that such a statement can't be prepared."""

import json
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Select,
    Text,
    TypeDecorator,
    any_,
    bindparam,
    func,
    select,
)

from service.database.prepared import Prepared


class _TextList(TypeDecorator[list[str]]):
    """A list of texts as JSON, which SQLite has functions for."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: list[str] | None, dialect: Any) -> str:
        return json.dumps(value)


def of_members(statement: Select[Any], column: ColumnElement[str], name: str) -> Prepared:
    """The statement, for rows whose column is in the list of texts `name`."""
    listed = func.json_each(bindparam(name, type_=_TextList)).table_valued("value")
    return Prepared(
        sqlite=statement.where(column.in_(select(listed.c.value))),
        postgresql=statement.where(column == any_(bindparam(name, type_=ARRAY(Text)))),
    )
