"""The office suite's answers where a request asks for a part, an order or a form of them."""

from datetime import UTC, datetime, timedelta

import pytest

from service.sandbox.suite import calendar, people
from service.sandbox.suite.client import ACCOUNTS
from service.sandbox.suite.file_lists import FOLDER, list_matching
from service.sandbox.suite.masks import apply_mask
from service.sandbox.suite.models import SuiteFile
from service.sandbox.suite.routes import ApiError, ApiRequest


def request(**query):
    listed_query = {name: [value] for name, value in query.items()}
    return ApiRequest(ACCOUNTS["ada"], frozenset(), {}, listed_query, b"", "")


FILE = {"id": "1", "name": "a", "owners": [{"email": "x", "name": "y"}]}
FILES = {"kind": "files", "files": [FILE], "next": "2"}


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ("next", {"next": "2"}),
        ("next,files(id,name)", {"next": "2", "files": [{"id": "1", "name": "a"}]}),
        ("files(owners(email),id)", {"files": [{"owners": [{"email": "x"}], "id": "1"}]}),
        ("files/owners/name,next", {"files": [{"owners": [{"name": "y"}]}], "next": "2"}),
        ("files(owners/name,id)", {"files": [{"owners": [{"name": "y"}], "id": "1"}]}),
        ("files(id),files(name)", {"files": [{"id": "1", "name": "a"}]}),
        ("files", {"files": [FILE]}),
        ("*", FILES),
        ("files(*)", {"files": [FILE]}),
        ("unknown,files(unknown)", {"files": [{}]}),
    ],
)
def test_a_mask_takes_what_it_names(fields, part):
    assert apply_mask(FILES, fields) == part


@pytest.mark.parametrize("fields", ["files(id", "files)id", "files(id))"])
def test_a_mask_without_pairs_of_parentheses_is_refused(fields):
    with pytest.raises(ApiError, match="Invalid field selection") as refused:
        apply_mask(FILES, fields)
    assert refused.value.status == 400


def file(name, days, mime_type="text/plain", content=b""):
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    changed = moment + timedelta(days=days)
    row = SuiteFile(name=name, mime_type=mime_type, content=content, trashed=False, parents=["p"])
    row.created_at, row.modified_at = moment - timedelta(days=days), changed
    return row


STORED = [
    file("b12", 3, content=b"x"),
    file("B2", 1, content=b"xyz"),
    file("a", 2, mime_type=FOLDER, content=None),
]


@pytest.mark.parametrize(
    ("orders", "names"),
    [
        ("", ["b12", "B2", "a"]),
        ("name", ["a", "b12", "B2"]),
        ("name desc", ["B2", "b12", "a"]),
        ("name_natural", ["a", "B2", "b12"]),
        ("modifiedTime", ["B2", "a", "b12"]),
        ("createdTime", ["b12", "a", "B2"]),
        ("quotaBytesUsed desc", ["B2", "b12", "a"]),
        ("folder,modifiedTime desc", ["a", "b12", "B2"]),
        ("starred,name", ["a", "b12", "B2"]),
    ],
)
def test_files_are_in_the_order_that_is_asked_for(orders, names):
    assert [one.name for one in list_matching(STORED, "", orders)] == names


@pytest.mark.parametrize("orders", ["color", "name down", "name,"])
def test_an_order_that_drive_does_not_know_is_refused(orders):
    with pytest.raises(ApiError, match="Invalid sort key"):
        list_matching(STORED, "", orders)


def test_a_search_for_the_word_parents_is_none_for_a_folder():
    letter = file("letter", 1, content=b"Dear parents,")
    assert list_matching([letter, *STORED], "fullText contains 'parents'", "") == [letter]
    assert list_matching([letter, *STORED], "trashed = false and 'q' in parents", "") == []
    assert len(list_matching(STORED, "'p' in parents", "")) == 3


def test_people_have_what_their_mask_names():
    person = people.connections(request(personFields="names,emailAddresses"))["connections"][0]
    assert set(person) == {"resourceName", "names", "emailAddresses"}
    with pytest.raises(ApiError, match="personFields"):
        people.connections(request(personFields=","))


HOLIDAY = {"start": {"date": "2030-07-01"}, "end": {"date": "2030-07-02"}}
LOCAL = {
    side: {"dateTime": f"2030-07-01T{hour}:00:00", "timeZone": "Asia/Tokyo"}
    for side, hour in (("start", "09"), ("end", "10"))
}


def test_times_are_told_in_the_zone_that_is_asked_for():
    told = calendar._in_zone(LOCAL, "Europe/Berlin")
    assert told["start"] == {"dateTime": "2030-07-01T02:00:00+02:00", "timeZone": "Asia/Tokyo"}
    assert told["end"]["dateTime"] == "2030-07-01T03:00:00+02:00"
    assert calendar._in_zone(HOLIDAY, "Europe/Berlin") == HOLIDAY
    for name in ("Europe", "Nowhere/Land", "/etc/passwd"):
        with pytest.raises(ApiError, match="Invalid time zone"):
            calendar._in_zone(HOLIDAY, name)
