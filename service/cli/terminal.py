"""How commands accept short texts, print lists, and ask before destructive actions.

A list for people has a line of headings and aligned columns. Scripts read `--json`.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import starmap
from typing import Any

import click

from service.storable import is_storable
from service.times import timestamp

GAP = "  "  # between two columns
# The controls that a terminal obeys, except line ends and tabs. Some obey those above ASCII too.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
YES = click.option("--yes", is_flag=True, help="Do it without asking.")


class TextArgument(click.ParamType[str]):
    """A text that can be stored and printed. Bytes that are not UTF-8 arrive as surrogates."""

    name = "text"

    def convert(self, value: object, param: object, ctx: object) -> str:
        if not is_storable(str(value)):
            self.fail("must be text in UTF-8")
        return str(value)


class ShortText(TextArgument):
    """A text that fits into its column."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def convert(self, value: object, param: object, ctx: object) -> str:
        if not 0 < len(str(value)) <= self.limit:
            self.fail(f"must have 1 to {self.limit} characters")
        return super().convert(value, param, ctx)


def confirm(question: str, yes: bool) -> None:
    """Return if the operator agrees: by `--yes`, or by an answer at the terminal.

    Raises `click.Abort` after a no, and `click.ClickException` if there is no terminal.
    """
    if yes:
        return
    if not (sys.stdin and sys.stdin.isatty()):
        raise click.ClickException("nothing was changed: run this in a terminal, or with --yes")
    click.confirm(question, abort=True)


def print_list(rows: Sequence[Mapping[str, Any]], empty: str, as_json: bool) -> None:
    """Print rows with the same keys, as a JSON array or a table. `empty` is printed for no rows."""
    if as_json:
        print_json(rows)
    elif rows:
        headings = [re.sub("([A-Z])", r" \1", name).upper() for name in rows[0]]
        _print_table(headings, [list(row.values()) for row in rows])
    else:
        click.echo(empty)


def print_json(value: object) -> None:
    """Print JSON that people can read too. `json` escapes only the controls in ASCII."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=timestamp)
    click.echo(_CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", text))


def print_prose(piece: str) -> None:
    """Print a piece of a text by a model, which may repeat texts of other people."""
    shown = _CONTROLS.sub(lambda control: repr(control[0])[1:-1], piece.replace("\r", ""))
    click.echo(shown, nl=False)


def _print_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    texts = [headings, *([_text(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    is_number = [type(value) in (int, float) for value in rows[0]]
    for line in texts:
        cells = zip(line, widths, is_number, strict=True)
        click.echo(GAP.join(starmap(_cell, cells)).rstrip())


def _cell(text: str, width: int, is_number: bool) -> str:
    return text.rjust(width) if is_number else text.ljust(width)


def _text(value: object) -> str:
    """Return a value as one line. A subject could contain codes that control the terminal."""
    match value:
        case None | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case datetime():
            return timestamp(value)[:19] + "Z"
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(value))
