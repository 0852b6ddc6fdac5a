"""A manifest of a template, for tests to change."""

SLOT = {"id": "place", "direction": "output", "type": "object", "title": "Place"}


MANIFEST = {"name": "Map", "icon": "🗺", "summary": "Shows places.", "slots": [SLOT]}
