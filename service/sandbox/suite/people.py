"""The suite's contacts: the same few people for every account."""

from typing import Any

from service.sandbox.suite.routes import ApiError, ApiRequest, Route, page

READ = frozenset({"contacts", "contacts.readonly"})
PEOPLE = (
    ("Cleo", "Marsh", "cleo@example.com", "+44 20 7946 0011", "Marsh & Daughters", "Owner"),
    ("Dani", "Okafor", "dani@example.com", "+49 30 5550112", "Okafor Studio", "Designer"),
    ("Emil", "Åkesson", "emil@example.com", "+46 8 5550113", "Nordic Tools", "Buyer"),
    ("Fay", "Lindqvist", "fay@example.com", "", "", ""),
)


def connections(asked: ApiRequest) -> dict[str, Any]:
    if not asked.one("personFields"):
        message = "personFields mask is required. Please specify one or more valid paths."
        raise ApiError(400, "badRequest", message)
    found = [_person(number, *facts) for number, facts in enumerate(PEOPLE, 1)]
    match asked.one("sortOrder"):
        case "LAST_NAME_ASCENDING":
            found.sort(key=lambda person: person["names"][0]["familyName"])
        case "LAST_MODIFIED_DESCENDING":
            found.reverse()
    shown, more = page(asked, found, asked.number("pageSize", 100, 1000))
    return {"connections": shown, "totalItems": len(found), **more}


def _person(
    number: int, given: str, family: str, email: str, phone: str, company: str, title: str
) -> dict[str, Any]:
    name = {"displayName": f"{given} {family}", "givenName": given, "familyName": family}
    person: dict[str, Any] = {
        "resourceName": f"people/c{number}",
        "names": [name],
        "emailAddresses": [{"value": email}],
    }
    if phone:
        person["phoneNumbers"] = [{"value": phone}]
    if company:
        person["organizations"] = [{"name": company, "title": title}]
    return person


ROUTES = (Route("GET", "/people/people/me/connections", READ, connections),)
