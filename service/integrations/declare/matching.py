"""Validators of texts in parameters."""

import re
from collections.abc import Callable
from typing import Any

from marshmallow import ValidationError, validate


class Bounded(validate.Length):
    """A length limit, then validators that see only texts within it.

    A list of validators runs them all, even on a megabyte that the first has refused.
    """

    def __init__(self, least: int | None, most: int, *then: Callable[[Any], Any]) -> None:
        super().__init__(least, most)
        self._then = then

    def __call__(self, value: Any) -> Any:
        super().__call__(value)
        for check in self._then:
            check(value)
        return value


class Fitting(validate.Regexp):
    """A pattern that the whole text fits: `$` alone lets a newline pass at the end.

    Its classes of digits and letters are those of ASCII, as in the schemas that have the pattern.
    """

    default_message = "Must match {regex}"

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern, re.ASCII)

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self._format_error(value))
        return value
