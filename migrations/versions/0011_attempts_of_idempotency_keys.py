"""attempts of idempotency keys, charges of jobs"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade():
    with op.batch_alter_table("idempotency_keys", schema=None) as batch_op:
        batch_op.add_column(sa.Column("holder", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("held_until", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("left_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.create_index(batch_op.f("ix_idempotency_keys_holder"), ["holder"], unique=False)
    with op.batch_alter_table("integration_jobs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("payer", sa.String(length=255), nullable=True))
        batch_op.add_column(sa.Column("charged", sa.BigInteger(), nullable=True))
        batch_op.create_index(batch_op.f("ix_integration_jobs_ends_at"), ["ends_at"], unique=False)


def downgrade():
    with op.batch_alter_table("integration_jobs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_integration_jobs_ends_at"))
        batch_op.drop_column("charged")
        batch_op.drop_column("payer")
    with op.batch_alter_table("idempotency_keys", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_idempotency_keys_holder"))
        batch_op.drop_column("left_at")
        batch_op.drop_column("held_until")
        batch_op.drop_column("holder")
