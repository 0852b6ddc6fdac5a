"""Describe a template for clients, with the prices and approvals of its endpoints."""

from typing import Any, get_args

from marshmallow import Schema, fields, validate

from service.billing.payer import PaidBy
from service.integrations.calling.proxy import Proxy
from service.records import permissions
from service.records.collection import Collection, Rule
from service.widgets.settings import schema_of
from service.widgets.template import DIRECTIONS, PERMISSIONS, SLOT_TYPES, Slot, WidgetTemplate


class SlotDescription(Schema):
    id = fields.String(required=True)
    direction = fields.String(required=True, validate=validate.OneOf(DIRECTIONS))
    type = fields.String(required=True, validate=validate.OneOf(SLOT_TYPES))
    title = fields.String(required=True)
    schema = fields.Dict()
    maxConnections = fields.Integer()
    persist = fields.Boolean(required=True)


class EndpointDescription(Schema):
    name = fields.String(required=True)
    title = fields.String(required=True)
    integration = fields.String()
    payer = fields.String(validate=validate.OneOf(get_args(PaidBy)))
    credits = fields.Float(required=True)
    metered = fields.Boolean()
    approval = fields.String(required=True, validate=validate.OneOf(["auto", "ask"]))
    known = fields.Boolean(required=True)
    configured = fields.Boolean(required=True)


class SizeDescription(Schema):
    width = fields.Integer(required=True)
    height = fields.Integer(required=True)


class TemplateDescription(Schema):
    handle = fields.String(required=True)
    name = fields.String(required=True)
    icon = fields.String(required=True)
    summary = fields.String(required=True)
    version = fields.Integer(required=True)
    size = fields.Nested(SizeDescription, required=True)
    standalone = fields.Boolean(required=True)
    slots = fields.List(fields.Nested(SlotDescription), required=True)
    endpoints = fields.List(fields.Nested(EndpointDescription), required=True)
    collections = fields.List(fields.String(), required=True)
    images = fields.List(fields.String(), required=True)
    permissions = fields.List(fields.String(validate=validate.OneOf(PERMISSIONS)), required=True)
    settings = fields.Dict(required=True, metadata={"description": "A JSON Schema of an object."})


class CanvasRights(Schema):
    """Which canvases the caller may change and delete, of those that the caller may read."""

    update = fields.String(required=True, validate=validate.OneOf(["all", "own", "none"]))
    delete = fields.String(required=True, validate=validate.OneOf(["all", "own", "none"]))


class TemplateList(Schema):
    templates = fields.List(fields.Nested(TemplateDescription), required=True)
    canvases = fields.Nested(CanvasRights, required=True)


def describe(template: WidgetTemplate, proxy: Proxy) -> dict[str, Any]:
    """Return the fields of `TemplateDescription`."""
    return {
        "handle": template.handle,
        "name": template.name,
        "icon": icon(template),
        "summary": template.summary,
        "version": template.version,
        "size": {"width": template.size[0], "height": template.size[1]},
        "standalone": template.standalone,
        "slots": [_slot(slot) for slot in template.slots],
        "endpoints": [_endpoint(name, proxy) for name in template.endpoints],
        "collections": list(template.collections),
        "images": list(template.images),
        "permissions": list(template.permissions),
        "settings": schema_of(template.settings),
    }


def rights(canvases: Collection, role: str) -> dict[str, str]:
    """Return the fields of `CanvasRights`."""
    return {
        "update": _word(permissions.rule(canvases, role, "update")),
        "delete": _word(permissions.rule(canvases, role, "delete")),
    }


def _word(rule: Rule) -> str:
    if rule == "own":
        return "own"
    return "all" if rule else "none"


def icon(template: WidgetTemplate) -> str:
    """Return a short text, or the path of a picture."""
    is_file = template.icon.endswith(".svg")
    return f"/w/{template.handle}/files/{template.icon}" if is_file else template.icon


def _slot(slot: Slot) -> dict[str, Any]:
    described = {
        "id": slot.id,
        "direction": slot.direction,
        "type": slot.type,
        "title": slot.title,
        "schema": slot.schema,
        "maxConnections": slot.max_connections,
        "persist": slot.persist,
    }
    return {name: value for name, value in described.items() if value is not None}


def _endpoint(name: str, proxy: Proxy) -> dict[str, Any]:
    """Return the facts that a host needs before it lets a call through. Unknown ones ask."""
    item = proxy.catalog.names.get(name)
    if item is None:
        unknown = {"credits": 0, "approval": "ask", "known": False, "configured": False}
        return {"name": name, "title": name, **unknown}
    return {
        "name": name,
        "title": item.summary,
        "integration": item.vendor.integration,
        "payer": proxy.charging.paid_by(item),
        "credits": item.max_credits,
        "metered": item.is_metered,
        "approval": "auto" if item.access.auto_approve else "ask",
        "known": True,
        "configured": proxy.is_configured(item),
    }
