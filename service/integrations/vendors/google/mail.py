"""Mail: the newest messages.

Source: developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages.
"""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Count, Parameters, Several, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, need
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Shape, Str, Values
from service.integrations.vendors.google.suite import GOOGLE, MAIL

DOCS = "https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages"
MESSAGES = "/users/me/messages"
MESSAGE = "/users/me/messages/{id}"


def header_fields(*headers: str) -> dict[str, Any]:
    """Return the query for a message without its body, with the headers to show."""
    return {"format": "metadata", "metadataHeaders": headers}


# A message that was just listed may have been deleted.
GONE = {404: None, 410: None}
LISTED = get(MESSAGE, base=MAIL, query=header_fields("From", "To", "Subject", "Date"), instead=GONE)


def headers_by_name(message: Any) -> dict[str, str]:
    """Return its headers by their names in lower case. Google keeps the sender's case.

    Headers without text are left out, so that one odd message does not make a mailbox unreadable.
    """
    headers = as_list(find(need(message, "payload"), "headers") or [])
    texts = [(find(header, "name"), find(header, "value")) for header in reversed(headers)]
    return {
        name.lower(): value
        for name, value in texts
        if isinstance(name, str) and isinstance(value, str)
    }


def _header(name: str) -> Made:
    return Made(Maybe(""), lambda message, values: headers_by_name(message).get(name))


def labels(message: Any) -> list[Any]:
    """Return its labels, such as `UNREAD`, or `SENT` for the account's own messages."""
    return as_list(find(message, "labelIds") or [])


def _is_unread(message: Any, values: Values) -> bool:
    return "UNREAD" in labels(message)


THREAD = Shape(id="id", threadId=Maybe("threadId"))
MAIL_MESSAGE = Shape(
    THREAD, snippet=Maybe("snippet"),
    receivedAt=Maybe(Str("internalDate", about="Milliseconds since 1970, as text.")),
    **{name: _header(name) for name in ("subject", "from", "to", "date")},
    labels=Each("labelIds", default=()), unread=Made(Bool(""), _is_unread),
)  # fmt: skip
PAGE = Shape(nextCursor=Maybe("nextPageToken"), resultSizeEstimate=Maybe(Int("resultSizeEstimate")))
IDS = Shape(ids=Each("messages", "id", default=()))


class Messages(Parameters):
    query = Words("Only messages that match, as in Gmail's own search.", most=1000, to="query.q")
    labelIds = Several(
        Words(most=200), "Only messages with all of these labels.", most=20, to="query.labelIds"
    )
    maxResults = Count("Messages of a page.", least=1, most=50, to="query.maxResults", default=20)
    includeSpamTrash = Switch(
        "Also what is in spam or trash.", to="query.includeSpamTrash", default=False
    )
    cursor = Words("The `nextCursor` of the page before.", most=2000, to="query.pageToken")


def _list(call: Call, request: Outgoing) -> dict[str, Any]:
    page = call.send(request)
    facts, ids = PAGE.read(page), IDS.read(page)["ids"]
    messages = call.each(lambda id: call.send(LISTED.with_parts(path={"id": id})), ids)
    return {"messages": [MAIL_MESSAGE.read(one) for one in messages if one is not None], **facts}


list_mail = Endpoint(
    name="cloudsuite/mail-list", vendor=GOOGLE, category="suite",
    summary="Messages with their headers and first words, newest first.",
    says=Says(
        "Reading mails of the connected account",
        "Read {messages:mail} of the connected account",
    ),
    docs=f"{DOCS}/list", access=READ, seconds=45,
    scope="mail.readonly", accepted=("mail.modify", "mail.full"),
    takes=Messages, asks=get(MESSAGES, base=MAIL), run=_list,
    gives=Shape(PAGE, messages=Each("", MAIL_MESSAGE)),
    examples=(Example({
        "query": "from:bob", "labelIds": ["INBOX", "UNREAD"], "maxResults": 1, "cursor": "10411",
    }, (
        Exchange(
            "GET /users/me/messages?q=from%3Abob&labelIds=INBOX&labelIds=UNREAD&maxResults=1"
            "&includeSpamTrash=false&pageToken=10411",
            {
                "messages": [{"id": "18c2f0a1", "threadId": "18c2f0a1"}],
                "nextPageToken": "10412", "resultSizeEstimate": 2,
            },
            base=MAIL,
        ),
        Exchange(
            "GET /users/me/messages/18c2f0a1?format=metadata&metadataHeaders=From"
            "&metadataHeaders=To&metadataHeaders=Subject&metadataHeaders=Date",
            File("google/message.json"), base=MAIL, serves=MESSAGE,
        ),
    )),),
)  # fmt: skip
