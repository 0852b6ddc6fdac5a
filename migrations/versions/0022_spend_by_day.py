"""an index of an account's entries by time"""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

NAME = "ix_entries_account_created_at"


def upgrade():
    if op.get_bind().dialect.name == "sqlite":
        op.create_index(op.f(NAME), "entries", ["account", "created_at"], unique=False)
        return
    # Not within a transaction, so that charges are written meanwhile. A build that was broken off
    # leaves an index that is not valid.
    with op.get_context().autocommit_block():
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}")
        op.execute(f"CREATE INDEX CONCURRENTLY {NAME} ON entries (account, created_at)")


def downgrade():
    op.drop_index(op.f(NAME), table_name="entries")
