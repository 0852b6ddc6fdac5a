"""An app whose canvases everybody may read, and editors may change."""

from dataclasses import replace

from service.widgets.canvas import CANVASES

OWN = {"read": True, "create": "own", "update": "own", "delete": "own"}

COLLECTIONS = (replace(CANVASES, permissions={"*": OWN, "editor": {"read": True, "update": True}}),)
