"""SQLite: the words of a message may leave the search index before the message is deleted

FTS5 divides a deleted text into words once more, which took seconds for a large chat within one
transaction. `search_unindexed` has the messages whose words are out already.
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

INDEXED = "NOT EXISTS (SELECT 1 FROM search_unindexed WHERE seq = old.seq)"
FORGET_MARK = " DELETE FROM search_unindexed WHERE seq = old.seq;"


def upgrade():
    if op.get_bind().dialect.name != "sqlite":
        return
    op.create_table(
        "search_unindexed",
        sa.Column("seq", sa.Integer(), primary_key=True),
        sa.Column("since", sa.DateTime(), nullable=False),
    )
    _make_triggers(f" SELECT 'delete', old.seq, old.content WHERE {INDEXED};{FORGET_MARK}")


def downgrade():
    if op.get_bind().dialect.name != "sqlite":
        return
    op.execute(
        "INSERT INTO search_messages (rowid, content) SELECT seq, content FROM messages"
        " WHERE seq IN (SELECT seq FROM search_unindexed)"
    )
    _make_triggers(" VALUES ('delete', old.seq, old.content);")
    op.drop_table("search_unindexed")


def _make_triggers(words):
    """`words` takes the old words out. All else is as in migration 0025."""
    triggers = _stored_triggers()
    for name in ("search_messages_delete", "search_messages_update"):
        head, _, rest = triggers[name].partition(" INSERT INTO search_messages (search_messages, ")
        tail = rest.partition(" UPDATE search_state")[2]
        op.execute(f"DROP TRIGGER {name}")
        op.execute(
            f"{head} INSERT INTO search_messages (search_messages, rowid, content){words}"
            f" UPDATE search_state{tail}"
        )


def _stored_triggers():
    rows = sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    return dict(op.get_bind().execute(rows).all())
