"""Two collections with which people can try the service."""

from service.records.collection import EVERY_ROLE, Collection, Column, Permissions

OWN: Permissions = {
    EVERY_ROLE: {"read": "own", "create": "own", "update": "own", "delete": "own"},
    "admin": {"read": True, "create": "own", "update": True, "delete": True},
}

NOTES = Collection(
    name="notes",
    columns=(
        Column("userId", required=True, fixed=True),
        Column("title", required=True, least=1, most=200),
        Column("text", most=20_000),
    ),
    permissions=OWN,
)

TASKS = Collection(
    name="tasks",
    columns=(
        Column("userId", required=True, fixed=True),
        Column("title", required=True, least=1, most=200),
        Column("done", "boolean"),
        Column("due", "datetime"),
    ),
    permissions=OWN,
)

COLLECTIONS = (NOTES, TASKS)
