"""A chat as a file, produced in pieces: Markdown for people, JSON with every stored field."""

import errno
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import quote

import structlog
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import Caller
from service.chat.collections import AI_CHATS, AI_MESSAGES
from service.records import store
from service.records.envelope import Envelope
from service.records.store import Query
from service.web.errors import ServiceError, outage_error
from service.web.json_values import encode

Format = Literal["markdown", "json"]
MEDIA_TYPES = {"markdown": "text/markdown; charset=utf-8", "json": "application/json"}
ENDINGS = {"markdown": "md", "json": "json"}
PAGE = 100  # messages
PAGE_BYTES = 1 << 20
NAME_LENGTH = 80
UNNAMED = "chat"
SPEAKERS = {"user": "You", "assistant": "Assistant"}
log = structlog.get_logger("chat")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')  # in file names, on some systems


def contents(caller: Caller, chat_id: str) -> tuple[Envelope, Iterator[Envelope]]:
    """Return a chat, and an iterator of its messages in their order. Needs an app context.

    The first page is read at once, so that a refusal comes before the stream. Each further page is
    read when it is needed, with the rights that the caller has then. After each page the chat must
    still exist: without its deleted messages, a page would look like the last one. Raises
    `Forbidden`, `NotFound`, `Unavailable`. The iterator raises `ConnectionResetError` instead,
    because only a closed connection tells the client that the file is incomplete.
    """
    page = _page(caller, chat_id, None)
    return store.get(AI_CHATS, caller, chat_id), _messages(caller, chat_id, page)


def _page(caller: Caller, chat_id: str, cursor: str | None) -> dict[str, Any]:
    query = Query(where={"chatId": chat_id}, limit=PAGE, cursor=cursor, bytes=PAGE_BYTES)
    return store.find(AI_MESSAGES, caller, query)


def _messages(caller: Caller, chat_id: str, page: dict[str, Any]) -> Iterator[Envelope]:
    yield from page["records"]
    while page["nextCursor"] is not None:
        page = _later_page(caller, chat_id, page["nextCursor"])
        yield from page["records"]


def _later_page(caller: Caller, chat_id: str, cursor: str) -> dict[str, Any]:
    """Return a further page. Raises `ConnectionResetError` if it is refused."""
    try:
        page = _page(caller, chat_id, cursor)
        store.get(AI_CHATS, caller, chat_id)
    except (ServiceError, SQLAlchemyError) as error:
        refusal = error if isinstance(error, ServiceError) else outage_error(error)
        if refusal is None:
            raise
        log.info("export broken off", error=refusal.code)
        raise ConnectionResetError(errno.ECONNRESET, refusal.code) from None
    return page


def as_json(chat: dict[str, Any], records: Iterator[Envelope]) -> Iterator[str]:
    """Yield `{"chat": …, "messages": […]}`, with the envelopes of the messages."""
    yield f'{{"chat": {encode(chat)}, "messages": ['
    for number, record in enumerate(records):
        yield ("," if number else "") + "\n" + encode(record)
    yield "\n]}\n"


def as_markdown(chat: dict[str, Any], records: Iterator[Envelope]) -> Iterator[str]:
    """Yield the title, then each message under its author's name, with its tool calls."""
    yield f"# {' '.join(chat['title'].split()) or UNNAMED.capitalize()}\n"
    for record in records:
        message = record["data"]
        speaker = SPEAKERS.get(message["role"], message["role"])
        yield f"\n## {speaker} · {record['createdAt'][:16].replace('T', ' ')} UTC\n"
        for call in filter(_is_call, message.get("parts") or ()):
            yield f"\n{_call(call)}\n"
        yield f"\n{message['content'].strip()}\n"


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and str(part.get("type", "")).startswith("tool-")


def _call(part: dict[str, Any]) -> str:
    """Return a tool call as a quotation. No text in its input can close its code block."""
    name, failed = str(part["type"]).removeprefix("tool-"), part.get("state") == "output-error"
    text = json.dumps(part.get("input"), ensure_ascii=False, indent=2)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = [f"Tool `{name}`" + (" (failed)" if failed else ""), "", f"{fence}json", text, fence]
    return "\n".join(f"> {line}".rstrip() for line in "\n".join(lines).splitlines())


def disposition(title: str, form: Format) -> str:
    """Return the file's `Content-Disposition`. Its name is made from the chat's title.

    Source: RFC 6266, with a name in ASCII for clients that don't know `filename*`.
    """
    printable = "".join(c for c in title if unicodedata.category(c) not in ("Cf", "Cs"))
    name = " ".join(_UNSAFE.sub(" ", printable).split())[:NAME_LENGTH].strip(" .") or UNNAMED
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = " ".join(re.sub(r"[^\w .,()-]", " ", plain).split()).strip(" .") or UNNAMED
    ending = ENDINGS[form]
    encoded = quote(f"{name}.{ending}", safe="")
    return f"attachment; filename=\"{plain}.{ending}\"; filename*=UTF-8''{encoded}"
