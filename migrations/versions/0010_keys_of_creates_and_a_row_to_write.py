"""idempotency keys of creates, and a row for the readiness check to write"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "create_keys",
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("collection", sa.String(length=100), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("data_hash", sa.String(length=64), nullable=False),
        sa.Column("record_id", sa.String(length=255), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "collection", "key", name=op.f("pk_create_keys")),
    )
    with op.batch_alter_table("create_keys", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_create_keys_expires_at"), ["expires_at"], unique=False)

    op.create_table(
        "probes",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_probes")),
    )
    op.bulk_insert(sa.table("probes", sa.column("id")), [{"id": 1}])


def downgrade():
    op.drop_table("probes")
    op.drop_table("create_keys")
