"""search over chats, pinned chats, and when a chat was last used

SQLite has a full-text index (FTS5) of each text, which triggers keep: whatever release writes,
the index follows. `detail=none` stores no positions, which nothing asks for. FTS5 takes a whole
run of Chinese or Japanese for one word, so rows with letters of scripts without case are listed,
and searched by reading them. PostgreSQL has an index of an expression, so it needs neither a
trigger nor a longer row.
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

TEXTS = (("messages", "content"), ("chats", "title"))

# Scripts with upper and lower case, whose words stand between blanks: Latin, Greek, Cyrillic and
# Armenian, without the signs among them, at which FTS5 divides words.
# `service/chat/finding/terms.py` has the same letters.
WORD = (
    "0-9A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u024f\u0250-\u0293"
    "\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u0386\u0388-\u03f5\u03f7-\u03ff\u0400-\u0481"
    "\u048a-\u052f\u0531-\u0556\u0561-\u0587\u1e00-\u1fbc\u1fbe\u1fc2-\u1fcc\u1fd0-\u1fdc\u1fe0-\u1fec"
    "\u1ff2-\u1ffc"
)
# Letters of other scripts: Hebrew to Georgian, Hangul to Mongolian, Chinese, Japanese, Korean.
CASELESS = "*[\u05d0-\u10ff\u1100-\u1cff\u2e80-\ua4cf\ua800-\uab2f\uabc0-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufeff\uff66-\uffdc\U00010000-\U0001cfff\U00020000-\U0003ffff]*"

# In a language that the planner can't look into, and with a cost: it must not read every row of a
# user when the index knows better. The owner is a lexeme too, so that the index finds the
# messages of one user among those of all.
WORDS = f"""
CREATE OR REPLACE FUNCTION search_words(owner text, content text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000
SET search_path = pg_catalog AS $body$
BEGIN
  RETURN to_tsvector('simple', regexp_replace(lower(left(content, 100000)), '[^{WORD}]+', ' ', 'g'))
    || array_to_tsvector(ARRAY['@' || owner]);
END
$body$
"""


def upgrade():
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for added in (
        sa.Column("pinned", sa.Boolean(), nullable=True),
        sa.Column("active_at", sa.DateTime(timezone=True), nullable=True),
    ):
        # On PostgreSQL a build of the index that was broken off leaves the columns.
        op.add_column("chats", added, if_not_exists=None if is_sqlite else True)
    if is_sqlite:
        _index_by_triggers()
    else:
        _index_by_expression()


def _index_by_triggers():
    op.create_table(
        "search_state",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("deletions", sa.Integer(), nullable=False),
    )
    op.execute("INSERT INTO search_state (id, deletions) VALUES (1, 0)")
    for table, column in TEXTS:
        index, caseless = f"search_{table}", f"search_caseless_{table}"
        op.create_table(caseless, sa.Column("seq", sa.Integer(), primary_key=True))
        op.execute(
            f"CREATE VIRTUAL TABLE {index} USING fts5({column}, content='{table}',"
            " content_rowid='seq', detail='none', columnsize=0,"
            " tokenize=\"unicode61 remove_diacritics 0 categories 'Lu Ll Lt Lm Mn Nd'\")"
        )
        add = (
            f"INSERT INTO {index} (rowid, {column}) VALUES (new.seq, new.{column});"
            f" INSERT INTO {caseless} (seq) SELECT new.seq WHERE {_has_caseless(f'new.{column}')};"
        )
        drop = (
            f"DELETE FROM {caseless} WHERE seq = old.seq;"
            f" INSERT INTO {index} ({index}, rowid, {column})"
            f" VALUES ('delete', old.seq, old.{column});"
            " UPDATE search_state SET deletions = deletions + 1;"
        )
        _trigger(f"{index}_insert", f"AFTER INSERT ON {table}", add)
        _trigger(f"{index}_delete", f"AFTER DELETE ON {table}", drop)
        changed = f"WHEN old.{column} IS NOT new.{column} OR old.seq IS NOT new.seq"
        _trigger(f"{index}_update", f"AFTER UPDATE ON {table} FOR EACH ROW {changed}", drop + add)
        op.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
        listed = f"SELECT seq FROM {table} WHERE {_has_caseless(column)}"
        op.execute(f"INSERT INTO {caseless} (seq) {listed}")


def _has_caseless(text):
    """GLOB takes 0.4 µs a character: a text in ASCII is known by its length, and of a long one the
    beginning is read, as on PostgreSQL."""
    is_longer = f"length(CAST({text} AS BLOB)) > length({text})"
    return f"CASE WHEN {is_longer} THEN substr({text}, 1, 100000) GLOB '{CASELESS}' ELSE 0 END"


def _trigger(name, event, statements):
    op.execute(f"CREATE TRIGGER {name} {event} BEGIN {statements} END")


def _index_by_expression():
    op.execute(WORDS)
    # Not within a transaction, so that messages are written meanwhile. A build that was broken off
    # leaves an index that is not valid.
    with op.get_context().autocommit_block():
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS search_messages_words")
        op.execute(
            "CREATE INDEX CONCURRENTLY search_messages_words ON messages"
            " USING gin (search_words(user_id, content))"
        )


def downgrade():
    if op.get_bind().dialect.name == "sqlite":
        for table, _ in TEXTS:
            for event in ("insert", "delete", "update"):
                op.execute(f"DROP TRIGGER search_{table}_{event}")
            op.execute(f"DROP TABLE search_{table}")
            op.drop_table(f"search_caseless_{table}")
        op.drop_table("search_state")
    else:
        op.execute("DROP INDEX search_messages_words")
        op.execute("DROP FUNCTION search_words(text, text)")
    with op.batch_alter_table("chats") as chats:
        chats.drop_column("active_at")
        chats.drop_column("pinned")
