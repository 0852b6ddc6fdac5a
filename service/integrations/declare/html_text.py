"""Texts that a vendor escapes for HTML."""

import html
from contextlib import suppress


def unescape(text: str) -> str:
    """Return the text that HTML would show.

    Python refuses to read a number of thousands of digits. A text that refers to a character by
    such a number is returned as it is.
    """
    with suppress(ValueError):
        return html.unescape(text)
    return text
