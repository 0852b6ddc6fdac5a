"""Whether the OpenAPI document describes an answer that has come."""

from typing import Any

from flask.testing import FlaskClient


def is_described(client: FlaskClient, method: str, path: str, answer: Any) -> bool:
    """Return whether the operation has the answer's status, with a schema for its code."""
    document = client.get("/openapi.json").json
    assert document
    response = document["paths"][path][method]["responses"].get(str(answer.status_code))
    if response is None:
        return False
    schema = response["content"]["application/json"]["schema"]
    names = [one["$ref"].rpartition("/")[2] for one in schema.get("anyOf", [schema])]
    schemas = document["components"]["schemas"]
    codes = [schemas[name]["properties"]["error"].get("const") for name in names]
    return answer.json["error"] in codes
