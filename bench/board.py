"""A collection that everybody reads and writes, so that one write reaches every subscriber."""

from service.records.collection import Collection, Column

BOARD = Collection(
    name="board",
    columns=(Column("userId", required=True, fixed=True), Column("text", required=True)),
    permissions={"*": {"read": True, "create": True, "update": True, "delete": True}},
)

COLLECTIONS = (BOARD,)
