"""Make the sandbox's secrets and database once in `instance/`, readable only by their owner."""

import base64
import hmac
import json
import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from config import ConfigError, Settings, sealing_keys
from config_values import secret_of
from service.auth.tokens import issue

TEN_YEARS = 10 * 365 * 24 * 3600


def fill(settings: Settings, directory: Path) -> Settings:
    """Return the settings with missing secrets filled in from `directory/sandbox.json`."""
    stored = _load_or_create(directory / "sandbox.json")
    complete = replace(
        settings,
        auth_secret=settings.auth_secret or stored["auth_secret"],
        token_encryption_keys=settings.token_encryption_keys or sealing_keys(stored["sealing_key"]),
    )
    owner = complete.owner_token or issue(complete, "owner", "owner", TEN_YEARS)
    return replace(complete, owner_token=owner)


def database_file(directory: Path) -> Path:
    """Return the file of the sandbox's database.

    Earlier releases used `app.db` with and without the sandbox, and their `sandbox.json` does not
    name a database. In that case `app.db` stays in use, so that no data seem lost after an update.
    """
    own, shared = directory / "sandbox.db", directory / "app.db"
    is_older = "database" not in _load_or_create(directory / "sandbox.json")
    return shared if is_older and shared.exists() and not own.exists() else own


def suite_client(directory: Path) -> tuple[str, str]:
    """Return the app's id and secret at the sandbox's office suite.

    They are derived from the stored secrets, so that older files need no new entry.
    """
    key = _load_or_create(directory / "sandbox.json")["auth_secret"].encode()
    digests = [hmac.digest(key, text, "sha256").hex() for text in (b"suite id", b"suite secret")]
    return f"sandbox-{digests[0][:16]}", digests[1]


def _load_or_create(path: Path) -> dict[str, str]:
    """Return the file's content. A missing file is created. Raises `ConfigError`."""
    try:
        if not path.exists():
            _create(path)
        stored: dict[str, str] = json.loads(path.read_text())
        _check(stored)
    except OSError as error:  # for example, the folder belongs to another user
        reason = f"{path} must be readable and its folder writable ({type(error).__name__})"
        raise ConfigError(f"SANDBOX: {reason}") from None
    except ValueError:
        raise ConfigError(f"SANDBOX: {path} is damaged; delete it for new secrets") from None
    return stored


def _check(stored: Any) -> None:
    """Raise ValueError unless `stored` has the sandbox's secrets."""
    match stored:
        case {"auth_secret": str(secret), "sealing_key": str(key)}:
            if secret_of(32)(secret) and sealing_keys(key):
                return
    raise ValueError


def _create(path: Path) -> None:
    """Write the file. If several processes write it, the first one wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(_generate(), file)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _generate() -> dict[str, str]:
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    return {
        "auth_secret": secrets.token_urlsafe(48),
        "sealing_key": f"sandbox:{key}",
        "database": "sandbox.db",
    }
