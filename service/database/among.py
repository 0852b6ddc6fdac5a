"""Rows whose column has one of many values, by one statement for any number of values.

With a parameter for each value the statement has another text for each number of them, and the
driver converts each alone: a thousand take four times as long. A list is one parameter, an array
on PostgreSQL and JSON on SQLite.
"""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Connection, Select, Text, any_, bindparam, func, select

from service.database.prepared import Prepared


def prepared_among(statement: Select[Any]) -> Prepared:
    """Return the statement for rows whose first column is in a list. `value_list` makes the list.

    The column must be text.
    """
    column = next(iter(statement.selected_columns))
    values = func.json_each(bindparam("values", type_=Text)).table_valued("value")
    array = bindparam("values", type_=ARRAY(Text))
    return Prepared(
        sqlite=statement.where(column.in_(select(values.c.value))),
        postgresql=statement.where(column == any_(array)),
    )


def value_list(connection: Connection, values: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a statement of `prepared_among`."""
    is_sqlite = connection.dialect.name == "sqlite"
    return {"values": json.dumps(values) if is_sqlite else list(values)}
