"""since when and why a grant's refresh fails"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("grants", sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column("grants", sa.Column("failure", sa.String(length=16), nullable=True))


def downgrade():
    op.drop_column("grants", "failure")
    op.drop_column("grants", "failing_since")
