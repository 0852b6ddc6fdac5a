"""The vendor of the cloud suite: where it is, how its OAuth goes, which scope lights which flag.

Source: developers.google.com/identity/protocols/oauth2/web-server and …/oauth2/scopes.
"""

from service.integrations.catalog import OAuth2, Vendor
from service.integrations.vendors.google.refusals import refusal

MAIL = "CLOUDSUITE_MAIL_BASE_URL"
CALENDAR = "CLOUDSUITE_CALENDAR_BASE_URL"
DRIVE = "CLOUDSUITE_DRIVE_BASE_URL"
UPLOAD = "CLOUDSUITE_UPLOAD_BASE_URL"
CONTACTS = "CLOUDSUITE_CONTACTS_BASE_URL"

# Only mail has other names at Google than ours, and full access to it no suffix at all.
SCOPE_NAMES = {
    "mail.full": "https://mail.google.com/",
    "mail.modify": "gmail.modify",
    "mail.readonly": "gmail.readonly",
    "mail.metadata": "gmail.metadata",
    "mail.compose": "gmail.compose",
    "mail.send": "gmail.send",
}

# What a scope implies, it lights, never the other way round: sending alone reads nothing. The
# headers that `mail.metadata` shows are not "can read mail": no endpoint of ours makes do with it.
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
    prefix="CLOUDSUITE",
    authorize_url="https://accounts.google.com/o/oauth2/v2/auth",
    token_url="https://oauth2.googleapis.com/token",  # noqa: S106 - an address
    revoke_url="https://oauth2.googleapis.com/revoke",
    userinfo_url="https://openidconnect.googleapis.com/v1/userinfo",
    scope_base="https://www.googleapis.com/auth",
    scope_names=SCOPE_NAMES,
    flags=FLAGS,
    parameters={
        "access_type": "offline",
        "include_granted_scopes": "true",
        "prompt": "consent",  # without it, only the very first consent brings a refresh token
    },
)

GOOGLE = Vendor(
    integration="cloudsuite",
    name="google",
    base_urls={
        MAIL: "https://gmail.googleapis.com/gmail/v1",
        CALENDAR: "https://www.googleapis.com/calendar/v3",
        DRIVE: "https://www.googleapis.com/drive/v3",
        UPLOAD: "https://www.googleapis.com/upload/drive/v3",
        CONTACTS: "https://people.googleapis.com/v1",
    },
    oauth=OAUTH,
    refusal=refusal,
)
