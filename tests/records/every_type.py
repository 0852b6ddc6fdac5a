"""A collection with a column of every type."""

from service.records.collection import Collection, Column
from tests.permissions.rule_collections import ACTIONS, OWNER

LONGEST = "n" * 100  # the longest name of a column

COLLECTIONS = (
    Collection(
        "every-type",
        columns=(
            OWNER,
            Column("needed", required=True),
            Column("text", most=50),
            Column(LONGEST),
            *(
                Column(type, type)
                for type in ("number", "integer", "boolean", "datetime", "array", "object")
            ),
        ),
        permissions={"*": dict.fromkeys(ACTIONS, "own")},
    ),
)
