"""Collections of an app with every rule for every action and every role."""

from datetime import datetime

import gevent
from flask import current_app
from marshmallow import Schema, fields
from sqlalchemy import String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry

from service.auth.users import RIGHTS_AGE
from service.chat.tools.tool import ToolContext, tool
from service.column_types import BigId, UTCDateTime
from service.records.collection import Action, Collection, Column, Permissions, Rule
from service.upkeep import rights
from tests.user_erasure import disable

ACTIONS: tuple[Action, ...] = ("read", "create", "update", "delete")
RULES: tuple[Rule, ...] = (True, False, "own")
OWNER = Column("userId", required=True, fixed=True)


class Base(DeclarativeBase):
    """The base of tables that are not in the service's migrations."""

    registry = registry(type_annotation_map={datetime: UTCDateTime})


class Ticket(Base):
    __tablename__ = "tickets"

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    number: Mapped[str] = mapped_column(String(64), unique=True)
    holder: Mapped[str] = mapped_column(String(255))
    subject: Mapped[str | None]
    due: Mapped[datetime | None]
    weight: Mapped[float | None]
    votes: Mapped[int | None] = mapped_column(BigId)
    open: Mapped[bool | None]
    stage: Mapped[str] = mapped_column(String(20), default="new")
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


def rules_of_row(by: int) -> Permissions:
    """Return a row of a Latin square of rules, shifted by one for each collection."""
    return {
        role: {action: RULES[(by + i + j) % 3] for j, action in enumerate(ACTIONS)}
        for i, role in enumerate(("user", "editor", "admin"))
    }


GRIDS = tuple(
    Collection(
        f"grid-{by}",
        columns=(OWNER, Column("title", required=True, most=50)),
        permissions={**rules_of_row(by), **everyone},
    )
    for by, everyone in enumerate(({}, {"*": {"read": True}}, {"*": dict.fromkeys(ACTIONS, "own")}))
)

SEALED = Collection(
    "sealed",
    columns=(
        OWNER,
        Column("title", required=True),
        Column("grade", "integer", roles=("editor", "admin")),
    ),
    permissions={
        "*": dict.fromkeys(ACTIONS, "own"),
        "editor": {"read": True, "update": True},
        "admin": dict.fromkeys(ACTIONS, True),
    },
)

TICKETS = Collection(
    "tickets",
    columns=(
        Column("holder", attribute="holder", required=True, fixed=True),
        Column("title", attribute="subject", required=True, least=1),
        Column("due", "datetime", attribute="due"),
        Column("weight", "number", attribute="weight"),
        Column("votes", "integer", attribute="votes"),
        Column("open", "boolean", attribute="open"),
        Column("stage", attribute="stage", fixed=True),
    ),
    permissions={
        **rules_of_row(1),
        "clerk": dict.fromkeys(ACTIONS, "own"),
        "*": {"read": True, "create": "own"},
    },
    owner="holder",
    model=Ticket,
    record_id="number",
)


class Become(Schema):
    role = fields.String(load_default=None)
    disabled = fields.Boolean(load_default=False)


@tool("test.become", Become(), reads=True)
def become(context: ToolContext, role: str | None, disabled: bool) -> str:
    """Change a role or disable a user, and wait until every worker applies it.

    The turn of a user who is disabled is not stopped, so that a test sees what the next step meets.
    """
    rights.set_role(context.caller.subject, role)
    if disabled:
        disable(current_app, context.caller.subject)
    gevent.sleep(RIGHTS_AGE + 0.05)
    return "done"


COLLECTIONS = (*GRIDS, SEALED, TICKETS)
TOOLS = (become,)
