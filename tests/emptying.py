"""Make a database of PostgreSQL as it was after the migrations, faster than by copying it anew."""

from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from tests.postgres import Cluster

LARGEST = 32 << 20  # bytes; a larger one would be slower to read than a new one is
# All that a test may have altered but rows.
STRUCTURE = """
SELECT (SELECT string_agg(concat(c.relname, '.', a.attname, a.atttypid, a.attnotnull), ','
                          ORDER BY c.relname, a.attnum)
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'public'::regnamespace),
       (SELECT count(*) FROM pg_constraint), (SELECT count(*) FROM pg_trigger),
       (SELECT count(*) FROM pg_proc),
       (SELECT count(*) FROM pg_db_role_setting
         WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database())))
"""
TABLES = (
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
)
# A file is made with a table, and has no page before its first row.
WITH_PAGES = f"{TABLES} AND pg_relation_size(oid) > 0"
SIZE = "SELECT pg_database_size(current_database())"
OTHERS = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND pid != pg_backend_pid()
"""
SEQUENCES = "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"


class Template:
    """The migrated database that the tests' databases are copies of."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        with cluster.connect(name) as made:
            self._structure = made.execute(STRUCTURE).fetchone()
            self._rows = {table: _rows(made, table) for (table,) in made.execute(TABLES)}

    def restore(self, url: str) -> bool:
        """Give a copy the template's rows, if the copy is unused and altered in nothing else."""
        try:
            with self._cluster.connect(make_url(url).database) as used:
                if not self._is_restorable(used):
                    return False
                used.execute("SET session_replication_role = replica")  # no foreign keys
                used_tables = used.execute(WITH_PAGES).fetchall()
                used.execute("".join(f'DELETE FROM "{table}";' for (table,) in used_tables))
                for table, rows in self._rows.items():
                    _insert(used, table, rows)
                used.execute(SEQUENCES)
        except psycopg.Error:  # the test has ended the cluster, or somebody holds a lock
            return False
        return True

    def _is_restorable(self, used: psycopg.Connection) -> bool:
        unused, small = used.execute(OTHERS).fetchone()[0] == 0, used.execute(SIZE).fetchone()[0]
        return unused and small < LARGEST and used.execute(STRUCTURE).fetchone() == self._structure


def _rows(made: psycopg.Connection, table: str) -> list[tuple[Any, ...]]:
    return made.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table))).fetchall()


def _insert(used: psycopg.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    for row in rows:
        places = sql.SQL(",").join([sql.Placeholder()] * len(row))
        insert = sql.SQL("INSERT INTO {} VALUES ({})")
        used.execute(insert.format(sql.Identifier(table), places), row)
