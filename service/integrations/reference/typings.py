"""The TypeScript types of all endpoints, service/browser/widgets/endpoints.d.ts.

A type says what a widget sends and gets: `request` is a call's body, `response` the `data` of its
envelope. The client throws where a consent is needed, so the OAuth-required payload is in no type.
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
    """The file, in pieces: the head, one piece for each name, the end."""
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
    """The schema of an answer's `data` without the OAuth-required payload."""
    schema = documents.answer_schema(item)
    return schema["anyOf"][0] if item.scope else schema
