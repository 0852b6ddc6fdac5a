"""The database, which `create_app` binds to an app; the types of its columns; the time now."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import JSON, BigInteger, DateTime, Integer, MetaData, Table, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, registry

from service.times import utc_text

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def _sqlite_text(moment: datetime | None) -> str | None:
    """Format a time as SQLite's columns have it, in UTC."""
    return None if moment is None else utc_text(moment, " ")


def _from_sqlite_text(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text + "+00:00") if text is not None else None


class UTCDateTime(TypeDecorator[datetime]):
    """An aware UTC time on both databases. SQLite alone would return a naive one."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.astimezone(UTC) if value is not None else None

    def bind_processor(self, dialect: Any) -> Any:
        """On SQLite times are texts, which SQLAlchemy writes in five times the time."""
        return _sqlite_text if dialect.name == "sqlite" else super().bind_processor(dialect)

    def result_processor(self, dialect: Any, coltype: Any) -> Any:
        if dialect.name == "sqlite":
            return _from_sqlite_text
        return super().result_processor(dialect, coltype)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


BigId = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers only INTEGER keys
Json = JSON(none_as_null=True)


class Base(DeclarativeBase):
    """The base class of all models."""

    # Flask-SQLAlchemy 3.1 refuses type_annotation_map on the class under SQLAlchemy 2.1.
    registry = registry(
        metadata=MetaData(naming_convention=NAMING),
        type_annotation_map={datetime: UTCDateTime, dict[str, Any]: Json, list[Any]: Json},
    )
    metadata = registry.metadata


MICROSECOND = timedelta(microseconds=1)  # the shortest time between two that are stored

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})


def table(model: Any) -> Table:
    """Return a model's table, for statements that are built once without the ORM."""
    return cast("Table", model.__table__)


def now() -> datetime:
    return datetime.now(UTC)


def later_than(moment: datetime) -> datetime:
    """Now, or the first time after `moment` if the clock has not passed that."""
    return max(now(), moment + MICROSECOND)


def timestamp(moment: datetime) -> str:
    """Format a time for answers: ISO 8601 in UTC with microseconds and `Z`."""
    return f"{utc_text(moment, 'T')}Z"
