"""when a turn's changes were taken back"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("turns", sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True))


def downgrade():
    op.drop_column("turns", "undone_at")
