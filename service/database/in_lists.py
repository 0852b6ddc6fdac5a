"""Select rows whose column has one of many values, with one statement for any number of values.

With a parameter for each value, the statement's text would depend on their number, and the driver
would convert each value separately: a thousand take four times as long. Instead, the list is one
parameter: an array on PostgreSQL, and JSON on SQLite.
"""

import json
from typing import Any

from sqlalchemy import ARRAY, Select, Text, TypeDecorator, any_, bindparam, func, select

from service.database.prepared import Prepared


class _JsonList(TypeDecorator[list[str]]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: list[str] | None, dialect: Any) -> str:
        return json.dumps(value)


def prepare_in_list(statement: Select[Any]) -> Prepared:
    """Return the statement for rows whose first column is in the list `values`.

    The column must be text.
    """
    column = next(iter(statement.selected_columns))
    listed = func.json_each(bindparam("values", type_=_JsonList)).table_valued("value")
    array = bindparam("values", type_=ARRAY(Text))
    conditions = {"sqlite": column.in_(select(listed.c.value)), "postgresql": column == any_(array)}
    return Prepared(lambda dialect: statement.where(conditions[dialect]))
