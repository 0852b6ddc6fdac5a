"""erasures"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "erasures",
        sa.Column("subject_hash", sa.String(length=64), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("subject_hash", name=op.f("pk_erasures")),
    )


def downgrade():
    op.drop_table("erasures")
