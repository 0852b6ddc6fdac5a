"""A field for a file that callers send as an address or as base64."""

from collections.abc import Callable
from typing import Any, Unpack

from service.integrations.declare.fields import Facts, Words, file_keywords


class AddressOrFile(Words):
    """The address of a file, or the base64 of a file of at most `most` bytes.

    Both are texts, so the value is loaded as it was sent. `check` sees only texts of a permitted
    length. The schema has one alternative for each, so that a form can offer to choose a file.
    """

    def __init__(
        self,
        about: str = "",
        *,
        most: int,
        longest_address: int,
        kind: str | None = None,
        check: Callable[[str], None],
        **facts: Unpack[Facts],
    ) -> None:
        """`kind` is the media type of the file, or a range of media types such as `image/*`."""
        file = {name: value for name, value in file_keywords(most, kind).items() if value}
        super().__init__(about, most=file["maxLength"], checks=(check,), **facts)
        address: dict[str, Any] = {"format": "uri", "maxLength": longest_address}
        either = [{"type": "string", **one} for one in (address, file)]
        self.metadata = {**self.metadata, "anyOf": either}
