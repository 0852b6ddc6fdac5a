"""The tables of media: an item for each file, and the content of items in the database."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from service.extensions import Model
from service.times import now

LARGEST_CALL = 32 << 20  # bytes that one call may store, which fit into every quota
NAME_LIMIT = 200
TYPE_LIMIT = 100


class MediaItem(Model):
    """A user's file, which is deleted after `expires_at`, by the database's clock.

    An item that is not ready counts for the user's quota and is not served: its content is being
    written, or it is a reservation for the result of a call. The items of an erased user have no
    user. `key` signs links to the item.
    """

    __tablename__ = "media"

    media_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str | None] = mapped_column(String(255), index=True)
    media_type: Mapped[str] = mapped_column(String(TYPE_LIMIT))
    name: Mapped[str] = mapped_column(String(NAME_LIMIT))
    size: Mapped[int] = mapped_column(BigInteger)  # bytes
    key: Mapped[bytes] = mapped_column(LargeBinary)
    is_ready: Mapped[bool] = mapped_column(default=False)
    in_files: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class MediaPiece(Model):
    """A piece of an item's content; all but the last have the same size."""

    __tablename__ = "media_pieces"

    media_id: Mapped[str] = mapped_column(
        ForeignKey("media.media_id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    content: Mapped[bytes] = mapped_column(LargeBinary)
