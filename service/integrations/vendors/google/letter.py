"""Write messages in the form of RFC 5322, for Gmail's `raw`.

This module writes headers itself. `email` takes seconds for a long name that is not ASCII (Python
3.11.7), and writes line breaks to which an encoded word decodes. All functions here take linear
time.
Sources: RFC 5322, RFC 2047; developers.google.com/workspace/gmail/api/guides/threads.
"""

import base64
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping

from service.integrations.vendors.google.mailboxes import addresses, one_line, parse_mailboxes
from service.web.errors import InvalidRequest

MESSAGE_ID = re.compile(r"<[!-;=?-~]+>")
MOST_RECIPIENTS = 100
HEADER_LIMIT = 20_000  # characters of a received header, whose addresses take 20 ms to read
SUBJECT_LIMIT = 998
LINE = 66  # characters of a header's line, so that its name fits before them
WORD = 39  # bytes in an encoded word, which then has 64 characters
BODY_LINE = 998
_PLAIN = re.compile("[ -~]*")
_BREAK = re.compile("\r\n|\r|\n")


def letter(
    to: str,
    subject: str,
    content: str,
    is_html: bool = False,
    cc: str | None = None,
    bcc: str | None = None,
) -> str:
    """Return a whole message. The recipients are in the form that `addresses` reads."""
    listed = {"To": to, "Cc": cc, "Bcc": bcc}
    lines = [f"{name}: {_mailboxes(addresses(text))}" for name, text in listed.items() if text]
    lines.append(f"Subject: {_text(one_line(subject))}")
    lines.append("MIME-Version: 1.0")
    lines.append(f'Content-Type: text/{"html" if is_html else "plain"}; charset="utf-8"')
    encoding, body = _body(content)
    lines.append(f"Content-Transfer-Encoding: {encoding}")
    return "\r\n".join([*lines, "", body])


def reply_to(
    original: Mapping[str, str],
    own: str | None,
    content: str,
    is_html: bool = False,
    cc: str | None = None,
    is_sent: bool = False,
) -> str | None:
    """Return a reply to a message with these headers, ready to send, or None without recipients.

    With the `own` address, the reply goes to all except oneself. With `is_sent`, the account itself
    has sent the message, so the reply goes to its recipients. Other people's names are left out,
    because they are encoded, and their decoded text need not be a name. Raises `InvalidRequest` for
    too many recipients.
    """
    to = _recipients_of_reply(original, is_sent)
    if not to:
        return None
    others = _plain(original.get("to")) + _plain(original.get("cc")) if own else []
    known = {*to, (own or "").lower()}
    copied = [one for one in dict.fromkeys(others) if one not in known]
    if len(to) + len(copied) + len(addresses(cc or "")) > MOST_RECIPIENTS:
        raise _too_many()
    copies = ", ".join([*copied, *([cc] if cc else [])])
    answer = letter(", ".join(to), _re(original.get("subject", "")), content, is_html, copies)
    return encode_message(answer, _thread(original))


def encode_message(message: str, thread: str = "") -> str:
    """Return a message in base64url, with the headers that put it into a conversation."""
    return base64.urlsafe_b64encode((thread + message).encode()).decode()


def _thread(original: Mapping[str, str]) -> str:
    """Return the thread's headers. Ids are never encoded, because mail programs compare them."""
    replied = MESSAGE_ID.findall(original.get("message-id", "")[:BODY_LINE])[:1]
    if not replied:
        return ""
    named = MESSAGE_ID.findall(original.get("references", "")[-HEADER_LIMIT:])
    earlier = [one for one in named if len(one) < BODY_LINE][-20:]
    references = "\r\n ".join([*earlier, *replied])
    return f"In-Reply-To: {replied[0]}\r\nReferences: {references}\r\n"


def _recipients_of_reply(original: Mapping[str, str], is_sent: bool) -> list[str]:
    """Return the recipients of a reply. One's own message may name others in `Reply-To`."""
    sender, wanted = _plain(original.get("from")), _plain(original.get("reply-to"))
    if is_sent and (not wanted or wanted == sender):
        return _plain(original.get("to"))
    return wanted or sender


def _plain(header: str | None) -> list[str]:
    if header and len(header) > HEADER_LIMIT:
        raise _too_many()
    return parse_mailboxes(header) if header else []


def _too_many() -> InvalidRequest:
    text = f"That message has more people in it than the {MOST_RECIPIENTS} a reply may go to."
    return InvalidRequest(text, details={})


def _re(subject: str) -> str:
    """Return the subject of a reply, in the form by which mail programs find its thread."""
    line = subject[: SUBJECT_LIMIT - 4].strip()
    return line if line[:3].lower() == "re:" else f"Re: {line}"


def _mailboxes(people: Iterable[tuple[str, str]]) -> str:
    return ",\r\n ".join(_mailbox(name, address) for name, address in people)


def _mailbox(name: str, address: str) -> str:
    if not name:
        return address
    if len(name) <= LINE // 2 and _is_plain(name):
        quoted = re.sub(r'(["\\])', r"\\\1", name)
        phrase = name if name.replace(" ", "").isalnum() else f'"{quoted}"'
    else:
        phrase = _encoded(name)
    fits = len(phrase) + len(address) < LINE
    return f"{phrase}{' ' if fits else chr(13) + chr(10) + ' '}<{address}>"


def _text(line: str) -> str:
    """Return a text without structure, folded at its spaces, or in encoded words."""
    if _is_plain(line):
        lines = textwrap.wrap(line, LINE, break_long_words=False, break_on_hyphens=False)
        if all(len(one) <= LINE for one in lines):
            return "\r\n ".join(lines)
    return _encoded(line)


def _is_plain(text: str) -> bool:
    """Return whether a text needs no encoding. Text that looks like an encoded word needs it."""
    return _PLAIN.fullmatch(text) is not None and "=?" not in text


def _encoded(text: str) -> str:
    """Return encoded words (RFC 2047), which a reader joins without the breaks."""
    words = (base64.b64encode(piece).decode() for piece in _pieces(text.encode()))
    return "\r\n ".join(f"=?utf-8?b?{word}?=" for word in words)


def _pieces(text: bytes) -> Iterator[bytes]:
    """Yield UTF-8 in pieces of at most `WORD` bytes, none of which ends within a character."""
    start = 0
    while start < len(text):
        end = min(start + WORD, len(text))
        while end < len(text) and text[end] & 0xC0 == 0x80:
            end -= 1
        yield text[start:end]
        start = end


def _body(content: str) -> tuple[str, str]:
    """Return the transfer encoding, and the body in it. Other servers may refuse 8 bits."""
    lines = _BREAK.split(content)
    whole = "\r\n".join(lines if lines[-1] == "" else [*lines, ""])
    if whole.isascii() and max(map(len, lines)) <= BODY_LINE:
        return "7bit", whole
    encoded = base64.encodebytes(whole.encode("utf-8", "replace")).decode()
    return "base64", encoded.replace("\n", "\r\n")
