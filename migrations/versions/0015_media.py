"""media that endpoints make"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "media",
        sa.Column("media_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=True),
        sa.Column("media_type", sa.String(length=100), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("is_ready", sa.Boolean(), nullable=False),
        sa.Column("in_files", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("media_id", name=op.f("pk_media")),
    )
    with op.batch_alter_table("media", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_media_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_media_user_id"), ["user_id"], unique=False)

    op.create_table(
        "media_pieces",
        sa.Column("media_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["media_id"],
            ["media.media_id"],
            name=op.f("fk_media_pieces_media_id_media"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("media_id", "number", name=op.f("pk_media_pieces")),
    )


def downgrade():
    op.drop_table("media_pieces")
    op.drop_table("media")
