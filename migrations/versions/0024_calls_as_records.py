"""calls of endpoints as records"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "integration_calls",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("call_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("endpoint", sa.String(length=64), nullable=False),
        sa.Column("integration", sa.String(length=64), nullable=False),
        sa.Column("payer", sa.String(length=16), nullable=False),
        sa.Column("door", sa.String(length=16), nullable=False),
        sa.Column("approval", sa.String(length=16), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("error", sa.String(length=64), nullable=True),
        sa.Column("upstream_status", sa.Integer(), nullable=True),
        sa.Column("credits", sa.BigInteger(), nullable=True),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_integration_calls")),
        sa.UniqueConstraint("call_id", name=op.f("uq_integration_calls_call_id")),
    )
    for name, columns in (
        ("user_id_seq", ["user_id", "seq"]),
        ("job_id", ["job_id"]),
        ("created_at", ["created_at"]),
    ):
        op.create_index(op.f(f"ix_integration_calls_{name}"), "integration_calls", columns)


def downgrade():
    op.drop_table("integration_calls")
