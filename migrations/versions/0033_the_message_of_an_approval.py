"""which message was being answered when a call waited for its user"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("approvals", sa.Column("user_message_id", sa.String(length=128), nullable=True))


def downgrade():
    op.drop_column("approvals", "user_message_id")
