"""An extension with a bug: one operator of filters fails where changes are matched."""

from service.records import match
from service.records.collection import Collection, Column
from tests.permissions.rule_collections import ACTIONS, OWNER


def fail(value: object, operand: object) -> bool:
    raise ZeroDivisionError


match.OPERATORS["startsWith"] = fail


COLLECTIONS = (
    Collection(
        "shelf",
        columns=(OWNER, Column("title"), Column("grade", roles=["admin"])),
        permissions={"*": dict.fromkeys(ACTIONS, "own"), "admin": dict.fromkeys(ACTIONS, True)},
    ),
)
