"""used states of calls that waited for a consent"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "used_states",
        sa.Column("call_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("call_id", name=op.f("pk_used_states")),
    )
    for column in ("user_id", "expires_at"):
        op.create_index(op.f(f"ix_used_states_{column}"), "used_states", [column], unique=False)


def downgrade():
    op.drop_table("used_states")
