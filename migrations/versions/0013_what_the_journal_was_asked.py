"""what the journal was asked

Every column may be empty: what runs of the release before goes on writing.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade():
    with op.batch_alter_table("journal", schema=None) as batch_op:
        batch_op.add_column(sa.Column("user_message_id", sa.String(length=128), nullable=True))
        batch_op.add_column(sa.Column("input_hash", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("after", sa.JSON(none_as_null=True), nullable=True))
        batch_op.create_index(
            batch_op.f("ix_journal_user_id_user_message_id"),
            ["user_id", "user_message_id"],
            unique=False,
        )


def downgrade():
    with op.batch_alter_table("journal", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_journal_user_id_user_message_id"))
        batch_op.drop_column("after")
        batch_op.drop_column("input_hash")
        batch_op.drop_column("user_message_id")
