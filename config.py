"""Settings: the one place that reads the environment.

`load(environ)` turns environment variables into a frozen `Settings`. A field's name in capitals
is the variable's name. A wrong value raises `ConfigError` with the setting's name at boot, and
never shows the value. Every secret `NAME` may instead be given as `NAME_FILE`, a path whose
content is read, and so may a long text. A name that is almost a setting's, or that of a setting
which is not built yet, raises it too. docs/deployment.md describes each setting; a test compares.
"""

import base64
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol

from click import ClickException

from config_values import (
    MODEL_NAMES,
    billing,
    directory,
    hidden_in,
    integer,
    misspelt,
    model_id,
    model_names,
    names,
    one_of,
    origins,
    prose,
    sealing_keys,
    secret_of,
    server,
    switch,
    text,
    url,
)

ROOT = Path(__file__).resolve().parent
INSTANCE = ROOT / "instance"

# A limit that is set and does not hold is worse than a server that does not start.
NOT_BUILT = ("RATE_LIMITS", "RATE_LIMIT_STORAGE_URL", "TURNS_AT_ONCE", "CALLS_AT_ONCE",
             "JOBS_AT_ONCE", "BUDGETS")  # fmt: skip
# Only our own settings begin with these.
PREFIXES = (
    "PROVIDER_", "CLOUDSUITE_", "INTEGRATIONS_", "SANDBOX_", "TOOLS_", "TOKEN_CEILING_",
    "TOKEN_ENCRYPTION_", "OWNER_TOKEN_",
)  # fmt: skip


class ConfigError(ClickException):
    """A setting is missing or wrong; the text begins with the setting's name.

    A command that it ends prints just this text.
    """


def setting(
    parse: Callable[[str], Any], default: Any = None, *, secret: bool = False, file: bool = False
) -> Any:
    """`default` is a value, or makes one. With `secret` or `file` the setting has a `_FILE`."""
    metadata = {"parse": parse, "secret": secret, "file": secret or file}
    given: dict[str, Any] = {"default_factory" if callable(default) else "default": default}
    return field(**given, repr=not metadata["file"], metadata=metadata)


@dataclass(frozen=True)
class Settings:
    port: int = setting(integer(1, 65535), 8000)
    bind: str | None = setting(text)
    web_concurrency: int = setting(integer(1, 64), 1)
    graceful_timeout: int = setting(integer(1, 600), 30)
    request_head_seconds: int = setting(integer(1, 600), 15)
    request_body_seconds: int = setting(integer(1, 600), 30)
    public_url: str | None = setting(url)
    database_url: str = setting(text, f"sqlite:///{INSTANCE / 'app.db'}", secret=True)
    database_pool_size: int = setting(integer(1, 200), 10)
    sqlite_sync: str = setting(one_of("normal", "full"), "full")
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
    model_names: Mapping[str, str] = setting(model_names, MODEL_NAMES.copy)
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
    assistant_endpoints: tuple[str, ...] = setting(names, ())
    assistant_instructions: str | None = setting(prose(20_000), file=True)
    approval_seconds: int = setting(integer(1, 3600), 120)
    resume_seconds: int = setting(integer(0, 3600), 0)
    starting_credits: int = setting(integer(0, 1_000_000_000), 1000)
    integrations_billing: Mapping[str, str] = setting(billing, dict)
    integrations_gateway_url: str | None = setting(url)
    media_dir: Path | None = setting(directory)
    media_quota: int = setting(integer(32, 1_000_000), 256)  # MiB
    mcp: bool = setting(switch, True)
    mcp_endpoints: bool = setting(switch, True)
    cors_origins: tuple[str, ...] = setting(origins, ())
    extensions: tuple[str, ...] = setting(names, ())
    sandbox: bool = setting(switch, False)
    sandbox_anywhere: bool = setting(switch, False)
    # What `with_declared` adds: vendors' settings by name, which of them are secrets, and names in
    # the environment that look like settings of ours.
    vendors: Mapping[str, str] = field(default_factory=dict, repr=False)
    vendor_secrets: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)  # as `load` was given it

    @property
    def listen(self) -> str:
        return self.bind or f"127.0.0.1:{self.port}"

    @property
    def own_url(self) -> str:
        return self.public_url or f"http://127.0.0.1:{self.port}"

    @property
    def instance(self) -> str:
        """A short name that tells this deployment from others: 8 hexadecimal digits."""
        return hashlib.sha256(self.own_url.encode()).hexdigest()[:8]

    @property
    def token_ceilings(self) -> dict[str, int]:
        """By kind of provider."""
        return {"A": self.token_ceiling_a, "B": self.token_ceiling_b, "C": self.token_ceiling_c}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret text, for redaction: of the database's address, only what is secret."""
        named = [f.name for f in fields(self) if f.metadata.get("secret")]
        plain = [getattr(self, name) for name in named if name != "database_url"]
        plain += [self.vendors.get(name) for name in self.vendor_secrets]
        plain += [base64.b64encode(key).decode() for _, key in self.token_encryption_keys]
        plain += hidden_in(self.database_url)
        return tuple(value for value in plain if isinstance(value, str) and value)


KINDS: Mapping[str, Callable[[str], str]] = {"text": text, "url": url, "server": server}


class Declared(Protocol):
    """A setting that is declared elsewhere: that of a vendor."""

    name: str
    kind: str  # `text`, `url` or `server`
    secret: bool


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Our own settings from the process's environment, or another; raises `ConfigError`.

    `with_declared` completes them.
    """
    environ = os.environ if environ is None else environ
    values = {}
    for item in [item for item in fields(Settings) if item.metadata]:
        name = item.name.upper()
        raw = _read(environ, name, item.metadata["file"])
        if raw is not None:
            values[item.name] = _parse(name, raw, item.metadata["parse"])
    _refuse_mistakes(environ, *known_names())
    return Settings(**values, environ=dict(environ))


def with_declared(settings: Settings, declared: Iterable[Declared]) -> Settings:
    """The settings with those that vendors declare. Raises `ConfigError`."""
    environ, every = settings.environ, list(declared)
    values = {}
    for one in every:
        raw = _read(environ, one.name, one.secret)
        if raw is not None:
            values[one.name] = _parse(one.name, raw, KINDS[one.kind])
    plain, filed = known_names(every)
    _refuse_mistakes(environ, plain, filed)
    known = _with_files(plain, filed)
    unknown = sorted(n for n in environ if environ[n] and n not in known and n.startswith(PREFIXES))
    secrets = frozenset(one.name for one in every if one.secret)
    return replace(settings, vendors=values, vendor_secrets=secrets, unknown=tuple(unknown))


def _refuse_mistakes(environ: Mapping[str, str], plain: set[str], filed: set[str]) -> None:
    """Raises `ConfigError` for names that must not be ignored.

    A near miss counts only while the setting that it misses is not set: with both, it is probably
    somebody else's variable.
    """
    known = _with_files(plain, filed)
    for name in [name for name, value in environ.items() if value and name not in known]:
        if name in NOT_BUILT:
            raise ConfigError(f"{name}: must not be set, because this version does not have it")
        meant = misspelt(name, known - {key for key in known if environ.get(key)})
        if meant:
            raise ConfigError(f"{name}: must be spelt {meant}, if that is meant; else unset it")


def _with_files(plain: set[str], filed: set[str]) -> set[str]:
    return {*plain, *filed, *(f"{name}_FILE" for name in filed)}


def known_names(declared: Iterable[Declared] = ()) -> tuple[set[str], set[str]]:
    """The names of all settings: those that have no `_FILE`, and those that have one."""
    plain = {one.name for one in declared if not one.secret}
    filed = {one.name for one in declared if one.secret}
    for item in fields(Settings):
        if item.metadata:
            (filed if item.metadata["file"] else plain).add(item.name.upper())
    return plain, filed


def _read(environ: Mapping[str, str], name: str, file: bool) -> str | None:
    """The variable's value, or None when it is unset or empty."""
    path = environ.get(f"{name}_FILE") if file else None
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
