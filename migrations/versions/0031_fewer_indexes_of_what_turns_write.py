"""fewer indexes of what every turn writes

The changes of a record are found by its owner first: those of one turn are then neighbours in the
index. The claims and holds of a lease are few. The index of the outbox by time is needed only by
earlier releases, which may still run or be taken back; a later one drops it.
"""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

NEW = (("outbox", ("owner", "record_id")),)
OLD = (
    ("outbox", ("collection", "record_id")),
    ("claims", ("lease_id",)),
    ("holds", ("lease_id",)),
)


def upgrade():
    _change(NEW, OLD)


def downgrade():
    _change(OLD, NEW)


def _change(added, removed):
    if op.get_bind().dialect.name == "sqlite":
        for table, columns in added:
            op.create_index(op.f(_name(table, columns)), table, list(columns))
        for table, columns in removed:
            op.drop_index(op.f(_name(table, columns)), table_name=table)
        return
    # Not within a transaction, so that turns go on meanwhile. A build that was broken off leaves an
    # index that is not valid.
    with op.get_context().autocommit_block():
        for table, columns in added:
            name = _name(table, columns)
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON {table} ({', '.join(columns)})")
        for table, columns in removed:
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {_name(table, columns)}")


def _name(table, columns):
    return f"ix_{table}_{'_'.join(columns)}"
