"""counts of requests, for limits that are kept in the database"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "rate_counts",
        sa.Column("key", sa.String(length=400), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_rate_counts")),
    )
    op.create_index(op.f("ix_rate_counts_ends_at"), "rate_counts", ["ends_at"])


def downgrade():
    op.drop_table("rate_counts")
