"""how many tokens the messages of a chat are"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("chats", sa.Column("history_tokens", sa.Integer(), nullable=True))


def downgrade():
    op.drop_column("chats", "history_tokens")
