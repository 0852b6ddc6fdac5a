"""The operations of the socket: subscribe, unsubscribe, create, update, delete.

Each is answered by one message; what fails changes nothing and leaves the connection open.
Source: contract section 7.
"""

import json
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import current_role
from service.edge import load
from service.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    ServiceError,
    TooLarge,
    explained,
)
from service.extensions import db
from service.fields import Text
from service.lifecycle import let_others_run
from service.records import changes, permissions, snapshot, where, writes
from service.records.collection import Collections
from service.records.cursor import Cursor, read_cursor
from service.records.live import Live, error_message
from service.records.once import KEY
from service.records.subscription import Id, Subscription
from service.records.where import Where

SUBSCRIPTIONS = 50  # of one connection
SEARCHES = 50  # in all their filters: each change is matched against all

Message = dict[str, Any]


class IdField(fields.Field):
    """The client's own word for an operation: a short text or a whole number."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Id:
        if isinstance(value, str) and 0 < len(value) <= 128:
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
            return value
        raise ValidationError("Must be a text of 1 to 128 characters, or a whole number.")


class Operation(Schema):
    op = fields.String(required=True)
    id = IdField(required=True)


class OnCollection(Operation):
    collection = Text(required=True, validate=validate.Length(1, 100))


class Subscribe(OnCollection):
    where = fields.Dict(load_default=dict)
    cursor = fields.String(load_default=None, allow_none=True)  # what is none of ours is no error


class Create(OnCollection):
    data = fields.Dict(required=True)
    idempotencyKey = Text(
        load_default=None, allow_none=True, validate=validate.Regexp(rf"{KEY.pattern}\Z")
    )


class Delete(OnCollection):
    recordId = Text(required=True, validate=validate.Length(1, 255))
    ifMatch = Text(load_default=None, allow_none=True)


class Update(Delete):
    data = fields.Dict(required=True)


def answer(live: Live, collections: Collections, text: str) -> None:
    """Do what a message asks, and answer it. Needs an app context; raises `Closed`."""
    id = None
    try:
        given = _read(text)
        id = _id(given)
        live.entitlement.check_token()
        schema, perform = _operation(given)
        perform(live, collections, load(schema, given))
    except ServiceError as error:
        live.say(error_message(id, error))
    except SQLAlchemyError as error:
        outage = explained(error)
        if outage is None:
            raise
        db.session.rollback()
        live.say(error_message(id, outage))
    let_others_run()  # a hundred at once would hold them up for as many ms


def _read(text: str) -> Message:
    try:
        given = json.loads(text, parse_constant=_refuse)
        text.encode()
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InvalidRequest("A message is a JSON object.", details={})
    return given


def _refuse(name: str) -> None:
    raise ValueError(name)


def _id(given: Message) -> Id | None:
    try:
        return IdField().deserialize(given.get("id"))
    except ValidationError:
        return None  # the operation's own schema says so


def _operation(given: Message) -> Any:
    name = given.get("op")
    if not isinstance(name, str) or name not in OPERATIONS:
        raise InvalidRequest("There is no such operation.", details={"op": ["Unknown."]})
    return OPERATIONS[name]


def _subscribe(live: Live, collections: Collections, asked: Message) -> None:
    if asked["id"] in live.subscriptions:
        raise Conflict("This id is subscribed already.")
    if len(live.subscriptions) >= SUBSCRIPTIONS:
        raise TooLarge(f"A connection has at most {SUBSCRIPTIONS} subscriptions.")
    if asked["cursor"] is None:
        return _begin(live, collections, asked)
    subscription = _subscription(live, collections, asked)
    subscription.cursor = _known(asked["cursor"])
    if subscription.cursor:
        live.subscribe(subscription)
    else:
        live.say({"type": "resync", "id": subscription.id})


def _begin(live: Live, collections: Collections, asked: Message) -> None:
    """Subscribe with a snapshot. It waits for this user's earlier ones, which may take long."""
    with live.turn():
        live.entitlement.check_token()
        subscription = _subscription(live, collections, asked)
        subscription.cursor = snapshot.send(live, subscription)
    live.subscribe(subscription)


def _subscription(live: Live, collections: Collections, asked: Message) -> Subscription:
    """The subscription, with the rights that its user has now."""
    collection = collections.named(asked["collection"])
    role = current_role(live.caller)
    rule = permissions.rule(collection, role, "read")
    if not rule:
        raise Forbidden()
    parsed = where.parse(collection, role, asked["where"])
    _check_searches(live, parsed)
    return Subscription(asked["id"], collection, role, rule, parsed)


def _check_searches(live: Live, added: Where) -> None:
    filters = [*(subscription.where for subscription in live.subscriptions.values()), added]
    if sum(map(where.searches, filters)) > SEARCHES:
        raise TooLarge(f"The subscriptions of a connection take at most {SEARCHES} `contains`.")


def _known(text: str) -> Cursor | None:
    """A cursor from which the feed can go on."""
    cursor = read_cursor(text)
    known = cursor is not None and changes.is_known(db.session(), cursor)
    db.session.commit()
    return cursor if known else None


def _unsubscribe(live: Live, collections: Collections, asked: Message) -> None:
    if not live.unsubscribe(asked["id"]):
        raise NotFound("There is no subscription of that id.")
    live.say({"type": "ok", "id": asked["id"]})


def _create(live: Live, collections: Collections, asked: Message) -> None:
    collection = collections.named(asked["collection"])
    key = asked["idempotencyKey"]
    record = writes.create(collection, live.caller, asked["data"], key=key)
    live.say({"type": "ok", "id": asked["id"], "record": record})


def _update(live: Live, collections: Collections, asked: Message) -> None:
    collection = collections.named(asked["collection"])
    match = asked["ifMatch"]
    record = writes.update(collection, live.caller, asked["recordId"], asked["data"], match)
    live.say({"type": "ok", "id": asked["id"], "record": record})


def _delete(live: Live, collections: Collections, asked: Message) -> None:
    collection = collections.named(asked["collection"])
    writes.delete(collection, live.caller, asked["recordId"], asked["ifMatch"])
    live.say({"type": "ok", "id": asked["id"]})


OPERATIONS = {
    "subscribe": (Subscribe(), _subscribe),
    "unsubscribe": (Operation(), _unsubscribe),
    "create": (Create(), _create),
    "update": (Update(), _update),
    "delete": (Delete(), _delete),
}
