"""owners in the journal may be missing: releases before them write there still"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

journal = sa.table("journal", sa.column("user_id", sa.String()), sa.column("owner", sa.String()))


def upgrade():
    with op.batch_alter_table("journal", schema=None) as batch_op:
        batch_op.alter_column("owner", existing_type=sa.String(length=255), nullable=True)


def downgrade():
    op.execute(journal.update().where(journal.c.owner.is_(None)).values(owner=journal.c.user_id))
    with op.batch_alter_table("journal", schema=None) as batch_op:
        batch_op.alter_column("owner", existing_type=sa.String(length=255), nullable=False)
