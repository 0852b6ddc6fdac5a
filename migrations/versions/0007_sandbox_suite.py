"""the sandbox's office suite"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade():
    op.create_table(
        "suite_accesses",
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("scopes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_suite_accesses")),
    )
    op.create_table(
        "suite_codes",
        sa.Column("code_hash", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("scopes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("challenge", sa.String(length=128), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("code_hash", name=op.f("pk_suite_codes")),
    )
    op.create_table(
        "suite_tokens",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("family", sa.String(length=32), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("scopes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("spent", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_suite_tokens")),
    )
    with op.batch_alter_table("suite_tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_suite_tokens_account"), ["account"], unique=False)
        batch_op.create_index(batch_op.f("ix_suite_tokens_family"), ["family"], unique=False)

    op.create_table(
        "suite_messages",
        sa.Column("message_id", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("thread_id", sa.String(length=32), nullable=False),
        sa.Column("labels", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("headers", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_suite_messages")),
    )
    with op.batch_alter_table("suite_messages", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_suite_messages_account"), ["account"], unique=False)
        batch_op.create_index(batch_op.f("ix_suite_messages_seq"), ["seq"], unique=False)

    op.create_table(
        "suite_events",
        sa.Column("event_id", sa.String(length=32), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("resource", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_suite_events")),
    )
    with op.batch_alter_table("suite_events", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_suite_events_account"), ["account"], unique=False)

    op.create_table(
        "suite_files",
        sa.Column("file_id", sa.String(length=32), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("mime_type", sa.String(length=255), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("parents", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("by_app", sa.Boolean(), nullable=False),
        sa.Column("trashed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("modified_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("file_id", name=op.f("pk_suite_files")),
    )
    with op.batch_alter_table("suite_files", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_suite_files_account"), ["account"], unique=False)


def downgrade():
    for name in ("files", "events", "messages", "tokens", "codes", "accesses"):
        op.drop_table(f"suite_{name}")
