"""The sandbox's secrets: made at random once, kept in `instance/` for its owner's eyes only."""

import base64
import hmac
import json
import os
import secrets
from dataclasses import replace
from pathlib import Path

from config import Settings, sealing_keys
from service.auth.tokens import issue

TEN_YEARS = 10 * 365 * 24 * 3600


def fill(settings: Settings, directory: Path) -> Settings:
    """The settings with every missing secret filled in from `directory/sandbox.json`."""
    kept = _kept(directory / "sandbox.json")
    filled = replace(
        settings,
        auth_secret=settings.auth_secret or kept["auth_secret"],
        token_encryption_keys=settings.token_encryption_keys or sealing_keys(kept["sealing_key"]),
    )
    owner = filled.owner_token or issue(filled, "owner", "owner", TEN_YEARS)
    return replace(filled, owner_token=owner)


def suite_client(directory: Path) -> tuple[str, str]:
    """The app's id and secret at the sandbox's office suite, from the same file: derived, so that
    a file of before there was a suite will do."""
    key = _kept(directory / "sandbox.json")["auth_secret"].encode()
    made = [hmac.digest(key, text, "sha256").hex() for text in (b"suite id", b"suite secret")]
    return f"sandbox-{made[0][:16]}", made[1]


def _kept(path: Path) -> dict[str, str]:
    """What is in the file, made first if need be; the first of several processes wins."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(_made(), file)
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return json.loads(path.read_text())


def _made() -> dict[str, str]:
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    return {"auth_secret": secrets.token_urlsafe(48), "sealing_key": f"sandbox:{key}"}
