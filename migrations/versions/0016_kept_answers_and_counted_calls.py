"""kept answers and counted calls"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "integration_answers",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=True),
        sa.Column("endpoint", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("sealed", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_integration_answers")),
    )
    op.create_index(
        op.f("ix_integration_answers_user_id"), "integration_answers", ["user_id"], unique=False
    )
    op.create_index(
        op.f("ix_integration_answers_expires_at"),
        "integration_answers",
        ["expires_at"],
        unique=False,
    )
    op.create_table(
        "integration_counts",
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("endpoint", sa.String(length=64), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "endpoint", name=op.f("pk_integration_counts")),
    )
    op.create_index(
        op.f("ix_integration_counts_ends_at"), "integration_counts", ["ends_at"], unique=False
    )


def downgrade():
    op.drop_table("integration_counts")
    op.drop_table("integration_answers")
