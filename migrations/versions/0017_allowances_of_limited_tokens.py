"""allowances of limited tokens"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "allowances",
        sa.Column("token_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("spent >= 0", name=op.f("ck_allowances_spent_not_negative")),
        sa.CheckConstraint("spent <= amount", name=op.f("ck_allowances_spent_within_amount")),
        sa.PrimaryKeyConstraint("token_id", name=op.f("pk_allowances")),
    )
    op.create_index(op.f("ix_allowances_user_id"), "allowances", ["user_id"], unique=False)
    op.create_index(op.f("ix_allowances_expires_at"), "allowances", ["expires_at"], unique=False)
    with op.batch_alter_table("holds", schema=None) as batch_op:
        batch_op.add_column(sa.Column("token_id", sa.String(length=64), nullable=True))
    with op.batch_alter_table("integration_jobs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("token_id", sa.String(length=64), nullable=True))


def downgrade():
    with op.batch_alter_table("integration_jobs", schema=None) as batch_op:
        batch_op.drop_column("token_id")
    with op.batch_alter_table("holds", schema=None) as batch_op:
        batch_op.drop_column("token_id")
    op.drop_table("allowances")
