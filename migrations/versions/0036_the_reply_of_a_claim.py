"""Claims have the id of the reply, for the header of a stream that another worker reads again"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade():
    column = sa.Column("assistant_message_id", sa.String(length=64), nullable=True)
    op.add_column("claims", column)


def downgrade():
    with op.batch_alter_table("claims") as claims:
        claims.drop_column("assistant_message_id")
