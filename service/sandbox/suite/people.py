"""The suite's contacts: the same few people for every account."""

from typing import Any, NamedTuple

from service.sandbox.suite.routes import ApiError, ApiRequest, Route, page

READ = frozenset({"contacts", "contacts.readonly"})
ALWAYS = {"resourceName"}  # included with any `personFields`


class Person(NamedTuple):
    given: str
    family: str
    email: str
    phone: str = ""
    company: str = ""
    title: str = ""
    street: str = ""
    city: str = ""
    country: str = ""


PEOPLE = (
    Person("Cleo", "Marsh", "cleo@example.com", "+44 20 7946 0011", "Marsh & Daughters", "Owner",
           "12 Mill Lane", "London", "United Kingdom"),
    Person("Dani", "Okafor", "dani@example.com", "+49 30 5550112", "Okafor Studio", "Designer",
           "Lindenweg 3", "Berlin", "Germany"),
    Person("Emil", "Åkesson", "emil@example.com", "+46 8 5550113", "Nordic Tools", "Buyer",
           "Kungsgatan 7", "Malmö", "Sweden"),
    Person("Fay", "Lindqvist", "fay@example.com"),
)  # fmt: skip


def connections(request: ApiRequest) -> dict[str, Any]:
    wanted = set(filter(None, request.one("personFields").split(",")))
    if not wanted:
        message = "personFields mask is required. Please specify one or more valid paths."
        raise ApiError(400, "badRequest", message)
    found = [_resource(number, one) for number, one in enumerate(PEOPLE, 1)]
    match request.one("sortOrder"):
        case "LAST_NAME_ASCENDING":
            found.sort(key=lambda person: person["names"][0]["familyName"])
        case "LAST_MODIFIED_DESCENDING":
            found.reverse()
    shown, more = page(request, found, request.number("pageSize", 100, 1000))
    resources = [{name: one[name] for name in one if name in wanted | ALWAYS} for one in shown]
    return {"connections": resources, "totalItems": len(found), **more}


def _resource(number: int, one: Person) -> dict[str, Any]:
    name = {
        "displayName": f"{one.given} {one.family}",
        "givenName": one.given,
        "familyName": one.family,
    }
    person: dict[str, Any] = {
        "resourceName": f"people/c{number}",
        "names": [name],
        "emailAddresses": [{"value": one.email}],
    }
    if one.phone:
        person["phoneNumbers"] = [{"value": one.phone}]
    if one.company:
        person["organizations"] = [{"name": one.company, "title": one.title}]
    if one.city:
        person["addresses"] = [_address(one)]
    return person


def _address(one: Person) -> dict[str, Any]:
    return {
        "formattedValue": f"{one.street}\n{one.city}\n{one.country}",
        "type": "home",
        "streetAddress": one.street,
        "city": one.city,
        "country": one.country,
    }


ROUTES = (Route("GET", "/people/people/me/connections", READ, connections),)
