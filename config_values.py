"""Parsers for the names and values of settings. A wrong value raises ValueError with "must …"."""

import base64
import binascii
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import parse_qsl, unquote, urlsplit

Billing = Literal["user", "developer"]  # whose token a call is made with

HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
MODEL_NAMES = {
    "llm-opus-4-7": "claude-opus-4-7",
    "llm-sonnet-4-6": "claude-sonnet-4-6",
    "llm-haiku-4-5": "claude-haiku-4-5",
    "gen-5.4": "gpt-5.4",
    "gen-5.4-mini": "gpt-5.4-mini",
    "gen-5.4-nano": "gpt-5.4-nano",
    "oss-120b": "openai/gpt-oss-120b",
}


def text(value: str) -> str:
    return value


def header(value: str) -> str:
    """Check the value of an HTTP header: RFC 9110, section 5.5, without its obsolete forms."""
    if not value.isascii() or not value.isprintable() or value != value.strip():
        raise ValueError("must be printable ASCII, without line breaks or a blank at either end")
    return value


def prose(most: int) -> Callable[[str], str | None]:
    """Return a parser that strips a text of at most `most` characters. An empty text is None."""

    def parse(value: str) -> str | None:
        stripped = value.strip()
        if len(stripped) > most:
            raise ValueError(f"must have at most {most} characters")
        try:
            stripped.encode()
        except UnicodeEncodeError:  # the bytes in the environment are not UTF-8
            raise ValueError("must be text in UTF-8") from None
        return stripped or None

    return parse


def integer(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        is_whole = re.fullmatch(r"\s*[+-]?\d{1,20}\s*", value)
        if not is_whole or not low <= int(value) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(value)

    return parse


def switch(value: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False}
    if value.lower() not in words:
        raise ValueError("must be true or false")
    return words[value.lower()]


def one_of(*words: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value.lower() not in words:
            raise ValueError(f"must be {' or '.join(words)}")
        return value.lower()

    return parse


def names(value: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in value.split(",") if item.strip())


def ids(value: str) -> str:
    """Check ids of capital letters and digits, comma separated. Names are not ids."""
    if not all(re.fullmatch(r"[A-Z0-9]+", item) for item in names(value)):
        raise ValueError("must be ids of capital letters and digits, comma separated")
    return value


RATES = ("turns", "calls", "records", "sockets", "tokens")


def rate_limits(value: str) -> tuple[tuple[str, str], ...]:
    """Parse `turns=30/minute,calls=120/minute` into pairs. A kind may occur more than once."""
    pairs = []
    for item in names(value):
        kind, _, rate = item.partition("=")
        if kind not in RATES or not re.fullmatch(r"[1-9]\d{0,8}/(second|minute|hour|day)", rate):
            raise ValueError(
                f"must be kind=number/period, comma separated; kinds are {', '.join(RATES)}, "
                "periods second, minute, hour, day"
            )
        pairs.append((kind, rate))
    return tuple(pairs)


def budgets(value: str) -> dict[str, int]:
    """Parse `day=500,user.day=100` into micro-credits by role. The role of plain `day` is empty."""
    amounts = {}
    for item in names(value):
        period, _, amount = item.partition("=")
        role, _, day = period.rpartition(".")
        if day != "day" or not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", amount) or role in amounts:
            raise ValueError("must be day=credits or role.day=credits, comma separated")
        amounts[role] = round(float(amount) * 1_000_000)
    return amounts


def rate_store(value: str) -> str:
    schemes = ("memory://", "database://", "redis://", "rediss://", "redis+unix://")
    if not value.startswith(schemes):
        raise ValueError(f"must begin with {', '.join(schemes)}")
    return value


def directory(value: str) -> Path:
    if not (path := Path(value)).is_absolute():
        raise ValueError("must be an absolute path")
    return path


def openid_scopes(value: str) -> str:
    """Parse scopes with blanks between them. `openid` must be one of them."""
    if "openid" not in value.split():
        raise ValueError("must have the scope openid, with blanks between scopes")
    return " ".join(value.split())


def secret_of(least: int) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if len(value.encode()) < least:
            raise ValueError(f"must have at least {least} bytes")
        return value

    return parse


def sealing_keys(value: str) -> tuple[tuple[str, bytes], ...]:
    """Parse `id:base64,id:base64`. The first key seals, and all keys open."""
    keys: list[tuple[str, bytes]] = []
    for item in names(value):
        name, _, encoded = item.partition(":")
        try:
            key = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            raise ValueError("must be id:base64 of 32 bytes, comma separated") from None
        if not name or len(key) != 32:
            raise ValueError("must be id:base64 of 32 bytes, comma separated")
        if name in dict(keys):
            raise ValueError("must not have two keys with one id")
        keys.append((name, key))
    return tuple(keys)


def headers(value: str) -> tuple[tuple[str, str], ...]:
    """Parse `name=value` pairs of HTTP headers, comma separated, with percent-encoded values."""
    pairs = []
    for item in names(value):
        name, _, encoded = item.partition("=")
        content = header(unquote(encoded.strip()))
        if not HEADER_NAME.fullmatch(name.strip()) or not content:
            raise ValueError("must be name=value of HTTP headers, comma separated")
        pairs.append((name.strip(), content))
    return tuple(pairs)


def model_names(value: str) -> dict[str, str]:
    """Parse `id=upstream name` pairs, which replace defaults. An unknown id is refused."""
    given = _once_each(value)
    if not set(given) <= set(MODEL_NAMES) or not all(given.values()):
        raise ValueError("must be known-model-id=upstream-name, comma separated")
    return {**MODEL_NAMES, **given}


def model_id(value: str) -> str:
    if value not in MODEL_NAMES:
        raise ValueError("must be one of the model ids")
    return value


def scope_names(value: str) -> str:
    """Check `neutral=suffix` pairs. Source of a scope's characters: RFC 6749, section 3.3."""
    for neutral, suffix in _once_each(value).items():
        if not neutral or not re.fullmatch(r"[!#-\[\]-~]+", suffix):
            raise ValueError("must be neutral=suffix, comma separated")
    return value


def billing(value: str) -> dict[str, Billing]:
    """Parse `integration=user|developer` pairs."""
    pairs: dict[str, Any] = _once_each(value)
    if not set(pairs.values()) <= set(get_args(Billing)):
        raise ValueError("must be integration=user|developer, comma separated")
    return pairs


def _once_each(value: str) -> dict[str, str]:
    """Parse `name=value` pairs. A name that occurs twice is refused: one of its values is wrong."""
    parts = [item.partition("=") for item in names(value)]
    pairs = [(name.strip(), given.strip()) for name, _, given in parts]
    if len(dict(pairs)) < len(pairs):
        raise ValueError("must name each of its parts once")
    return dict(pairs)


def hidden_in(database_url: str) -> list[str]:
    """Return the secret parts of a database's URL: its password, as written and decoded.

    It is also returned after the user's name, because a short password may be an ordinary word.
    """
    try:
        parts = urlsplit(database_url)
        password = parts.password
    except ValueError:
        return [database_url]
    if parts.scheme.startswith("sqlite"):
        return []
    in_query = [value for name, value in parse_qsl(parts.query) if name.endswith("password")]
    if not password:
        return in_query
    return [*in_query, password, unquote(password), f"{parts.username}:{password}@"]
