"""What the database holds after a load: its rows, read past the service."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import psycopg
from psycopg.rows import dict_row

Row = dict[str, Any]
ORDER = {"outbox": "xid, seq", "accounts": "subject", "claims": "turn_id"}
TABLES = (
    "accounts", "chats", "claims", "entries", "holds", "idempotency_keys", "integration_calls",
    "journal", "messages", "outbox", "published_chunks", "records", "turns",
)  # fmt: skip


@dataclass
class Stored:
    """The rows of each table, in their order."""

    tables: dict[str, list[Row]]
    expired: int  # open holds past their expiry

    def __getitem__(self, table: str) -> list[Row]:
        return self.tables[table]

    def by(self, table: str, column: str) -> dict[Any, list[Row]]:
        grouped: dict[Any, list[Row]] = defaultdict(list)
        for row in self[table]:
            grouped[row[column]].append(row)
        return grouped

    @cached_property
    def changes(self) -> dict[str, list[Row]]:
        """The changes of notes by their owner, in the order of the feed."""
        grouped: dict[str, list[Row]] = defaultdict(list)
        for row in self["outbox"]:
            if row["collection"] == "notes":
                grouped[row["owner"]].append(row)
        return grouped

    @cached_property
    def titles(self) -> dict[str, list[Row]]:
        """Notes by their title."""
        grouped: dict[str, list[Row]] = defaultdict(list)
        for row in self["records"]:
            grouped[row["data"]["title"]].append(row)
        return grouped


def read(url: str) -> Stored:
    address = url.replace("postgresql+psycopg", "postgresql")
    with psycopg.connect(address, row_factory=dict_row) as connection:
        tables = {
            name: connection.execute(
                f"SELECT * FROM {name} ORDER BY {ORDER.get(name, 'seq')}"
            ).fetchall()
            for name in TABLES
        }
        late = "SELECT count(*) AS n FROM holds WHERE state = 'open' AND expires_at < now()"
        return Stored(tables, connection.execute(late).fetchone()["n"])
