"""The settings as data: a field for each, with its parser and its default.

config.py fills them in from the environment; this module reads nothing.
"""

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from config_addresses import base_of, base_url, listening, origins, public_url, url
from config_values import (
    MODEL_NAMES,
    Billing,
    billing,
    budgets,
    directory,
    header,
    headers,
    hidden_in,
    integer,
    model_id,
    model_names,
    names,
    one_of,
    openid_scopes,
    prose,
    rate_limits,
    rate_store,
    sealing_keys,
    secret_of,
    switch,
    text,
)

ROOT = Path(__file__).resolve().parent
INSTANCE = ROOT / "instance"


def setting(
    parse: Callable[[str], Any], default: Any = None, *, secret: bool = False, file: bool = False
) -> Any:
    """Declare a setting. `default` is a value, or a function that makes one.

    With `secret` or `file`, the setting may also be given as `NAME_FILE`.
    """
    metadata = {"parse": parse, "secret": secret, "file": secret or file}
    given: dict[str, Any] = {"default_factory" if callable(default) else "default": default}
    return field(**given, repr=not metadata["file"], metadata=metadata)


@dataclass(frozen=True)
class Settings:
    port: int = setting(integer(1, 65535), 8000)
    bind: str | None = setting(listening)
    web_concurrency: int = setting(integer(1, 64), 1)
    graceful_timeout: int = setting(integer(1, 600), 30)
    request_head_seconds: int = setting(integer(1, 600), 15)
    request_body_seconds: int = setting(integer(1, 600), 30)
    response_seconds: int = setting(integer(1, 600), 60)
    public_url: str | None = setting(public_url)
    database_url: str = setting(text, f"sqlite:///{INSTANCE / 'app.db'}", secret=True)
    database_pool_size: int = setting(integer(1, 200), 10)
    sqlite_sync: str = setting(one_of("normal", "full"), "full")
    auth_secret: str | None = setting(secret_of(32), secret=True)
    auth_jwks_url: str | None = setting(url)
    auth_issuer: str | None = setting(text)
    auth_audience: str | None = setting(text)
    console_oidc_issuer: str | None = setting(url)
    console_oidc_client_id: str | None = setting(text)
    console_oidc_client_secret: str | None = setting(text, secret=True)
    console_oidc_scopes: str = setting(openid_scopes, "openid profile email offline_access")
    owner_token: str | None = setting(text, secret=True)
    token_encryption_keys: tuple[tuple[str, bytes], ...] = setting(sealing_keys, (), secret=True)
    provider_a_base_url: str | None = setting(base_of("/v1/messages", "/v1"))
    provider_a_api_key: str | None = setting(header, secret=True)
    provider_b_base_url: str | None = setting(base_of("/chat/completions"))
    provider_b_api_key: str | None = setting(header, secret=True)
    provider_c_base_url: str | None = setting(base_of("/chat/completions"))
    provider_c_api_key: str | None = setting(header, secret=True)
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
    rate_limits: tuple[tuple[str, str], ...] = setting(rate_limits, ())
    rate_limit_storage_url: str = setting(rate_store, "memory://", secret=True)
    turns_at_once: int = setting(integer(1, 1_000), 4)
    calls_at_once: int = setting(integer(1, 1_000), 16)
    jobs_at_once: int = setting(integer(1, 10_000), 20)
    budgets: Mapping[str, int] = setting(budgets, dict)  # micro-credits a day, by role
    starting_credits: int = setting(integer(0, 1_000_000_000), 1000)
    integrations_billing: Mapping[str, Billing] = setting(billing, dict)
    grant_idle_days: int = setting(integer(0, 365), 30)
    integrations_gateway_url: str | None = setting(base_of("/api/integrations", "/api"))
    media_dir: Path | None = setting(directory)
    media_quota: int = setting(integer(32, 1_000_000), 256)  # MiB
    mcp: bool = setting(switch, True)
    mcp_endpoints: bool = setting(switch, True)
    otel_exporter_otlp_endpoint: str | None = setting(base_url)
    otel_exporter_otlp_headers: tuple[tuple[str, str], ...] = setting(headers, (), secret=True)
    otel_service_name: str = setting(text, "chat-integration-service")
    otel_content: bool = setting(switch, False)
    cors_origins: tuple[str, ...] = setting(origins, ())
    extensions: tuple[str, ...] = setting(names, ())
    sandbox: bool = setting(switch, False)
    sandbox_anywhere: bool = setting(switch, False)
    # `with_declared` adds these: vendors' settings by name, the names of secret ones, and names in
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
        """A short name that distinguishes this deployment from others: 8 hexadecimal digits."""
        return hashlib.sha256(self.own_url.encode()).hexdigest()[:8]

    @property
    def token_ceilings(self) -> dict[str, int]:
        """The token ceilings by kind of provider."""
        return {"A": self.token_ceiling_a, "B": self.token_ceiling_b, "C": self.token_ceiling_c}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret text, for redaction. Of the database's URL, only the secret parts."""
        named = [f.name for f in fields(self) if f.metadata.get("secret")]
        plain = [getattr(self, name) for name in named if name != "database_url"]
        plain += [self.vendors.get(name) for name in self.vendor_secrets]
        plain += [base64.b64encode(key).decode() for _, key in self.token_encryption_keys]
        plain += [value for _, value in self.otel_exporter_otlp_headers]
        plain += hidden_in(self.database_url)
        return tuple(value for value in plain if isinstance(value, str) and value)
