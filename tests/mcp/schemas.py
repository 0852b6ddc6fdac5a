"""JSON Schemas of tools, taken apart."""


def references(value) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [one for item in value.values() for one in references(item)]
    return [one for item in value for one in references(item)] if isinstance(value, list) else []
