"""The tools that a request declares, as cached JSON: nearly all requests declare the same."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from service.providers.names import NameTable
from service.providers.prompt import ToolSpec
from service.providers.wires.answers import dump

CACHED_LISTS = 16

Declare = Callable[[str, ToolSpec], dict[str, Any]]  # gets a tool's name on the wire


def dump_with_tools(
    body: dict[str, Any], tools: tuple[ToolSpec, ...], names: NameTable, declare: Declare
) -> bytes:
    """Return the JSON of a body with its tools, if there are any."""
    if not tools:
        return dump(body)
    return b'%b,"tools":%b}' % (dump(body)[:-1], _tool_list(tools, names, declare))


@lru_cache(CACHED_LISTS)
def _tool_list(tools: tuple[ToolSpec, ...], names: NameTable, declare: Declare) -> bytes:
    return dump([declare(names.to_wire(tool.name), tool) for tool in tools])
