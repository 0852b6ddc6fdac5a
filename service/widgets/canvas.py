"""The collection of canvases.

Earlier versions stored a canvas as `name` and `state`. Such a row stays unchanged: both are
read-only columns, which can still be read and used in filters. A client shows `name` if there is no
`title`. An update may give such a row a title, widgets and connections.

An app may declare `canvases` again, with other permissions.
Source: docs/contract.md, sections 0.6, 7.1 and 12.
"""

from collections.abc import Iterable

from service.records.collection import EVERY_ROLE, Collection, Column
from service.widgets.canvas_shape import wrong_io, wrong_widgets

TITLE_LIMIT = 200

CANVASES = Collection(
    name="canvases",
    columns=(
        Column("userId", required=True, fixed=True),
        Column("title", required=True, least=1, most=TITLE_LIMIT),
        Column("widgets", "array", check=wrong_widgets),
        Column("io", "object", check=wrong_io),
        Column("name", fixed=True),
        Column("state", "object", fixed=True),
    ),
    permissions={
        EVERY_ROLE: {"read": "own", "create": "own", "update": "own", "delete": "own"},
    },
)


def with_canvases(declared: Iterable[Collection]) -> list[Collection]:
    """Return the declared collections, with ours unless one of them replaces it.

    Raises ValueError if the replacement lacks one of our columns, whose checks are always needed.
    """
    collections = list(declared)
    instead = [one for one in collections if one.name == CANVASES.name]
    if not instead:
        return [CANVASES, *collections]
    if not all(column in instead[0].columns for column in CANVASES.columns):
        raise ValueError("collection 'canvases' lacks columns of service.widgets.canvas.CANVASES")
    return collections
