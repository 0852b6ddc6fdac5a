"""Files: lists, uploads of up to 5 MB, downloads, and the trash.

Source: developers.google.com/workspace/drive/api/reference/rest/v3/files, and its guides to uploads
and search. A scope that opens only what the app itself has made is not enough for files that it has
not: accepted there, it would show a part as if it were all, and the rest could never be asked for.
"""

import base64
import secrets
from json import dumps
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from service.errors import InvalidRequest, TooLarge
from service.fields import Text
from service.integrations.call import Call, path_of
from service.integrations.catalog import Example, endpoint
from service.integrations.shape import as_object, at, need, objects, picked, text
from service.integrations.vendors.google.suite import DRIVE, GOOGLE, UPLOAD

DOCS = "https://developers.google.com/workspace/drive/api/reference/rest/v3/files"
FILES = "/files"
FILE = "/files/{fileId}"
EXPORT = "/files/{fileId}/export"
LIMIT = 5 << 20  # bytes of a file, each way: what one multipart upload takes
OURS = "application/vnd.google-apps."
EXPORTS = {  # what a document of Google's own kinds becomes, unless something else is asked for
    f"{OURS}document": "application/pdf",
    f"{OURS}presentation": "application/pdf",
    f"{OURS}drawing": "application/pdf",
    f"{OURS}spreadsheet": "text/csv",
    f"{OURS}script": "application/vnd.google-apps.script+json",
}
FIELDS = "id,name,mimeType,size,modifiedTime,createdTime,webViewLink,iconLink,parents,shared"
LIST_FIELDS = f"nextPageToken,incompleteSearch,files({FIELDS},owners(displayName,emailAddress))"
SHOWN = {
    "id": "id",
    "name": "name",
    "mimeType": "mimeType",
    "size": "size",
    "modifiedTime": "modifiedTime",
    "createdTime": "createdTime",
    "url": "webViewLink",
    "iconUrl": "iconLink",
    "parents": "parents",
    "shared": "shared",
}
MEDIA_TYPE = validate.Regexp(r"^[A-Za-z0-9_.+-]{1,100}/[A-Za-z0-9_.+-]{1,100}$(?!\n)")
FILE_ID = validate.Length(1, 200)


class Listing(Schema):
    query = Text(validate=validate.Length(1, 500))
    folderId = Text(validate=FILE_ID)
    mimeType = Text(validate=MEDIA_TYPE)
    pageSize = fields.Integer(load_default=50, strict=True, validate=validate.Range(1, 1000))
    orderBy = Text(validate=validate.Regexp(r"^[A-Za-z]+( desc)?(,[A-Za-z]+( desc)?){0,9}$(?!\n)"))
    cursor = Text(validate=validate.Length(1, 5000))


class Upload(Schema):
    name = Text(required=True, validate=validate.Length(1, 1000))
    content = Text()
    contentBase64 = Text()
    mimeType = Text(validate=MEDIA_TYPE)
    folderId = Text(validate=FILE_ID)
    convertTo = Text(validate=MEDIA_TYPE)

    @validates_schema
    def one_content(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("content" in data) == ("contentBase64" in data):
            raise ValidationError("Give either content or contentBase64.", "content")


class Chosen(Schema):
    fileId = Text(required=True, validate=FILE_ID)


class Download(Chosen):
    exportMimeType = Text(validate=MEDIA_TYPE)


PLAN = {
    "id": "1aBcD", "name": "Plan.txt", "mimeType": "text/plain", "size": "2048",
    "modifiedTime": "2026-11-20T09:00:00.000Z", "createdTime": "2026-11-18T08:30:00.000Z",
    "webViewLink": "https://drive.google.com/file/d/1aBcD/view", "parents": ["0root"],
    "owners": [{"displayName": "Alice", "emailAddress": "alice@example.com"}], "shared": False,
}  # fmt: skip
LISTED = Example("GET", FILES, {"files": [PLAN], "incompleteSearch": False})
STORED = Example("POST", FILES, {k: v for k, v in PLAN.items() if k != "owners"})
KNOWN = Example("GET", FILE, PLAN)
TRASHED = Example("PATCH", FILE, {"id": "1aBcD", "trashed": True})


@endpoint(
    "cloudsuite/drive-list", GOOGLE, Listing(), "suite", f"{DOCS}/list",
    examples=(LISTED,), aliases=("drive-list",), reads=True, seconds=30,
    scope="drive.readonly", accepted=("drive", "drive.metadata.readonly", "drive.metadata"),
)  # fmt: skip
def list_files(call: Call, pageSize: int, **asked: Any) -> dict[str, Any]:  # noqa: N803
    """Files that are not in the trash, the last changed first; or those in which words occur."""
    # Google orders a search by how well it fits, and then refuses another order.
    order = asked.get("orderBy") or (None if "query" in asked else "modifiedTime desc")
    query = {
        "q": _search(asked),
        "pageSize": pageSize,
        "orderBy": order,
        "pageToken": asked.get("cursor"),
        "fields": LIST_FIELDS,
        "spaces": "drive",
        "supportsAllDrives": True,
        "includeItemsFromAllDrives": True,
    }
    found = as_object(call.get(FILES, query, DRIVE))
    return {
        "files": [_file(item) for item in objects(at(found, "files") or [])],
        "nextCursor": at(found, "nextPageToken"),
    }


@endpoint(
    "drive-upload", GOOGLE, Upload(), "suite",
    "https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart",
    examples=(STORED,), seconds=90, body_limit=LIMIT * 4 // 3 + (1 << 16),
    scope="drive.file", accepted=("drive",),
)  # fmt: skip
def upload(call: Call, name: str, **given: Any) -> dict[str, Any]:
    """Put a new file of at most 5 MB into the files."""
    content, media_type = _content(given)
    facts: dict[str, Any] = {"name": name}
    if "folderId" in given:
        facts["parents"] = [given["folderId"]]
    if "convertTo" in given:
        facts["mimeType"] = given["convertTo"]
    body, content_type = _related(facts, content, media_type)
    query = {"uploadType": "multipart", "fields": FIELDS, "supportsAllDrives": True}
    return _file(call.upload(FILES, body, content_type, UPLOAD, query))


@endpoint(
    "drive-download", GOOGLE, Download(), "suite",
    "https://developers.google.com/workspace/drive/api/guides/manage-downloads",
    examples=(KNOWN,), reads=True, seconds=90,
    scope="drive.readonly", accepted=("drive",),
)  # fmt: skip
def download(call: Call, fileId: str, exportMimeType: str | None = None) -> dict[str, Any]:  # noqa: N803
    """A file's content, of at most 5 MB, in base64.

    A document of Google's own kinds is converted: to PDF, a table to CSV, or to `exportMimeType`.
    """
    query = {"fields": "id,name,mimeType,size", "supportsAllDrives": True}
    known = call.get(path_of(FILE, fileId=fileId), query, DRIVE)
    _refuse_large(known)
    kind = text(known, "mimeType")
    if kind.startswith(OURS):
        target = exportMimeType or EXPORTS.get(kind)
        if target is None:
            raise InvalidRequest("This is not a file that has a content.", details={})
        content, _ = call.download(path_of(EXPORT, fileId=fileId), {"mimeType": target}, DRIVE)
    else:
        target = kind
        media = {"alt": "media", "supportsAllDrives": True}
        content, _ = call.download(path_of(FILE, fileId=fileId), media, DRIVE)
    if len(content) > LIMIT:
        raise _too_large()
    return {
        "id": need(known, "id"),
        "name": at(known, "name"),
        "mimeType": target,
        "size": len(content),
        "contentBase64": base64.b64encode(content).decode(),
    }


@endpoint(
    "drive-delete", GOOGLE, Chosen(), "suite", f"{DOCS}/update",
    examples=(TRASHED,), seconds=30, scope="drive", idempotent=True,
)  # fmt: skip
def delete(call: Call, fileId: str) -> dict[str, Any]:  # noqa: N803
    """Put a file into the trash, from where its owner can take it back for 30 days."""
    query = {"fields": "id,trashed", "supportsAllDrives": True}
    known = call.patch(path_of(FILE, fileId=fileId), {"trashed": True}, DRIVE, query)
    deleted = need(known, "trashed")
    return {"id": need(known, "id"), "deleted": deleted, "permanent": False}


def _search(asked: dict[str, Any]) -> str:
    """Drive's query language; every value is quoted, so that it stays one."""
    terms = ["trashed = false"]
    if "query" in asked:
        terms.append(f"fullText contains {_quoted(asked['query'])}")
    if "folderId" in asked:
        terms.append(f"{_quoted(asked['folderId'])} in parents")
    if "mimeType" in asked:
        terms.append(f"mimeType = {_quoted(asked['mimeType'])}")
    return " and ".join(terms)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _content(given: dict[str, Any]) -> tuple[bytes, str]:
    """The bytes of a file, and their media type. Raises `TooLarge` and `InvalidRequest`."""
    if "content" in given:
        content, usual = given["content"].encode(), "text/plain"
    else:
        usual = "application/octet-stream"
        try:
            content = base64.b64decode(given["contentBase64"], validate=True)
        except ValueError:
            details = {"contentBase64": ["Must be base64."]}
            raise InvalidRequest(details=details) from None
    if len(content) > LIMIT:
        raise _too_large()
    return content, given.get("mimeType", usual)


def _related(facts: dict[str, Any], content: bytes, media_type: str) -> tuple[bytes, str]:
    """`multipart/related`, a JSON part and the file's (RFC 2387), and its media type."""
    boundary = secrets.token_hex(24)
    head = (
        f"--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n"
        f"{dumps(facts)}\r\n--{boundary}\r\nContent-Type: {media_type}\r\n\r\n"
    )
    whole = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return whole, f"multipart/related; boundary={boundary}"


def _file(item: Any) -> dict[str, Any]:
    owners = objects(at(item, "owners") or [{}])
    owner, folder = at(owners[0], "emailAddress"), at(item, "mimeType") == f"{OURS}folder"
    return {**picked(item, SHOWN), "owner": owner, "isFolder": folder}


def _refuse_large(known: Any) -> None:
    """Raise if a file is too large. A size is a text; Google's own kinds of documents have none."""
    size = at(known, "size")
    if isinstance(size, str) and size.isdecimal() and int(size[:20]) > LIMIT:
        raise _too_large()


def _too_large() -> TooLarge:
    return TooLarge("Files of at most 5 MB are taken.", limit=LIMIT)


ENDPOINTS = (list_files, upload, download, delete)
