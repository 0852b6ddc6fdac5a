"""cached tokens of turns"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade():
    with op.batch_alter_table("turns", schema=None) as batch_op:
        batch_op.add_column(sa.Column("cached_input_tokens", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("cache_write_tokens", sa.Integer(), nullable=True))


def downgrade():
    with op.batch_alter_table("turns", schema=None) as batch_op:
        batch_op.drop_column("cache_write_tokens")
        batch_op.drop_column("cached_input_tokens")
