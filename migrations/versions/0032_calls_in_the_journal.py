"""which tool call a journal's entry about an endpoint is of"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("journal", sa.Column("call_id", sa.String(length=64), nullable=True))


def downgrade():
    op.drop_column("journal", "call_id")
