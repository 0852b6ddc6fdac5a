"""The suite's files. Documents in its own formats can only be exported."""

import json
import re
import secrets
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.database.access import write_transaction
from service.extensions import db
from service.sandbox.suite.client import ACCOUNTS
from service.sandbox.suite.file_lists import OURS, list_matching
from service.sandbox.suite.models import SuiteFile
from service.sandbox.suite.paper import pdf
from service.sandbox.suite.routes import ApiError, ApiRequest, Media, Route, not_found, page
from service.times import now, timestamp

EXPORTS = {
    f"{OURS}document": ("application/pdf", "text/plain", "text/html"),
    f"{OURS}spreadsheet": ("text/csv", "application/pdf"),
    f"{OURS}presentation": ("application/pdf", "text/plain"),
}
WRITE = frozenset({"drive", "drive.file"})
READ = WRITE | {"drive.readonly"}
SEE = READ | {"drive.metadata", "drive.metadata.readonly"}
CHANGE = WRITE | {"drive.metadata"}
ROOT = "root"  # the name of the top folder, in place of its id
BARE = ("kind", "id", "name", "mimeType")  # the fields in Drive's answer without `fields`
LIMIT = 5 << 20  # bytes of a multipart upload
ABUSIVE = ".exe"  # the end of the names of files that count as malware


def list_files(request: ApiRequest) -> dict[str, Any]:
    found = list_matching(_visible(request), request.one("q"), request.one("orderBy"))
    shown, more = page(request, found, request.number("pageSize", 100, 1000))
    return {"incompleteSearch": False, "files": [_to_json(request, file) for file in shown], **more}


def get(request: ApiRequest) -> dict[str, Any] | Media:
    file = _one(db.session(), request)
    if request.one("alt") != "media":
        return _to_json(request, file)
    _check_readable(request, file)
    if file.content is None or file.mime_type.startswith(OURS):
        message = "Only files with binary content can be downloaded. Use Export with Docs files."
        raise ApiError(403, "fileNotDownloadable", message)
    if file.name.endswith(ABUSIVE) and request.one("acknowledgeAbuse") != "true":
        message = "This file has been identified as malware or spam and cannot be downloaded."
        raise ApiError(403, "cannotDownloadAbusiveFile", message)
    return Media(file.content, file.mime_type)


def export(request: ApiRequest) -> Media:
    file = _one(db.session(), request)
    _check_readable(request, file)
    kinds = EXPORTS.get(file.mime_type)
    if kinds is None:
        raise ApiError(403, "fileNotExportable", "Export only supports Docs Editors files.")
    if request.one("mimeType") not in kinds:
        raise ApiError(400, "badRequest", "The requested conversion is not supported.")
    content = file.content or b""
    wanted = request.one("mimeType")
    return Media(pdf(content.decode()) if wanted == "application/pdf" else content, wanted)


def upload(request: ApiRequest) -> dict[str, Any]:
    if request.one("uploadType") != "multipart":
        raise ApiError(400, "badRequest", "The sandbox takes multipart uploads only.")
    facts, kind, content = _parts(request)
    with write_transaction() as session:
        for parent in facts.get("parents", []):
            if parent != ROOT:
                _find(session, request, parent)
        file = SuiteFile(
            file_id=secrets.token_hex(14),
            account=request.account.id,
            name=facts.get("name") or "Untitled",
            mime_type=facts.get("mimeType") or kind,
            content=content,
            parents=facts.get("parents") or [ROOT],
            by_app=True,
        )
        session.add(file)
        session.flush()
        return _to_json(request, file)


def change(request: ApiRequest) -> dict[str, Any]:
    given = request.json()
    with write_transaction() as session:
        file = _writable(session, request)
        file.name = given.get("name", file.name)
        file.trashed = bool(given.get("trashed", file.trashed))
        file.modified_at = now()
        return _to_json(request, file)


def delete(request: ApiRequest) -> None:
    with write_transaction() as session:
        session.delete(_writable(session, request))


def _visible(request: ApiRequest) -> list[SuiteFile]:
    """Return the account's files; with `drive.file` alone, those that the app has made."""
    mine = select(SuiteFile).filter_by(account=request.account.id)
    if not request.scopes & (SEE - {"drive.file"}):
        mine = mine.where(SuiteFile.by_app.is_(True))
    return list(db.session.scalars(mine.order_by(SuiteFile.modified_at.desc(), SuiteFile.file_id)))


def _one(session: Session, request: ApiRequest) -> SuiteFile:
    return _find(session, request, request.path["file_id"])


def _find(session: Session, request: ApiRequest, file_id: str) -> SuiteFile:
    file = session.scalar(select(SuiteFile).filter_by(account=request.account.id, file_id=file_id))
    if file is None or not (file.by_app or request.scopes & (SEE - {"drive.file"})):
        raise not_found("File")
    return file


def _writable(session: Session, request: ApiRequest) -> SuiteFile:
    file = _one(session, request)
    if "drive" not in request.scopes and not file.by_app:
        raise _not_authorized("write")
    return file


def _check_readable(request: ApiRequest, file: SuiteFile) -> None:
    """Raise `ApiError` if the scopes open only names of files, and not their contents."""
    if not file.by_app and request.scopes.isdisjoint(READ - {"drive.file"}):
        raise _not_authorized("read")


def _not_authorized(access: str) -> ApiError:
    message = f"The user has not granted the app {access} access to the file."
    return ApiError(403, "appNotAuthorizedToFile", message)


def _parts(request: ApiRequest) -> tuple[dict[str, Any], str, bytes]:
    """Return the parts of a `multipart/related` body: the facts, the media type, the bytes."""
    kind, _, boundary = request.content_type.partition("boundary=")
    parts = (b"\r\n" + request.body).split(b"\r\n--" + boundary.encode())
    if not kind.startswith("multipart/related") or len(parts) != 4 or parts[3].strip() != b"--":
        raise ApiError(400, "badContent", "Malformed multipart body.")
    (head, facts), (media, content) = (part.split(b"\r\n\r\n", 1) for part in parts[1:3])
    if b"application/json" not in head.lower() or len(content) > LIMIT:
        raise ApiError(400, "badContent", "Unsupported content.")
    found = re.search(rb"content-type:\s*([^\r\n]+)", media, re.I)
    return json.loads(facts), (found[1].decode() if found else ""), content


def _to_json(request: ApiRequest, file: SuiteFile) -> dict[str, Any]:
    owner = ACCOUNTS[file.account]
    resource = {
        "kind": "drive#file",
        "id": file.file_id,
        "name": file.name,
        "mimeType": file.mime_type,
        "createdTime": timestamp(file.created_at),
        "modifiedTime": timestamp(file.modified_at),
        "webViewLink": f"https://sandbox.invalid/file/{file.file_id}",
        "parents": file.parents,
        "owners": [{"displayName": owner.name, "emailAddress": owner.email}],
        "shared": False,
        "trashed": file.trashed,
    }
    if file.content is not None:  # a folder has none
        resource["size"] = str(len(file.content))
    return resource if "fields" in request.query else {name: resource[name] for name in BARE}


ROUTES = (
    Route("GET", "/drive/files", SEE, list_files),
    Route("GET", "/drive/files/<file_id>", SEE, get),
    Route("GET", "/drive/files/<file_id>/export", READ, export),
    Route("PATCH", "/drive/files/<file_id>", CHANGE, change),
    Route("DELETE", "/drive/files/<file_id>", WRITE, delete),
    Route("POST", "/upload/files", WRITE, upload),
)
