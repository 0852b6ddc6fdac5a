"""An extension with so many tools that the assistant has 128, the most that models take."""

from dataclasses import replace

from tests.extension import add

TOOLS = tuple(replace(add, name=f"test.many-{number}") for number in range(116))
