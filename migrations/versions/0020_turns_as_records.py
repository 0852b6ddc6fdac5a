"""turns as records, their undoing, and turns that replace messages"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("claims", sa.Column("replaced_chat", sa.String(length=64), nullable=True))
    op.create_index(op.f("ix_claims_replaced_chat"), "claims", ["replaced_chat"], unique=True)
    op.add_column("turns", sa.Column("reason", sa.String(length=16), nullable=True))
    op.create_table(
        "undos",
        sa.Column("turn_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_undos")),
    )
    op.create_index(op.f("ix_undos_user_id"), "undos", ["user_id"], unique=False)


def downgrade():
    op.drop_table("undos")
    with op.batch_alter_table("turns", schema=None) as batch_op:
        batch_op.drop_column("reason")
    op.drop_index(op.f("ix_claims_replaced_chat"), table_name="claims")
    with op.batch_alter_table("claims", schema=None) as batch_op:
        batch_op.drop_column("replaced_chat")
