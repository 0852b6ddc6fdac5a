"""The TypeScript types of collections."""

import pytest

from service.records.collection import Collection, Column
from service.records.typings import declarations

ACTIONS = ("read", "create", "update", "delete")
OWNER = Column("userId", attribute="owner", fixed=True)
SHELVES = Collection(
    "book-shelves",
    columns=(
        OWNER,
        Column("title", required=True),
        Column("bought", "datetime"),
        Column("books", "array"),
        Column("grade", "integer", required=True, roles=("admin",)),
        Column("count", "integer", required=True, fixed=True),
    ),
    permissions={"*": dict.fromkeys(ACTIONS, "own")},
)
TYPES = """
  'book-shelves': {
    data: {
      userId: string;
      title: string;
      bought?: string;
      books?: unknown[];
      grade?: number;
      count: number;
    };
    create: { title: string; bought?: string | null; books?: unknown[] | null; grade?: number };
    update: { title?: string; bought?: string | null; books?: unknown[] | null; grade?: number };
  };
"""


def test_a_collection_has_types_to_read_and_to_write():
    assert TYPES in "".join(declarations([SHELVES]))


@pytest.mark.parametrize(
    ("columns", "permissions", "create", "update"),
    [
        ((OWNER,), {"admin": {"create": True, "update": True}}, "Record<string, never>", "same"),
        ((OWNER, Column("a")), {"*": {"read": True}}, "never", "never"),
        ((OWNER, Column("a")), {"*": {"create": "own", "update": False}}, "{ a?: ", "never"),
    ],
)
def test_what_no_role_may_write_has_no_type(columns, permissions, create, update):
    text = "".join(declarations([Collection("one", columns, permissions)]))
    assert f"\n    create: {create}" in text
    assert f"\n    update: {create if update == 'same' else update}" in text


def test_collections_stand_in_the_order_of_their_names():
    named = [Collection(name, (OWNER,), {}) for name in ("b", "a", "c")]
    text = "".join(declarations(named))
    assert text.index("'a'") < text.index("'b'") < text.index("'c'")
