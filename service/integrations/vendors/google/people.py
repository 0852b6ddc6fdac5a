"""Contacts: the people in the user's address book.

Source: developers.google.com/people/api/rest/v1/people.connections/list.
"""

from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import get
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Each, Int, Maybe, Shape
from service.integrations.vendors.google.suite import CONTACTS, GOOGLE

FIELDS = "names,emailAddresses,phoneNumbers,organizations,addresses,photos"


def _values(path: str) -> Each:
    """Read the texts of a list. An entry may have none."""
    return Each(path, "value", lambda entry: find(entry, "value") is not None, default=())


ADDRESS = Shape(
    text=Maybe("formattedValue"), city=Maybe("city"), country=Maybe("country"), kind=Maybe("type")
)
CONTACT = Shape(
    id="resourceName", name=Maybe("names.0.displayName"), givenName=Maybe("names.0.givenName"),
    familyName=Maybe("names.0.familyName"), emails=_values("emailAddresses"),
    phones=_values("phoneNumbers"), organization=Maybe("organizations.0.name"),
    title=Maybe("organizations.0.title"), addresses=Each("addresses", ADDRESS, default=()),
    photoUrl=Maybe("photos.0.url"),
)  # fmt: skip


class Contacts(Parameters):
    pageSize = Count("Contacts of a page.", least=1, most=1000, to="query.pageSize", default=100)
    sortOrder = Choice(
        "LAST_MODIFIED_ASCENDING", "LAST_MODIFIED_DESCENDING", "FIRST_NAME_ASCENDING",
        "LAST_NAME_ASCENDING", about="What to sort by.",
        to="query.sortOrder", default="LAST_MODIFIED_DESCENDING",
    )  # fmt: skip
    cursor = Words("The `nextCursor` of the page before.", most=2000, to="query.pageToken")


contacts = Endpoint(
    name="cloudsuite/contacts-list", vendor=GOOGLE, category="suite", aliases=("contacts",),
    summary="The people in the address book, with their addresses and numbers.",
    says=Says(
        "Looking through the address book",
        "Looked through the address book: {contacts:contact}",
    ),
    docs="https://developers.google.com/people/api/rest/v1/people.connections/list",
    scope="contacts.readonly", accepted=("contacts",), access=READ, seconds=30,
    takes=Contacts,
    asks=get("/people/me/connections", base=CONTACTS, query={"personFields": FIELDS}),
    gives=Shape(
        contacts=Each("connections", CONTACT, default=()), nextCursor=Maybe("nextPageToken"),
        total=Maybe(Int("totalItems")),
    ),
    examples=(example(
        {"pageSize": 1, "sortOrder": "LAST_NAME_ASCENDING", "cursor": "GgECCAA"},
        "GET /people/me/connections"
        "?personFields=names%2CemailAddresses%2CphoneNumbers%2Corganizations%2Caddresses"
        "%2Cphotos&pageSize=1&sortOrder=LAST_NAME_ASCENDING&pageToken=GgECCAA",
        {
            "connections": [{
                "resourceName": "people/c1",
                "names": [{"displayName": "Bob Brown", "givenName": "Bob", "familyName": "Brown"}],
                "emailAddresses": [{"value": "bob@example.com"}],
                "phoneNumbers": [{"value": "+49 30 1234567"}],
                "organizations": [{"name": "Example GmbH", "title": "Engineer"}],
                "addresses": [{
                    "formattedValue": "Lindenweg 3\n10115 Berlin\nDE", "type": "home",
                    "streetAddress": "Lindenweg 3", "city": "Berlin", "postalCode": "10115",
                    "country": "DE", "countryCode": "DE",
                }],
                "photos": [{"url": "https://lh3.googleusercontent.com/a/default-user"}],
            }],
            "nextPageToken": "GgEDCAA", "totalItems": 4,
        },
        base=CONTACTS,
    ),),
)  # fmt: skip
