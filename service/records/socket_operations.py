"""The operations of the socket: subscribe, unsubscribe, create, update, delete.

Each is answered by one message. An operation that fails changes nothing and leaves the connection
open.
Source: docs/contract.md, section 7.
"""

from typing import Any

from marshmallow import Schema, ValidationError, fields, validate
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import current_role
from service.error_frames import drop_frames
from service.extensions import db
from service.fairness import let_others_run
from service.limits import page_turns
from service.records import changes, creation, permissions, snapshot, where, writes
from service.records.collection import Collections
from service.records.cursor import Cursor, read_cursor
from service.records.messages import error_message
from service.records.session import SocketSession
from service.records.subscription import Id, Subscription
from service.records.versions import VERSION, VERSION_RULE
from service.records.where import Where
from service.web.edge import load
from service.web.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    ServiceError,
    TooLarge,
    outage_error,
)
from service.web.fields import KEY, Text
from service.web.json_values import decode

SUBSCRIPTIONS = 50  # on one connection
SEARCHES = 50  # in all filters of a connection, because each change is matched against all

Message = dict[str, Any]


class IdField(fields.Field[Id]):
    """The id that a client gives to an operation: a short text or an integer."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Id:
        if isinstance(value, str) and 0 < len(value) <= 128:
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
            return value
        raise ValidationError("Must be a text of 1 to 128 characters or an integer.")


class Operation(Schema):
    op = fields.String(required=True)
    id = IdField(required=True)


class CollectionOperation(Operation):
    collection = Text(required=True, validate=validate.Length(1, 100))


class Subscribe(CollectionOperation):
    where = fields.Dict(load_default=dict)
    cursor = fields.String(load_default=None, allow_none=True)  # an invalid one means `resync`


class Create(CollectionOperation):
    data = fields.Dict(required=True)
    idempotencyKey = Text(
        load_default=None, allow_none=True, validate=validate.Regexp(rf"{KEY.pattern}\Z")
    )


class Delete(CollectionOperation):
    recordId = Text(required=True, validate=validate.Length(1, 255))
    ifMatch = Text(
        load_default=None,
        allow_none=True,
        validate=validate.Regexp(rf"{VERSION.pattern}\Z", error=VERSION_RULE),
    )


class Update(Delete):
    data = fields.Dict(required=True)


def answer(session: SocketSession, collections: Collections, text: str) -> None:
    """Perform the operation in a message and answer it. Needs an app context; raises `Closed`."""
    id = None
    try:
        message = _parse(text)
        id = _id(message)
        session.entitlement.check_token()
        schema, perform = _operation(message)
        perform(session, collections, load(schema, message))
    except ServiceError as error:
        db.session.rollback()  # frees the database connection: the message may take long to send
        drop_frames(error)
        session.send(error_message(id, error))
    except SQLAlchemyError as error:
        outage = outage_error(error)
        if outage is None:
            raise
        db.session.rollback()
        session.send(error_message(id, outage))
    let_others_run()  # a burst of 100 operations would otherwise block others for 100 ms


def _parse(text: str) -> Message:
    try:
        message = decode(text)
        text.encode()
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise InvalidRequest("A message is a JSON object.", details={})
    return message


def _id(message: Message) -> Id | None:
    try:
        return IdField().deserialize(message.get("id"))
    except ValidationError:
        return None  # the schema of the operation reports it


def _operation(message: Message) -> Any:
    name = message.get("op")
    if not isinstance(name, str) or name not in OPERATIONS:
        known = f"Must be one of: {', '.join(OPERATIONS)}."
        raise InvalidRequest("There is no such operation.", details={"op": [known]})
    return OPERATIONS[name]


def _subscribe(session: SocketSession, collections: Collections, message: Message) -> None:
    if message["id"] in session.subscriptions:
        raise Conflict("This id is subscribed already.")
    if len(session.subscriptions) >= SUBSCRIPTIONS:
        raise TooLarge(f"A connection has at most {SUBSCRIPTIONS} subscriptions.")
    if message["cursor"] is None:
        return _begin(session, collections, message)
    subscription = _subscription(session, collections, message)
    subscription.cursor = _valid_cursor(message["cursor"], subscription.view)
    if subscription.cursor:
        session.subscribe(subscription)
    else:
        session.send({"type": "resync", "id": subscription.id})


def _begin(session: SocketSession, collections: Collections, message: Message) -> None:
    """Subscribe with a snapshot, after the earlier snapshots of this user have been sent."""
    with session.snapshot_turn():
        with page_turns.worker_turn():
            session.entitlement.check_token()
            subscription = _subscription(session, collections, message)
            subscription.cursor, pieces = snapshot.read(session, subscription)
        session.socket.send_in_pieces(pieces.take())
    session.subscribe(subscription)


def _subscription(
    session: SocketSession, collections: Collections, message: Message
) -> Subscription:
    """Return a subscription with the rights that its user has now."""
    collection = collections.get(message["collection"])
    role = current_role(session.caller)
    rule = permissions.rule(collection, role, "read")
    if not rule:
        raise Forbidden()
    condition = where.parse(collection, role, message["where"])
    _check_searches(session, condition)
    return Subscription(message["id"], collection, role, rule, condition)


def _check_searches(session: SocketSession, added: Where) -> None:
    filters = [*(subscription.where for subscription in session.subscriptions.values()), added]
    if sum(map(where.searches, filters)) > SEARCHES:
        raise TooLarge(f"The subscriptions of a connection take at most {SEARCHES} `contains`.")


def _valid_cursor(text: str, view: str) -> Cursor | None:
    """Return the cursor, or None if the feed can't resume there.

    It can't resume if the user's rights have changed either, because no change announces the
    records that became visible or invisible with them.
    """
    cursor = read_cursor(text)
    if cursor is None or cursor.view != view:
        return None
    is_valid = changes.can_resume(db.session(), cursor)
    db.session.commit()
    return cursor if is_valid else None


def _unsubscribe(session: SocketSession, collections: Collections, message: Message) -> None:
    if not session.unsubscribe(message["id"]):
        raise NotFound("There is no subscription of that id.")
    session.send({"type": "ok", "id": message["id"]})


def _create(session: SocketSession, collections: Collections, message: Message) -> None:
    collection = collections.get(message["collection"])
    key = message["idempotencyKey"]
    record = creation.create(collection, session.caller, message["data"], key=key)
    session.send({"type": "ok", "id": message["id"], "record": record})


def _update(session: SocketSession, collections: Collections, message: Message) -> None:
    collection = collections.get(message["collection"])
    match = message["ifMatch"]
    record = writes.update(collection, session.caller, message["recordId"], message["data"], match)
    session.send({"type": "ok", "id": message["id"], "record": record})


def _delete(session: SocketSession, collections: Collections, message: Message) -> None:
    collection = collections.get(message["collection"])
    writes.delete(collection, session.caller, message["recordId"], message["ifMatch"])
    session.send({"type": "ok", "id": message["id"]})


OPERATIONS = {
    "subscribe": (Subscribe(), _subscribe),
    "unsubscribe": (Operation(), _unsubscribe),
    "create": (Create(), _create),
    "update": (Update(), _update),
    "delete": (Delete(), _delete),
}
