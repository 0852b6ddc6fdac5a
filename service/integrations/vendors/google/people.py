"""Contacts: the people in the user's address book.

Source: developers.google.com/people/api/rest/v1/people.connections/list.
"""

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, fields, validate

from service.fields import Text
from service.integrations.call import Call
from service.integrations.catalog import Example, endpoint
from service.integrations.shape import as_object, at, listed, need, objects
from service.integrations.vendors.google.suite import CONTACTS, GOOGLE

CONNECTIONS = "/people/me/connections"
FIELDS = "names,emailAddresses,phoneNumbers,organizations,photos"
ORDERS = (
    "LAST_MODIFIED_ASCENDING",
    "LAST_MODIFIED_DESCENDING",
    "FIRST_NAME_ASCENDING",
    "LAST_NAME_ASCENDING",
)


class Listing(Schema):
    pageSize = fields.Integer(load_default=100, strict=True, validate=validate.Range(1, 1000))
    sortOrder = Text(load_default="LAST_MODIFIED_DESCENDING", validate=validate.OneOf(ORDERS))
    cursor = Text(validate=validate.Length(1, 2000))


BOB = {
    "resourceName": "people/c1",
    "names": [{"displayName": "Bob Brown", "givenName": "Bob", "familyName": "Brown"}],
    "emailAddresses": [{"value": "bob@example.com"}],
    "phoneNumbers": [{"value": "+49 30 1234567"}],
    "organizations": [{"name": "Example GmbH", "title": "Engineer"}],
    "photos": [{"url": "https://lh3.googleusercontent.com/a/default-user"}],
}
LISTED = Example("GET", CONNECTIONS, {"connections": [BOB], "totalItems": 1})


@endpoint(
    "cloudsuite/contacts-list", GOOGLE, Listing(), "suite",
    "https://developers.google.com/people/api/rest/v1/people.connections/list",
    examples=(LISTED,), aliases=("contacts",), reads=True, seconds=30,
    scope="contacts.readonly", accepted=("contacts",),
)  # fmt: skip
def list_contacts(call: Call, cursor: str | None = None, **asked: Any) -> dict[str, Any]:
    """The people in the address book, with their addresses and numbers."""
    query = {**asked, "personFields": FIELDS, "pageToken": cursor}
    found = as_object(call.get(CONNECTIONS, query, CONTACTS))
    return {
        "contacts": [_contact(item) for item in listed(at(found, "connections") or [])],
        "nextCursor": at(found, "nextPageToken"),
        "total": at(found, "totalItems"),
    }


def _contact(item: Any) -> dict[str, Any]:
    name, work = _first(item, "names"), _first(item, "organizations")
    return {
        "id": need(item, "resourceName"),
        "name": name.get("displayName"),
        "givenName": name.get("givenName"),
        "familyName": name.get("familyName"),
        "emails": _values(item, "emailAddresses"),
        "phones": _values(item, "phoneNumbers"),
        "organization": work.get("name"),
        "title": work.get("title"),
        "photoUrl": _first(item, "photos").get("url"),
    }


def _first(item: Any, name: str) -> Mapping[str, Any]:
    return objects(at(item, name) or [{}])[0]


def _values(item: Any, name: str) -> list[str]:
    return [entry["value"] for entry in objects(at(item, name) or []) if "value" in entry]


ENDPOINTS = (list_contacts,)
