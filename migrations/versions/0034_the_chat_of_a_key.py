"""which chat's call an idempotency key is of"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("idempotency_keys", sa.Column("chat_id", sa.String(length=64), nullable=True))


def downgrade():
    op.drop_column("idempotency_keys", "chat_id")
