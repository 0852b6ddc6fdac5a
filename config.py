"""Settings: the one place that reads the environment.

`load(environ)` turns environment variables into a frozen `Settings`. A field's name in capitals
is the variable's name. A wrong value raises `ConfigError` with the setting's name at boot, and
never shows the value. Every secret `NAME` may instead be given as `NAME_FILE`, a path whose
content is read. docs/deployment.md describes each setting; a test compares the two lists.
"""

import base64
import binascii
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent
INSTANCE = ROOT / "instance"

MODEL_NAMES = {
    "llm-opus-4-7": "claude-opus-4-7",
    "llm-sonnet-4-6": "claude-sonnet-4-6",
    "llm-haiku-4-5": "claude-haiku-4-5",
    "gen-5.4": "gpt-5.4",
    "gen-5.4-mini": "gpt-5.4-mini",
    "gen-5.4-nano": "gpt-5.4-nano",
    "oss-120b": "openai/gpt-oss-120b",
}


class ConfigError(Exception):
    """A setting is missing or wrong; the text begins with the setting's name."""


def text(value: str) -> str:
    return value


def integer(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        number = int(value)
        if not low <= number <= high:
            raise ValueError(f"must be {low} to {high}")
        return number

    return parse


def switch(value: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False}
    if value.lower() not in words:
        raise ValueError("must be true or false")
    return words[value.lower()]


def names(value: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in value.split(",") if item.strip())


def url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise ValueError("must be an http or https URL without credentials")
    return value.rstrip("/")


def origins(value: str) -> tuple[str, ...]:
    """Exact origins, `scheme://host[:port]`; a wildcard is refused."""
    for item in names(value):
        parts = urlsplit(item)
        if parts.scheme not in ("http", "https") or item != f"{parts.scheme}://{parts.netloc}":
            raise ValueError("must be exact origins such as https://app.example.com")
    return names(value)


def secret_of(least: int) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if len(value.encode()) < least:
            raise ValueError(f"must have at least {least} bytes")
        return value

    return parse


def sealing_keys(value: str) -> tuple[tuple[str, bytes], ...]:
    """`id:base64,id:base64`: the first seals, all open."""
    keys = []
    for item in names(value):
        name, _, encoded = item.partition(":")
        try:
            key = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            raise ValueError("must be id:base64 of 32 bytes, comma separated") from None
        if not name or len(key) != 32:
            raise ValueError("must be id:base64 of 32 bytes, comma separated")
        keys.append((name, key))
    return tuple(keys)


def model_names(value: str) -> dict[str, str]:
    """`id=upstream name` pairs laid over the defaults; an unknown id is refused."""
    merged = dict(MODEL_NAMES)
    for item in names(value):
        model, _, upstream = item.partition("=")
        if model not in MODEL_NAMES or not upstream:
            raise ValueError("must be known-model-id=upstream-name, comma separated")
        merged[model] = upstream
    return merged


def model_id(value: str) -> str:
    if value not in MODEL_NAMES:
        raise ValueError("must be one of the model ids")
    return value


def setting(parse: Callable[[str], Any], default: Any = None, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"parse": parse, "secret": secret})


@dataclass(frozen=True)
class Settings:
    port: int = setting(integer(1, 65535), 8000)
    bind: str | None = setting(text)
    web_concurrency: int = setting(integer(1, 64), 1)
    graceful_timeout: int = setting(integer(1, 600), 30)
    public_url: str | None = setting(url)
    database_url: str = setting(text, f"sqlite:///{INSTANCE / 'app.db'}")
    database_pool_size: int = setting(integer(1, 200), 10)
    auth_secret: str | None = setting(secret_of(32), secret=True)
    auth_jwks_url: str | None = setting(url)
    auth_issuer: str | None = setting(text)
    auth_audience: str | None = setting(text)
    owner_token: str | None = setting(text, secret=True)
    token_encryption_keys: tuple[tuple[str, bytes], ...] = setting(sealing_keys, (), secret=True)
    provider_a_base_url: str | None = setting(url)
    provider_a_api_key: str | None = setting(text, secret=True)
    provider_b_base_url: str | None = setting(url)
    provider_b_api_key: str | None = setting(text, secret=True)
    provider_c_base_url: str | None = setting(url)
    provider_c_api_key: str | None = setting(text, secret=True)
    model_names: Mapping[str, str] = field(
        default_factory=lambda: dict(MODEL_NAMES),
        metadata={"parse": model_names, "secret": False},
    )
    max_output_tokens: int = setting(integer(1, 200_000), 8192)
    summary_model: str = setting(model_id, "llm-haiku-4-5")
    context_budget: int = setting(integer(1_000, 10_000_000), 240_000)
    tool_result_cap: int = setting(integer(200, 200_000), 30_000)
    keep_recent_tool_results: int = setting(integer(0, 1_000), 5)
    min_kept: int = setting(integer(2, 1_000), 10)
    token_ceiling_a: int = setting(integer(1_000, 10_000_000), 180_000)
    token_ceiling_b: int = setting(integer(1_000, 10_000_000), 250_000)
    token_ceiling_c: int = setting(integer(1_000, 10_000_000), 120_000)
    keep_aborted_turns: bool = setting(switch, True)
    tools_allowed: tuple[str, ...] | None = setting(names)
    starting_credits: int = setting(integer(0, 1_000_000_000), 1000)
    cors_origins: tuple[str, ...] = setting(origins, ())
    extensions: tuple[str, ...] = setting(names, ())
    sandbox: bool = setting(switch, False)
    sandbox_anywhere: bool = setting(switch, False)

    @property
    def listen(self) -> str:
        return self.bind or f"127.0.0.1:{self.port}"

    @property
    def own_url(self) -> str:
        return self.public_url or f"http://127.0.0.1:{self.port}"

    @property
    def token_ceilings(self) -> dict[str, int]:
        """By kind of provider."""
        return {"A": self.token_ceiling_a, "B": self.token_ceiling_b, "C": self.token_ceiling_c}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret value, for redaction."""
        plain = (getattr(self, f.name) for f in fields(self) if f.metadata["secret"])
        return tuple(value for value in plain if isinstance(value, str) and value)


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from the process's environment, or another; raises `ConfigError`."""
    environ = os.environ if environ is None else environ
    given = {}
    for item in fields(Settings):
        name = item.name.upper()
        raw = _read(environ, name, item.metadata["secret"])
        if raw is not None:
            given[item.name] = _parse(name, raw, item.metadata["parse"])
    return Settings(**given)


def _read(environ: Mapping[str, str], name: str, secret: bool) -> str | None:
    """The variable's value, or None when it is unset or empty."""
    path = environ.get(f"{name}_FILE") if secret else None
    if not path:
        return environ.get(name) or None
    if environ.get(name):
        raise ConfigError(f"{name}: set either {name} or {name}_FILE, not both")
    try:
        return Path(path).read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name}_FILE: {type(error).__name__} while reading it") from None


def _parse(name: str, raw: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(raw)
    except ValueError as error:
        shown = str(error)
        # int() quotes its input: a value typed into the wrong variable may be a secret.
        reason = shown if shown.startswith("must ") else "not a valid value"
        raise ConfigError(f"{name}: {reason}") from None
