"""The tool that lists the available widgets of a canvas for the assistant.

Source: docs/widgets.md.
"""

from typing import Any

from service.chat.tools.lookups import Nothing
from service.chat.tools.tool import Tool, ToolContext, tool
from service.widgets.template import Slot, WidgetTemplate
from service.widgets.templates import WidgetTemplates


def canvas_templates(templates: WidgetTemplates) -> Tool:
    """Return the tool `canvas.templates`."""

    @tool("canvas.templates", Nothing(), reads=True)
    def list_templates(context: ToolContext) -> dict[str, Any]:
        """List the templates of which the widgets of a canvas are made, each with its size in
        pixels and its slots. An output can be connected to an input of the same type."""
        return {"templates": [_describe(template) for template in templates]}

    return list_templates


def _describe(template: WidgetTemplate) -> dict[str, Any]:
    width, height = template.size
    return {
        "templateHandle": template.handle,
        "summary": template.summary,
        "width": width,
        "height": height,
        "slots": [_slot(slot) for slot in template.slots],
    }


def _slot(slot: Slot) -> dict[str, Any]:
    described = {"id": slot.id, "direction": slot.direction, "type": slot.type, "title": slot.title}
    return described | ({"schema": slot.schema} if slot.schema else {})
