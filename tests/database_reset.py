"""Reset a PostgreSQL database to its state after the migrations, faster than by a new copy."""

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from tests.postgres import Cluster

LARGEST = 32 << 20  # bytes; a larger one would be slower to read than a new one is
# What is compared of each catalogue: how many rows our objects have there, and which transaction
# was the last to change one of them. Both are the same in a copy. Our oids begin at `OURS`.
CATALOGUES = {"pg_class": "oid", "pg_attribute": "attrelid"}
CATALOGUES |= dict.fromkeys(("pg_constraint", "pg_trigger", "pg_proc"), "oid")
OURS = 16384
STRUCTURE = ",".join(
    f"(SELECT row(count(*), max(xmin::text::bigint))::text FROM {name} WHERE {oid} >= {OURS})"
    for name, oid in CATALOGUES.items()
)
# Who else uses it, its size, and all that a test may have altered but rows.
STATE = f"""
SELECT (SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND pid != pg_backend_pid()),
       pg_database_size(current_database()),
       {STRUCTURE},
       (SELECT count(*) FROM pg_db_role_setting
         WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database())))
"""
TABLES = (
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
)
# A file is made with a table, and has no page before its first row.
WITH_PAGES = f"{TABLES} AND pg_relation_size(oid) > 0"
WITHOUT_FOREIGN_KEYS = "SET session_replication_role = replica;"
SEQUENCES = "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"


class Template:
    """The migrated database that the tests' databases are copies of."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        with cluster.connect(name) as made:
            _others, _size, *self._structure = made.execute(STATE).fetchone()
            rows = [_inserted(made, table) for (table,) in made.execute(TABLES).fetchall()]
        self._rows = "".join(rows) + SEQUENCES

    def restore(self, url: str) -> bool:
        """Give a copy the template's rows, if the copy is unused and altered in nothing else."""
        try:
            with self._cluster.connect(make_url(url).database) as used:
                if not self._is_restorable(used):
                    return False
                used_tables = used.execute(WITH_PAGES).fetchall()
                empty = "".join(f'DELETE FROM "{table}";' for (table,) in used_tables)
                used.execute(WITHOUT_FOREIGN_KEYS + empty + self._rows)
        except psycopg.Error:  # the test has ended the cluster, or somebody holds a lock
            return False
        return True

    def _is_restorable(self, used: psycopg.Connection) -> bool:
        others, size, *structure = used.execute(STATE).fetchone()
        return others == 0 and size < LARGEST and structure == self._structure


def _inserted(made: psycopg.Connection, table: str) -> str:
    """Statements that insert the table's rows."""
    rows = made.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table))).fetchall()
    insert = sql.SQL("INSERT INTO {} VALUES ({});")
    values = [sql.SQL(",").join(map(sql.Literal, row)) for row in rows]
    return "".join(insert.format(sql.Identifier(table), row).as_string(made) for row in values)
