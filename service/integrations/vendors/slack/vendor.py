"""Slack itself: its token, the channels that may be used, and how its refusals are read.

Slack refuses with status 200, `ok: false` and the name of an error. Only a rate limit has another
status, 429.
Source: docs.slack.dev/apis/web-api and, for the names, the pages of the methods.
"""

from collections.abc import Mapping
from typing import Any

from service.integrations.declare.credential import bearer
from service.integrations.declare.faults import Declined, forbidden, limited, not_found
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import Setting, base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import (
    Forbidden,
    InvalidRequest,
    NotConfigured,
    ServiceError,
    UpstreamFailed,
)

DOCS = "https://docs.slack.dev/reference/methods"
CHANNEL = "C0123456789"  # of the examples
LIMITED = {"ratelimited", "rate_limited", "message_limit_exceeded"}
ABSENT = {"channel_not_found", "team_not_found", "thread_not_found", "message_not_found"}
FORBIDDEN = {
    "not_in_channel", "is_archived", "access_denied", "ekm_access_denied", "restricted_action",
    "restricted_action_read_only_channel", "restricted_action_thread_locked",
    "restricted_action_thread_only_channel", "restricted_action_non_threadable_channel",
    "cannot_reply_to_message", "duplicate_channel_not_found", "duplicate_message_not_found",
    "slack_connect_canvas_sharing_blocked", "slack_connect_file_link_sharing_blocked",
    "slack_connect_lists_sharing_blocked",
}  # fmt: skip
INVALID = {
    "invalid_arguments", "invalid_blocks", "invalid_blocks_format", "invalid_cursor",
    "invalid_limit", "invalid_ts_latest", "invalid_ts_oldest", "invalid_types", "limit_required",
    "msg_blocks_too_long", "msg_too_long", "no_text", "markdown_text_conflict",
    "messages_tab_disabled", "invalid_metadata_format", "invalid_thread_ts",
    "too_many_attachments", "too_many_contact_cards",
}  # fmt: skip
# Errors about the operator's app: its token, its scopes, its plan. Slack has then done nothing.
DECLINED = {
    "account_inactive", "accesslimited", "app_access_restricted", "as_user_not_supported",
    "deprecated_endpoint", "enterprise_is_restricted", "invalid_auth", "method_deprecated",
    "missing_scope", "no_permission", "not_allowed_token_type", "not_authed", "org_login_required",
    "send_on_behalf_not_allowed", "team_access_not_granted", "token_expired", "token_revoked",
    "two_factor_setup_required",
}  # fmt: skip


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. After unlisted errors, such as `fatal_error`, a part may have been done."""
    if reply.status != 200 or find(reply.body, "ok") is True:
        return None
    match find(reply.body, "error"):
        case str(error) if error in LIMITED:
            return limited(reply)
        case str(error) if error in ABSENT:
            return not_found()
        case str(error) if error in FORBIDDEN:
            return forbidden()
        case str(error) if error in INVALID:
            return InvalidRequest("The upstream does not accept these parameters.", details={})
        case str(error) if error in DECLINED:
            return Declined(upstreamStatus=reply.status)
    return UpstreamFailed(upstreamStatus=reply.status)


OPEN_CHANNELS = Setting(
    "SLACK_CHANNELS",
    "ids of the channels that may be read and written, comma separated; none without it",
    kind="ids",
    sandbox=CHANNEL,
)
SLACK = Vendor(
    integration="teamchat",
    name="slack",
    bases=(base_url("SLACK_BASE_URL", "https://slack.com/api"),),
    credential=bearer(secret("SLACK_BOT_TOKEN", "the token of a bot in your Slack workspace")),
    settings=(OPEN_CHANNELS,),
    refusal=_refusal,
)


def open_channels(settings: Mapping[str, str]) -> set[str]:
    """Return the ids of the channels that may be used. Raises `NotConfigured` if there are none.

    Source: docs/contract.md, section 10.4.
    """
    names = {name.strip() for name in settings.get(OPEN_CHANNELS.name, "").split(",")} - {""}
    if not names:
        raise NotConfigured(OPEN_CHANNELS.name)
    return names


def refuse_closed(settings: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """Raise `Forbidden` for a channel that `SLACK_CHANNELS` does not list."""
    if values["channel"] not in open_channels(settings):
        raise Forbidden("This channel is not open to this service.")
