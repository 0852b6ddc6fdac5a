"""Write the TypeScript types of all endpoints, service/browser/widgets/endpoints.d.ts.

They are the types that a widget sends and gets: `request` is a call's body, and `response` the
`data` of its envelope. The client throws if a consent is needed, so no type has the OAuth-required
payload.
"""

from collections.abc import Iterator

from service.integrations import documents
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.shape import Json
from service.web.typescript import STEP, comment, quote, type_of

HEAD = """\
// The bodies and the answers of all integration endpoints, by name.
// `flask --app wsgi catalog types` prints this file from the declarations.

/** What a call needs and gives. `get` is true where an endpoint may be called with `get`. */
export interface EndpointTypes {
  get: boolean;
  request: object;
  response: unknown;
}

export interface Endpoints {
"""


def declarations(catalog: Catalog) -> Iterator[str]:
    """Yield the file in pieces: the head, one piece for each name, the end."""
    yield HEAD
    for name, item in sorted(catalog.names.items()):
        if name == item.name:
            yield _endpoint(item)
        else:
            yield f"{STEP}{quote(name)}: Endpoints[{quote(item.name)}];\n"
    yield "}\n"


def _endpoint(item: Endpoint) -> str:
    within = STEP * 2
    fields = [
        f"get: {'true' if item.access.gets else 'false'}",
        f"request: {type_of(documents.body_schema(item), within)}",
        f"response: {type_of(_response(item), within)}",
    ]
    lines = "".join(f"{within}{one};\n" for one in fields)
    return f"{comment(item.summary, STEP)}{STEP}{quote(item.name)}: {{\n{lines}{STEP}}};\n"


def _response(item: Endpoint) -> Json:
    """Return the schema of an answer's `data`, without the OAuth-required payload."""
    schema = documents.answer_schema(item)
    return schema["anyOf"][0] if item.scope else schema
