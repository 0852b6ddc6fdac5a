"""All collections of the app under test."""

from service.activity.calls import INTEGRATION_CALLS
from service.chat.collections import BUILT_IN
from service.sandbox.collections import COLLECTIONS as SANDBOX
from service.widgets.canvas import CANVASES
from tests.permissions import rule_collections

OURS = (*BUILT_IN, INTEGRATION_CALLS, CANVASES, *SANDBOX)


COLLECTIONS = {c.name: c for c in (*OURS, *rule_collections.COLLECTIONS)}


TITLES = {"ai-messages": "content", "canvases": "title", "users": "name"}


def title_of(collection: str) -> str:
    """The column that a test writes."""
    return TITLES.get(collection, "title")
