"""The contents of Drive's files: uploads and downloads of up to 5 MiB.

Source: developers.google.com/workspace/drive/api/guides, "Upload file data" and "Download and
export files".
"""

import base64
import secrets
from dataclasses import replace
from json import dumps
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Bytes, Parameters, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.media import MEDIA
from service.integrations.declare.reading import text
from service.integrations.declare.request import Outgoing, get, post
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Int, Maybe, Shape, Str, Within
from service.integrations.vendors.google.drive import (
    FIELDS,
    FILE,
    FILES,
    MEDIA_TYPE,
    OURS,
    PLAN,
    STORED,
    ExistingFile,
)
from service.integrations.vendors.google.suite import DRIVE, GOOGLE, UPLOAD
from service.web.errors import InvalidRequest, TooLarge

GUIDES = "https://developers.google.com/workspace/drive/api/guides"
LIMIT = 5 << 20  # bytes of a file in both directions: the limit of a multipart upload
EXPORTS = {  # the default formats for documents in Google's own formats
    f"{OURS}document": "application/pdf",
    f"{OURS}presentation": "application/pdf",
    f"{OURS}drawing": "application/pdf",
    f"{OURS}spreadsheet": "text/csv",
    f"{OURS}script": "application/vnd.google-apps.script+json",
}
VIDS = f"{OURS}vid"  # Google gives these only to `files.download`, a long-running operation


class Upload(Parameters):
    name = Words("The file's name.", most=1000, to="json.name", required=True)
    content = Words("What is in the file, as text.")
    contentBase64 = Bytes("What is in the file, in base64.", most=LIMIT)
    mimeType = Words("Its media type.", pattern=MEDIA_TYPE)
    folderId = Words(
        "The folder to put it in.", most=200, to="json.parents", theirs=lambda folder: [folder]
    )
    convertTo = Words(
        "The kind of Google's own documents to make of it.", pattern=MEDIA_TYPE, to="json.mimeType"
    )

    @validates_schema
    def one_content(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("content" in data) == ("contentBase64" in data):
            raise ValidationError("Give either content or contentBase64.", "content")


def _upload(
    call: Call,
    request: Outgoing,
    *,
    content: str | None = None,
    content_base64: bytes = b"",
    mime_type: str | None = None,
) -> dict[str, Any]:
    raw = content_base64 if content is None else content.encode()
    if len(raw) > LIMIT:
        raise _too_large()
    usual = "application/octet-stream" if content is None else "text/plain"
    body = _related(request.json, raw, mime_type or usual)
    return STORED.read(call.send(replace(request, content=body, json=None)))


def _related(facts: Any, content: bytes, media_type: str) -> tuple[bytes, str]:
    """Return a `multipart/related` body of JSON and a file (RFC 2387), and its media type."""
    boundary = secrets.token_hex(24)
    head = (
        f"--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n"
        f"{dumps(facts)}\r\n--{boundary}\r\nContent-Type: {media_type}\r\n\r\n"
    )
    whole = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return whole, f"multipart/related; boundary={boundary}"


STORING = (
    "POST /files?uploadType=multipart&fields=id%2Cname%2CmimeType%2Csize%2CmodifiedTime"
    "%2CcreatedTime%2CwebViewLink%2CiconLink%2Cparents%2Cshared&supportsAllDrives=true"
)
upload = Endpoint(
    name="drive-upload", vendor=GOOGLE, category="suite",
    summary="Upload a new file of at most 5 MiB.",
    says=Says("Putting the file “{name}” into the files", "Put the file “{name}” into the files"),
    docs=f"{GUIDES}/manage-uploads#multipart", seconds=90, body_limit=LIMIT * 4 // 3 + (1 << 16),
    scope="drive.file", accepted=("drive",),
    takes=Upload, run=_upload, gives=STORED,
    asks=post(FILES, base=UPLOAD, query={
        "uploadType": "multipart", "fields": FIELDS, "supportsAllDrives": True,
    }),
    examples=(
        example(
            {"name": "Plan.txt", "content": "1. Write it.\n", "folderId": "0root"},
            STORING, PLAN, base=UPLOAD,
            body=[{"name": "Plan.txt", "parents": ["0root"]}, "1. Write it.\n"],
        ),
        example(
            {
                "name": "Plan", "contentBase64": "YSxiCg==", "mimeType": "text/csv",
                "convertTo": f"{OURS}spreadsheet",
            },
            STORING, PLAN, base=UPLOAD,
            body=[{"name": "Plan", "mimeType": f"{OURS}spreadsheet"}, "a,b\n"],
        ),
    ),
)  # fmt: skip


class Download(ExistingFile):
    exportMimeType = Words(
        "What to convert one of Google's own documents to. Without it, a spreadsheet becomes CSV "
        "(its first sheet), a script JSON and any other document PDF.",
        pattern=MEDIA_TYPE,
    )
    acknowledgeAbuse = Switch(
        "Whether to download it even if Google takes it for malware or spam.", default=False
    )


INLINE = 256 << 10  # bytes of a file that is put in the answer; larger files are stored
CONTENT = get(FILE, base=DRIVE, query={"alt": "media", "supportsAllDrives": True}, returns="bytes")
# Google exports at most 10 MB. The size of a document says nothing about that of its export.
EXPORT = get(f"{FILE}/export", base=DRIVE, returns="bytes", limit=11 << 20)
NAMED = Shape(id="id", name=Maybe("name"))


def _download(
    call: Call,
    request: Outgoing,
    *,
    file_id: str,
    acknowledge_abuse: bool,
    export_mime_type: str | None = None,
) -> dict[str, Any]:
    known = call.send(request)
    target = kind = text(known, "mimeType")
    if kind == VIDS:
        raise InvalidRequest("Google does not export a video of Google Vids.", details={})
    if kind.startswith(OURS):
        target = export_mime_type or EXPORTS.get(kind, "")
        part = EXPORT.with_parts(path={"fileId": file_id}, query={"mimeType": target})
    else:
        _refuse_large(known)
        acknowledged = {"acknowledgeAbuse": True} if acknowledge_abuse else {}
        part = CONTENT.with_parts(path={"fileId": file_id}, query=acknowledged)
    if not target:
        raise InvalidRequest("This is a folder, or another entry without content.", details={})
    content, _ = call.send(part)
    if len(content) > LIMIT:
        raise _too_large()
    named, is_small = NAMED.read(known), len(content) <= INLINE
    return {
        **named,
        "mimeType": target,
        "size": len(content),
        "contentBase64": base64.b64encode(content).decode() if is_small else None,
        "media": None if is_small else call.keep(content, target, named["name"] or ""),
    }


def _refuse_large(known: Any) -> None:
    """Raise if a file is too large. Its size is a text."""
    size = find(known, "size")
    if isinstance(size, str) and size.isdecimal() and int(size[:20]) > LIMIT:
        raise _too_large()


def _too_large() -> TooLarge:
    return TooLarge("Files of at most 5 MiB are taken.", limit=LIMIT)


download = Endpoint(
    name="drive-download", vendor=GOOGLE, category="suite",
    # A document in Google's own formats is converted: to PDF, a table to CSV, or as requested.
    summary="The content of a file of at most 5 MiB: in base64, above 256 KiB as a URL.",
    docs=f"{GUIDES}/manage-downloads", access=READ, seconds=90, makes=LIMIT,
    scope="drive.readonly", accepted=("drive",), narrow=("drive.file",),
    takes=Download, run=_download,
    asks=get(FILE, base=DRIVE, query={
        "fields": "id,name,mimeType,size", "supportsAllDrives": True,
    }),
    gives=Shape(
        NAMED, mimeType="mimeType", size=Int("size"),
        contentBase64=Maybe(Str("contentBase64", about="Of up to 256 KiB.")),
        media=Maybe(Within("media", MEDIA)),
    ),
    examples=(
        Example({"fileId": "1aBcD"}, (
            Exchange(
                "GET /files/1aBcD?fields=id%2Cname%2CmimeType%2Csize&supportsAllDrives=true",
                PLAN, base=DRIVE,
            ),
            Exchange(
                "GET /files/1aBcD?alt=media&supportsAllDrives=true", b"1. Write it.\n",
                base=DRIVE, when={"query.alt": "media"},
            ),
        )),
        Example({"fileId": "1dOcU", "exportMimeType": "text/plain"}, (
            Exchange(
                "GET /files/1dOcU?fields=id%2Cname%2CmimeType%2Csize&supportsAllDrives=true",
                {"id": "1dOcU", "name": "Notes", "mimeType": f"{OURS}document"},
                base=DRIVE, serves="/files/1dOcU",
            ),
            Exchange(
                "GET /files/1dOcU/export?mimeType=text%2Fplain", b"Agreed.\n",
                base=DRIVE, serves="/files/{fileId}/export",
            ),
        )),
        Example({"fileId": "1pIcT"}, (
            Exchange(
                "GET /files/1pIcT?fields=id%2Cname%2CmimeType%2Csize&supportsAllDrives=true",
                {"id": "1pIcT", "name": "Plan.png", "mimeType": "image/png", "size": "262145"},
                base=DRIVE, serves="/files/1pIcT",
            ),
            Exchange(
                "GET /files/1pIcT?alt=media&supportsAllDrives=true", bytes(INLINE + 1),
                base=DRIVE, serves="/files/1pIcT", when={"query.alt": "media"},
            ),
        )),
    ),
)  # fmt: skip
