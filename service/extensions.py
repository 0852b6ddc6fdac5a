"""The Flask extension `db`, the database, which `create_app` binds to an app.

The modules that the setting `EXTENSIONS` names are something else: see `extension_modules.py`.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import MetaData, Table
from sqlalchemy.orm import DeclarativeBase, registry

from service.column_types import Json, UTCDateTime

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """The base class of all models."""

    # Flask-SQLAlchemy 3.1 refuses type_annotation_map on the class under SQLAlchemy 2.1.
    registry = registry(
        metadata=MetaData(naming_convention=NAMING),
        type_annotation_map={datetime: UTCDateTime, dict[str, Any]: Json, list[Any]: Json},
    )
    metadata = registry.metadata


db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})

# The base class of the models. mypy can't see what class Flask-SQLAlchemy makes of `Base`.
if TYPE_CHECKING:
    Model = Base
else:
    Model = db.Model


def table(model: Any) -> Table:
    """Return a model's table, for statements that are built once without the ORM."""
    return cast("Table", model.__table__)
