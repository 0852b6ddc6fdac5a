"""A mistake in the declarations of an extension stops the start, and is named in one line."""

import sys
from types import ModuleType

import pytest
from marshmallow import Schema, fields, post_load

from config import ConfigError
from service.auth.models import User
from service.auth.users import Caller, enrol
from service.chat.collections import BUILT_IN
from service.chat.tools.tool import tool
from service.declarations import declarations
from service.records import creation, store
from service.records.collection import Collection, Column
from service.records.declaration_check import refuse_mistakes
from service.records.store import Query
from service.records.values import validate
from service.web.errors import InvalidRequest
from tests.services import settings_for

OWNER = Column("userId", required=True, fixed=True)
OWN = {"*": {"read": "own", "create": "own"}}
BOOKS = Collection("books", (OWNER, Column("pages", "integer")), OWN)


@pytest.fixture
def start(monkeypatch):
    """Start with an extension of these attributes, and return the collections of the app."""

    def start(**attributes):
        module = ModuleType("bookshelf")
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, "bookshelf", module)
        return declarations(settings_for("sqlite:///unused", extensions="bookshelf")).collections

    return start


def books(*columns, name="books", permissions=OWN, **more):
    return Collection(name, (OWNER, *columns), permissions, **more)


OF_NUMBER = Collection("books", (Column("userId", "integer"),), OWN)
WITH_ATTRIBUTE = Collection("books", (Column("userId", attribute="user_id"),), OWN)
UNOWNED = Collection("books", (Column("readerId", fixed=True),), OWN)
COLUMN = "collection 'books', column 'pages': "
MISTAKES = [
    (books(Column("pages", "int")), COLUMN + "the type must be string, number, integer, boolean"),
    (books(Column("pages", roles="admin")), COLUMN + "roles must be a tuple of roles, not 'admin'"),
    (books(Column("pages"), model=User, owner="recordId"), "collection 'books', column 'userId'"),
    (books(Column("a"), Column("a")), "collection 'books': the column 'a' is declared twice"),
    (books(Column("data")), "collection 'books', column 'data': the name is reserved"),
    (
        books(Column("-pages")),
        "collection 'books', column '-pages': the name must have at most 100",
    ),
    (books(Column("p" * 101)), f"collection 'books', column '{'p' * 101}': the name must have "),
    (books(Column("größe")), "collection 'books', column 'größe': the name must be ASCII"),
    (books(Column('a"b')), "collection 'books', column 'a\"b': the name must be ASCII, without"),
    (books(Column("pages", least=5, most=2)), COLUMN + "least must be at most 2"),
    (
        books(Column("pages", "integer", most=500)),
        COLUMN + "least and most are lengths of a string, not limits of 'integer': use check",
    ),
    (books(Column("pages", required="no")), COLUMN + "required must be True or False, not 'no'"),
    (books(Column("pages", fixed=None)), COLUMN + "fixed must be True or False, not None"),
    (books(Column("pages", least=-1)), COLUMN + "least must be at least 0, not -1"),
    (books(Column("pages", most=None)), COLUMN + "most must be a whole number, not None"),
    (books(Column("pages", "array", least=1)), COLUMN + "least and most are lengths of a string"),
    (books(Column("pages", attribute="title")), COLUMN + "attribute is for a model"),
    (books(group="shelf"), "collection 'books': Record has no attribute 'shelf'"),
    (books(record_id="isbn"), "collection 'books': record_id is for a model of its own"),
    (books(owner="recordId"), "collection 'books': the owner can be 'recordId' only with a model"),
    (books(model=object), "collection 'books', column 'userId': object has no attribute 'owner'"),
    (OF_NUMBER, "collection 'books', column 'userId': the owner's type must be string"),
    (WITH_ATTRIBUTE, "collection 'books', column 'userId': attribute is for a model"),
    (books(Column("pages", check="even")), COLUMN + "check must be a function of the value"),
    (books(owner="reader"), "collection 'books': no column is named 'reader'"),
    (UNOWNED, "collection 'books': no column is named 'userId', which is the owner's unless"),
    (books(name="My Books/x"), "collection 'My Books/x': the name must be 1 to 100 characters"),
    (books(name="socket"), "collection 'socket': the name is reserved for a route"),
    (books(permissions=["*"]), "collection 'books': permissions must be a dict by role"),
    (books(permissions={"*": "own"}), "collection 'books', role '*': the rules must be a dict by "),
    (books(open_to="chat"), "collection 'books': open_to must be a tuple of calls or chat"),
    (books(open_to=(["chat"],)), "collection 'books': open_to must be a tuple of calls or chat"),
]


@pytest.mark.parametrize(("collection", "text"), MISTAKES)
def test_a_wrong_declaration_of_a_collection_is_refused_with_its_place(start, collection, text):
    with pytest.raises(ConfigError) as raised:
        start(COLLECTIONS=(collection,))
    assert str(raised.value).startswith(f"EXTENSIONS: bookshelf: {text}")


@pytest.mark.parametrize("name", ["_drafts", "größe", "my books", "crm:contacts"])
def test_a_name_that_a_path_can_have_is_taken(start, name):
    column = Column("pages", "integer", roles=frozenset({"admin"}))
    rules = {"admin": {"read": True, "delete": None}}
    assert start(COLLECTIONS=(books(column, name=name, permissions=rules),)).get(name)


@pytest.mark.parametrize("wrong", ["owner", "Own", "no", 1])
def test_a_rule_is_true_false_or_own(start, wrong):
    text = f"role 'admin': the rule of 'read' must be True, False or 'own', not {wrong!r}$"
    with pytest.raises(ConfigError, match=text):
        start(COLLECTIONS=(books(permissions={"admin": {"read": wrong}}),))


def test_an_action_is_one_of_four(start):
    text = r"role '\*': the action must be read, create, update or delete, not 'reed'$"
    with pytest.raises(ConfigError, match=text):
        start(COLLECTIONS=(books(permissions={"*": {"reed": "own"}}),))


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({"COLLECTION": (BOOKS,)}, "COLLECTION is no name of a declaration: is COLLECTIONS meant?"),
        ({"COLLECTIONS": BOOKS}, "COLLECTIONS must be a tuple of Collection, not one Collection"),
        ({"TOOLS": (print,)}, "TOOLS must be a tuple of Tool, without <built-in function print>"),
        ({"TEMPLATES": "widgets"}, "TEMPLATES must be a tuple of Path or str, not one str"),
    ],
)
def test_a_module_that_declares_in_another_form_is_refused(start, attributes, text):
    with pytest.raises(ConfigError) as raised:
        start(**attributes)
    assert str(raised.value).startswith(f"EXTENSIONS: bookshelf: {text}")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("from service.times import tomorrow", "cannot import name 'tomorrow' from"),
        ("COLLECTIONS = (BOOKS,)", "name 'BOOKS' is not defined"),
        ("from os import environ; environ['SHELF_KEY']", "KeyError('SHELF_KEY')"),
        ("open('/no/such/shelf')", "[Errno 2] No such file or directory: '/no/such/shelf'"),
        ("from flask import current_app; current_app.name", "Working outside of application con"),
        ("shelves = 4 / 0", "division by zero"),
        ("assert 1 > 2", "AssertionError()"),
        ("import re; re.compile('[a-')", "unterminated character set at position 0"),
        ("tool('shelf.sort')(print)", "tool() missing"),
        ("tool('shelf.sort', Nothing(), reads=True)(lambda context: 1)", "tool shelf.sort has no"),
    ],
)
def test_a_module_that_fails_is_refused_with_the_line(tmp_path, monkeypatch, line, text):
    known = (
        "from service.chat.tools.lookups import Nothing\nfrom service.chat.tools.tool import tool"
    )
    (tmp_path / "leaning_shelf.py").write_text(f"{known}\n{line}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError) as raised:
        declarations(settings_for("sqlite:///unused", extensions="leaning_shelf"))
    place = "EXTENSIONS: leaning_shelf can't be imported (leaning_shelf.py, line 3: "
    assert str(raised.value).startswith(place + text)
    assert len(str(raised.value).splitlines()) == 1


def test_a_module_that_is_no_python_is_refused_with_the_line(tmp_path, monkeypatch):
    (tmp_path / "broken_shelf.py").write_text("COLLECTIONS = (\n")
    monkeypatch.syspath_prepend(tmp_path)
    text = (
        r"^EXTENSIONS: broken_shelf can't be imported \('\(' was .*\(broken_shelf.py, line 1\)\)$"
    )
    with pytest.raises(ConfigError, match=text):
        declarations(settings_for("sqlite:///unused", extensions="broken_shelf"))


def test_a_check_answers_with_a_list_of_sentences():
    """A text or a flag was the caller's `details`, and False let every value pass."""

    def answered(answer):
        shelf = books(Column("pages", "integer", check=lambda pages: answer))
        return validate(shelf, "user", {"pages": 1}, new=True)

    for answer in ("Must be even.", True, False, [1]):
        with pytest.raises(TypeError, match="^the check of the column 'pages' must return"):
            answered(answer)
    assert answered([]) == answered(()) == answered(None) == {"pages": 1}
    for answer in (["Must be even."], ("Must be even.",)):
        with pytest.raises(InvalidRequest) as refused:
            answered(answer)
        assert refused.value.facts["details"] == {"pages": ["Must be even."]}


class Sorting(Schema):
    by = fields.String(required=True)
    down = fields.Boolean()


class Whole(Sorting):
    @post_load
    def whole(self, data, **_):
        return {"sorting": data}


def takes_all(context, by, down=False):
    """Sort."""


def takes_less(context, by):
    """Sort."""


def takes_more(context, by, down, shelf):
    """Sort."""


def takes_always(context, by, down):
    """Sort."""


async def takes_later(context, by, down=False):
    """Sort."""


def takes_whole(context, sorting):
    """Sort."""


@pytest.mark.parametrize(
    ("schema", "execute", "text"),
    [
        (Sorting, takes_all, "the schema must be an instance of Schema, not <class"),
        (Sorting(), takes_less, "the function .* got an unexpected keyword argument 'down'$"),
        (Sorting(), takes_more, "the function .* missing a required argument: 'shelf'$"),
        (Sorting(), takes_always, "the function .* missing a required argument: 'down'$"),
        (Sorting(), takes_later, "the function must be a plain one, not `async`$"),
    ],
)
def test_a_tool_whose_function_takes_other_parameters_is_refused(schema, execute, text):
    with pytest.raises(ValueError, match=f"^tool shelf.sort: {text}"):
        tool("shelf.sort", schema, reads=True)(execute)


@pytest.mark.parametrize("name", ["", "sort the shelf", "shelf/sort", "s" * 129, 5, takes_all])
def test_a_tool_has_a_name_that_settings_and_the_journal_can_have(name):
    with pytest.raises(ValueError, match="^tool .*: the name must be a text of 1 to 128 letters"):
        tool(name, Sorting(), reads=True)(takes_all)


@pytest.mark.parametrize(("schema", "execute"), [(Sorting(), takes_all), (Whole(), takes_whole)])
def test_a_tool_whose_function_takes_its_input_is_made(schema, execute):
    assert tool("shelf.sort", schema, reads=True)(execute).schema is schema


def test_a_collection_is_declared_once(start):
    assert start(COLLECTIONS=[BOOKS]).get("books") is BOOKS
    with pytest.raises(ConfigError, match="^EXTENSIONS: collection 'books' is declared twice"):
        start(COLLECTIONS=(BOOKS, BOOKS))


def test_a_collection_of_the_app_takes_the_place_of_the_sandboxs(monkeypatch):
    module = ModuleType("bookshelf")
    module.COLLECTIONS = (books(name="tasks"),)
    monkeypatch.setitem(sys.modules, "bookshelf", module)
    settings = settings_for("sqlite:///unused", extensions="bookshelf", sandbox=True)
    found = declarations(settings).collections
    assert found.get("tasks") is module.COLLECTIONS[0]
    assert found.get("notes")


def test_any_name_that_is_taken_can_be_filtered_and_sorted_by(app):
    caller = Caller("alice", "user")
    with app.app_context():
        enrol("alice")
        for name in ("due-date", "with space", "a.b", "it's", "%(x)s", "x[0]", "$", "0"):
            shelf = Collection("shelf", (OWNER, Column(name), Column("n", "integer")), OWN)
            refuse_mistakes(shelf)
            stored = [creation.create(shelf, caller, {name: value}) for value in ("b", "a")]
            query = Query(where={name: {"gte": "a"}}, sort=name)
            assert store.find(shelf, caller, query)["records"] == stored[::-1], name


def test_our_own_collections_have_no_mistakes():
    for collection in BUILT_IN:
        refuse_mistakes(collection)
