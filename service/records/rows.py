"""Make and fill rows of records, in a collection's own table or in the shared one."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm.attributes import flag_modified

from service.ids import new_id
from service.records.collection import Collection, Values
from service.records.models import Record
from service.times import now, timestamp


def new_row(collection: Collection, owner: str, values: Values) -> Any:
    """Return a new row of the owner, with a new id. It is not in a session yet."""
    moment = now()
    times = {"created_at": moment, "updated_at": moment}
    shared = {"collection": collection.name, "data": {}} if collection.model is Record else {}
    row = collection.model(**{collection.record_id: new_id("rec")}, **shared, **times)
    setattr(row, collection.owner_attribute, owner)
    set_values(collection, row, values)
    return row


def set_values(collection: Collection, row: Any, values: Values) -> None:
    """Write values into columns of the table, or into `data`, where None removes a key."""
    for name, value in values.items():
        column = collection.column(name)
        assert column
        if column.attribute:
            setattr(row, column.attribute, value)
        elif value is None:
            row.data.pop(name, None)
        else:
            row.data[name] = timestamp(value) if isinstance(value, datetime) else value
    if collection.model is Record:
        flag_modified(row, "data")
