"""approvals of the assistant's calls"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "approvals",
        sa.Column("call_id", sa.String(length=64), nullable=False),
        sa.Column("turn_id", sa.String(length=64), nullable=False),
        sa.Column("chat_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("endpoint", sa.String(length=128), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("shown", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["chat_id"],
            ["chats.record_id"],
            name=op.f("fk_approvals_chat_id_chats"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("call_id", name=op.f("pk_approvals")),
    )
    for columns in (["chat_id", "endpoint"], ["turn_id"], ["user_id"], ["created_at"]):
        name = op.f(f"ix_approvals_{'_'.join(columns)}")
        op.create_index(name, "approvals", columns, unique=False)


def downgrade():
    op.drop_table("approvals")
