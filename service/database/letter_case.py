"""Convert texts of any script to lower case in SQL.

SQLite's own `lower` knows only ASCII, so `sqlite.py` registers a function on each connection.
"""

from typing import Any

from sqlalchemy import String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

SQLITE_FUNCTION = "in_lower_case"


class in_lower_case(GenericFunction[str]):  # noqa: N801 - it is used like func.lower()
    """A text in lower case."""

    type = String()
    inherit_cache = True


@compiles(in_lower_case, "postgresql")
def _postgresql_lower(element: Any, compiler: Any, **options: Any) -> str:
    return f"lower({compiler.process(element.clauses, **options)})"


def lower(text: str | None) -> str | None:
    """Return a text in lower case. SQLite calls this function."""
    return text.lower() if text is not None else None
