"""Settings: the one place that reads the environment.

`load(environ)` turns environment variables into a frozen `Settings`, whose fields
`config_settings.py` declares. A field's name in capitals is the variable's name. A wrong value
raises `ConfigError` with the setting's name at boot, and never shows the value. Every secret `NAME`
may instead be given as `NAME_FILE`, a path whose content is read, and so may a long text. A
variable whose name is nearly a setting's name raises `ConfigError` too.
docs/deployment.md describes each setting; a test compares.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Protocol

from click import ClickException

from config_addresses import base_url, server, url
from config_names import misspelt, unread_file
from config_settings import INSTANCE, ROOT, Settings
from config_values import MODEL_NAMES, header, ids, scope_names, sealing_keys, text

__all__ = [
    "INSTANCE", "MODEL_NAMES", "ROOT", "ConfigError", "Settings", "known_names",
    "load", "sealing_keys", "with_declared",
]  # fmt: skip

# prometheus_client, which is imported later, would take an empty value for the working directory.
if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)

# Only names of our own settings begin with these prefixes.
PREFIXES = (
    "PROVIDER_", "CLOUDSUITE_", "INTEGRATIONS_", "SANDBOX_", "TOOLS_", "TOKEN_CEILING_",
    "TOKEN_ENCRYPTION_", "OWNER_TOKEN_", "CONSOLE_OIDC_",
)  # fmt: skip


class ConfigError(ClickException):
    """A setting is missing or wrong; the text begins with the setting's name.

    A command that it ends prints just this text.
    """


KINDS: Mapping[str, Callable[[str], str]] = {
    "text": text,
    "header": header,
    "url": url,
    "base-url": base_url,
    "server": server,
    "scope-names": scope_names,
    "ids": ids,
}


class Declared(Protocol):
    """A setting that is declared outside this module: a vendor's setting."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...  # one of `KINDS`

    @property
    def secret(self) -> bool: ...


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Return our own settings, from the process's environment by default. Raises `ConfigError`.

    `with_declared` adds the settings that vendors declare.
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
    """Return the settings together with those that vendors declare. Raises `ConfigError`."""
    environ, every = settings.environ, list(declared)
    own, of_files = known_names()
    if taken := sorted({one.name for one in every} & (own | of_files)):
        raise ConfigError(f"EXTENSIONS: a vendor declares {taken[0]}, a setting of the service")
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
    """Raise `ConfigError` for a variable whose name is nearly a setting's name.

    So is the file of a setting that is no secret: the setting's default would be used instead. The
    variable is ignored if that setting is set as well: it then probably belongs to another program.
    """
    if name := unread_file(environ, plain):
        raise ConfigError(f"{name}_FILE: must not be set: only secrets are read from files")
    known = _with_files(plain, filed)
    missing = sorted(key for key in known if not environ.get(key))
    for name in [name for name, value in environ.items() if value and name not in known]:
        meant = misspelt(name, missing)
        if meant:
            raise ConfigError(f"{name}: must be spelt {meant}. If it is no setting, remove it")


def _with_files(plain: set[str], filed: set[str]) -> set[str]:
    return {*plain, *filed, *(f"{name}_FILE" for name in filed)}


def known_names(declared: Iterable[Declared] = ()) -> tuple[set[str], set[str]]:
    """Return the names of all settings: those without a `_FILE` variant, then those with one."""
    plain = {one.name for one in declared if not one.secret}
    filed = {one.name for one in declared if one.secret}
    for item in fields(Settings):
        if item.metadata:
            (filed if item.metadata["file"] else plain).add(item.name.upper())
    return plain, filed


def _read(environ: Mapping[str, str], name: str, file: bool) -> str | None:
    """Return the variable's value or its file's content, or None if neither variable is set."""
    path = environ.get(f"{name}_FILE") if file else None
    if not path:
        return environ.get(name) or None
    if environ.get(name):
        raise ConfigError(f"{name}: set either {name} or {name}_FILE, not both")
    try:
        content = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name}_FILE: {type(error).__name__} while reading it") from None
    if not content:  # an undelivered secret: the default would be used instead
        raise ConfigError(f"{name}_FILE: the file is empty")
    return content


def _parse(name: str, raw: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(raw)
    except ValueError as error:
        shown = str(error)
        # int() quotes its input: a value typed into the wrong variable may be a secret.
        reason = shown if shown.startswith("must ") else "not a valid value"
        raise ConfigError(f"{name}: {reason}") from None
