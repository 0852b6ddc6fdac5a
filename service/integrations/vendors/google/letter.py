"""A message in the form of RFC 5322, as Gmail's `raw` takes it.

Sources: RFC 5322, RFC 2047; developers.google.com/workspace/gmail/api/guides/threads.
"""

import base64
import re
from collections.abc import Mapping
from email import policy
from email.message import EmailMessage
from email.utils import formataddr, getaddresses

# Gmail takes 8-bit bodies, but the servers behind it need not.
WIRE = policy.SMTP.clone(cte_type="7bit")
_ATOM = r"[\w!#$%&'*+/=^`{|}~-]+"
ADDRESS = re.compile(rf"{_ATOM}(\.{_ATOM})*@[\w-]+(\.[\w-]+)+", re.ASCII)
MESSAGE_ID = re.compile(r"<[!-;=?-~]+>")


def addresses(text: str) -> list[tuple[str, str]]:
    """Name and address of each; empty if one of them is not an address."""
    found = getaddresses([text])
    right = all(ADDRESS.fullmatch(address) for _, address in found)
    return [(_line(name), address) for name, address in found] if right else []


def letter(
    to: str,
    subject: str,
    content: str,
    isHtml: bool = False,  # noqa: N803
    cc: str | None = None,
    bcc: str | None = None,
) -> EmailMessage:
    """The recipients are as `addresses` takes them."""
    message = EmailMessage(policy=WIRE)
    for name, listed in (("To", to), ("Cc", cc), ("Bcc", bcc)):
        if listed:
            message[name] = ", ".join(formataddr(pair) for pair in addresses(listed))
    message["Subject"] = _line(subject)
    message.set_content(content, subtype="html" if isHtml else "plain")
    return message


def reply_to(
    original: Mapping[str, str],
    own: str | None,
    content: str,
    isHtml: bool = False,  # noqa: N803
    cc: str | None = None,
) -> str | None:
    """A reply to a message with these headers, ready to send; None if nobody can be replied to.

    With `own` address, to all but oneself. Other people's names are left out: they come encoded,
    and what they decode to need not be a name.
    """
    to = _plain(original.get("reply-to")) or _plain(original.get("from"))
    if not to:
        return None
    others = _plain(original.get("to")) + _plain(original.get("cc")) if own else []
    copied = [one for one in dict.fromkeys(others) if one not in to and one != (own or "").lower()]
    copies = ", ".join([*copied, *([cc] if cc else [])])
    answer = letter(", ".join(to), _re(original.get("subject", "")), content, isHtml, copies)
    return written(answer, _thread(original))


def written(message: EmailMessage, thread: str = "") -> str:
    """In base64url, with the headers that put it into a conversation."""
    return base64.urlsafe_b64encode(thread.encode() + message.as_bytes()).decode()


def _thread(original: Mapping[str, str]) -> str:
    """Both headers, written by hand: `email` encodes an identifier that is longer than a line, as
    those of some servers are, and then no client finds the message it answers."""
    replied = MESSAGE_ID.findall(original.get("message-id", ""))[:1]
    if not replied:
        return ""
    earlier = MESSAGE_ID.findall(original.get("references", ""))[-20:]
    references = "\r\n ".join([*earlier, *replied])
    return f"In-Reply-To: {replied[0]}\r\nReferences: {references}\r\n"


def _plain(header: str | None) -> list[str]:
    found = getaddresses([header]) if header else []
    return [address.lower() for _, address in found if ADDRESS.fullmatch(address)]


def _re(subject: str) -> str:
    """The same subject, as threading wants it."""
    line = subject.strip()
    return line if line[:3].lower() == "re:" else f"Re: {line}"


def _line(text: str) -> str:
    """One line that `email` takes as it is: what an encoded word in it decodes to may have line
    breaks, and those it would write out, as headers of their own (Python 3.11.7)."""
    whole = text.encode("utf-8", "replace").decode()  # half characters, from a vendor's JSON
    return " ".join(whole.split()).replace("=?", "= ?")
