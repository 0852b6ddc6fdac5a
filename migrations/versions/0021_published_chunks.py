"""published chunks of running turns"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "published_chunks",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("turn_id", sa.String(length=64), nullable=False),
        sa.Column("chat_id", sa.String(length=64), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("is_end", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["chat_id"],
            ["chats.record_id"],
            name=op.f("fk_published_chunks_chat_id_chats"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_published_chunks")),
        sa.UniqueConstraint("turn_id", "last", name=op.f("uq_published_chunks_turn_id_last")),
    )
    for column in ("chat_id", "created_at"):
        name = op.f(f"ix_published_chunks_{column}")
        op.create_index(name, "published_chunks", [column], unique=False)
    with op.batch_alter_table("claims") as claims:
        claims.add_column(sa.Column("began_at", sa.DateTime(timezone=True), nullable=True))
        claims.add_column(sa.Column("watched_until", sa.DateTime(timezone=True), nullable=True))


def downgrade():
    with op.batch_alter_table("claims") as claims:
        claims.drop_column("watched_until")
        claims.drop_column("began_at")
    op.drop_table("published_chunks")
