"""Validators of texts in parameters."""

import re
from collections.abc import Callable
from typing import Any

from marshmallow import ValidationError, validate


def check_range(least: Any, most: Any) -> None:
    """Raise ValueError if no number is from `least` to `most`."""
    if not all(isinstance(one, int | float) for one in (least, most)) or least > most:
        raise ValueError(f"nothing is from `least` {least!r:.80} to `most` {most!r:.80}")


class Bounded(validate.Length):
    """A length limit with further validators, which see only texts within the limit.

    In a plain list, all validators would run, even on a megabyte that the first has refused.
    """

    def __init__(self, least: int | None, most: int, *then: Callable[[Any], Any]) -> None:
        """Raise ValueError for limits that no text fits."""
        check_range(least or 0, most)
        super().__init__(least, most)
        self._then = then

    def __call__(self, value: Any) -> Any:
        super().__call__(value)
        for check in self._then:
            check(value)
        return value


def check_not_blank(text: str) -> None:
    """Raise ValidationError for a text of white space alone, which a vendor may charge for."""
    if text.isspace():
        raise ValidationError("Must not be blank.")


class Fitting(validate.Regexp):
    """A pattern that the whole text must fit, because `$` alone accepts a newline at the end.

    Its classes of digits and letters are ASCII, as in the schemas that contain the pattern.
    """

    default_message = "Must match {regex}"

    def __init__(self, pattern: str) -> None:
        """Raise ValueError for a pattern that is no regular expression."""
        try:
            super().__init__(pattern, re.ASCII)
        except re.error as error:
            raise ValueError(f"the pattern {pattern!r:.80} can't be read: {error}") from None

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self._format_error(value))
        return value
