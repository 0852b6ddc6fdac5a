"""Google: its base URLs, its OAuth, and which scope sets which flag of the connection status.

Source: developers.google.com/identity/protocols/oauth2/web-server and …/oauth2/scopes.
"""

from service.integrations.declare.oauth2 import OAuth2, Revocation, Userinfo
from service.integrations.declare.setting import Setting, address, base_url, secret
from service.integrations.declare.vendor import Vendor
from service.integrations.vendors.google.refusals import refusal

MAIL = "CLOUDSUITE_MAIL_BASE_URL"
CALENDAR = "CLOUDSUITE_CALENDAR_BASE_URL"
DRIVE = "CLOUDSUITE_DRIVE_BASE_URL"
UPLOAD = "CLOUDSUITE_UPLOAD_BASE_URL"
CONTACTS = "CLOUDSUITE_CONTACTS_BASE_URL"

# Only for mail do Google's names differ from ours. Full access to mail has no suffix at all.
SCOPE_NAMES = {
    "mail.full": "https://mail.google.com/",
    "mail.modify": "gmail.modify",
    "mail.readonly": "gmail.readonly",
    "mail.metadata": "gmail.metadata",
    "mail.compose": "gmail.compose",
    "mail.send": "gmail.send",
}

# A broad scope sets the flags of all scopes in it. `mail.metadata` sets none: no endpoint of ours
# can work with headers alone.
FLAGS = {
    "mailSend": ("mail.full", "mail.modify", "mail.compose", "mail.send"),
    "mailRead": ("mail.full", "mail.modify", "mail.readonly"),
    "mailModify": ("mail.full", "mail.modify"),
    "calendar": (
        "calendar",
        "calendar.readonly",
        "calendar.events",
        "calendar.events.readonly",
        "calendar.events.owned",
        "calendar.events.owned.readonly",
    ),
    "drive": (
        "drive",
        "drive.readonly",
        "drive.metadata",
        "drive.metadata.readonly",
        "drive.file",
    ),
    "contacts": ("contacts", "contacts.readonly"),
}

OAUTH = OAuth2(
    client_id=Setting("CLOUDSUITE_CLIENT_ID", "the OAuth client's id", required=True),
    client_secret=secret("CLOUDSUITE_CLIENT_SECRET", "the OAuth client's secret"),
    authorize_url=address(
        "CLOUDSUITE_AUTHORIZE_URL", "https://accounts.google.com/o/oauth2/v2/auth", "consent page"
    ),
    issuer=Setting(
        "CLOUDSUITE_ISSUER",
        "the authorization server's identifier; if it is set, answers without `iss` are refused",
        default="https://accounts.google.com",
    ),
    token_url=address(
        "CLOUDSUITE_TOKEN_URL", "https://oauth2.googleapis.com/token", "token endpoint"
    ),
    revocation=Revocation(
        url=address(
            "CLOUDSUITE_REVOKE_URL", "https://oauth2.googleapis.com/revoke", "revocation endpoint"
        ),
        statuses=(200, 400),  # 400 for a token that has already ended
    ),
    userinfo=Userinfo(
        url=address(
            "CLOUDSUITE_USERINFO_URL",
            "https://openidconnect.googleapis.com/v1/userinfo",
            "userinfo endpoint",
        ),
        account=("sub", "id"),  # version 2 of Google's own userinfo has `id`
    ),
    parameters={
        "access_type": "offline",
        "include_granted_scopes": "true",
        "prompt": "consent",  # without it, only the first consent gives a refresh token
    },
    hint_parameter="login_hint",
    scope_base=base_url(
        "CLOUDSUITE_SCOPE_BASE", "https://www.googleapis.com/auth", "prefix of scopes"
    ),
    scope_names=SCOPE_NAMES,
    scope_names_setting=Setting(
        "CLOUDSUITE_SCOPE_NAMES",
        "`neutral=suffix` pairs that replace single scope names",
        "scope-names",
    ),
    # Google also answers with the short `email` and `profile`, which no endpoint needs.
    identity=("openid", "userinfo.email", "userinfo.profile"),
    incremental=True,
    flags=FLAGS,
    aggregates={"mail": ("mailSend", "mailRead")},
)

GOOGLE = Vendor(
    integration="cloudsuite",
    name="google",
    bases=(
        base_url(MAIL, "https://gmail.googleapis.com/gmail/v1"),
        base_url(CALENDAR, "https://www.googleapis.com/calendar/v3"),
        base_url(DRIVE, "https://www.googleapis.com/drive/v3"),
        base_url(UPLOAD, "https://www.googleapis.com/upload/drive/v3"),
        base_url(CONTACTS, "https://people.googleapis.com/v1"),
    ),
    oauth=OAUTH,
    refusal=refusal,
)
