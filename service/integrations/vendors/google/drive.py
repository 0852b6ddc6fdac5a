"""Files of Drive: lists, and deleting.

Source: developers.google.com/workspace/drive/api/reference/rest/v3/files, and its guide to search.
`drive.file` opens only files that the app itself has made, or that its user has opened with it. For
such a token other files do not exist, so a list says whether it is complete.
"""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import READ, SAFE_WRITE, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Count, Parameters, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import Outgoing, delete, get, patch
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Bool, Each, Made, Maybe, Shape, Str
from service.integrations.vendors.google.suite import DRIVE, GOOGLE

DOCS = "https://developers.google.com/workspace/drive/api/reference/rest/v3/files"
FILES = "/files"
FILE = "/files/{fileId}"
OURS = "application/vnd.google-apps."
MEDIA_TYPE = r"^[A-Za-z0-9_.+-]{1,100}/[A-Za-z0-9_.+-]{1,100}$(?!\n)"
ORDER = r"^[A-Za-z_]+( desc)?(,[A-Za-z_]+( desc)?){0,9}$(?!\n)"
FIELDS = "id,name,mimeType,size,modifiedTime,createdTime,webViewLink,iconLink,parents,shared"
LIST_FIELDS = f"nextPageToken,incompleteSearch,files({FIELDS},owners(displayName,emailAddress))"

STORED = Shape(
    id="id", name=Maybe("name"), mimeType=Maybe("mimeType"),
    size=Maybe(Str("size", about="Bytes, as text.")),
    modifiedTime=Maybe("modifiedTime"), createdTime=Maybe("createdTime"), url=Maybe("webViewLink"),
    iconUrl=Maybe("iconLink"), parents=Each("parents", default=None),
    shared=Maybe(Bool("shared")), owner=Maybe("owners.0.emailAddress"),
    isFolder=Made(Bool(""), lambda file, values: find(file, "mimeType") == f"{OURS}folder"),
)  # fmt: skip
PLAN = {
    "id": "1aBcD", "name": "Plan.txt", "mimeType": "text/plain", "size": "2048",
    "modifiedTime": "2026-11-20T09:00:00.000Z", "createdTime": "2026-11-18T08:30:00.000Z",
    "webViewLink": "https://drive.google.com/file/d/1aBcD/view", "parents": ["0root"],
    "iconLink": "https://drive-thirdparty.googleusercontent.com/16/type/text/plain",
    "owners": [{"displayName": "Alice", "emailAddress": "alice@example.com"}], "shared": False,
}  # fmt: skip
PLANS = {"files": [PLAN], "nextPageToken": "~!!~AI9FV7Q", "incompleteSearch": False}
SEARCH = (
    "/files?fields=nextPageToken%2CincompleteSearch%2Cfiles%28id%2Cname%2CmimeType%2Csize"
    "%2CmodifiedTime%2CcreatedTime%2CwebViewLink%2CiconLink%2Cparents%2Cshared"
    "%2Cowners%28displayName%2CemailAddress%29%29"
    "&spaces=drive&supportsAllDrives=true&includeItemsFromAllDrives=true"
)


class Files(Parameters):
    query = Words("Only files in which these words occur.", most=500)
    folderId = Words("Only what is in this folder.", most=200)
    mimeType = Words("Only files of this media type.", pattern=MEDIA_TYPE)
    pageSize = Count("Files of a page.", least=1, most=1000, to="query.pageSize", default=50)
    orderBy = Words(
        "What to sort by, such as `folder,name desc`. Other keys are `name_natural`, "
        "`createdTime`, `modifiedTime`, `modifiedByMeTime`, `viewedByMeTime`, `sharedWithMeTime`, "
        "`starred`, `quotaBytesUsed` and `recency`. With `query`, the files that fit best come "
        "first in any case.", pattern=ORDER,
    )  # fmt: skip
    cursor = Words("The `nextCursor` of the page before.", most=5000, to="query.pageToken")


LISTED = Shape(files=Each("files", STORED, default=()), nextCursor=Maybe("nextPageToken"))
OWN_ONLY = Bool("ownOnly", about="Whether only files of this app are listed: no more is granted.")


def _list(
    call: Call,
    request: Outgoing,
    *,
    query: str | None = None,
    folder_id: str | None = None,
    mime_type: str | None = None,
    order_by: str | None = None,
) -> dict[str, Any]:
    # Google sorts a search by relevance, and refuses a request for another order.
    order = None if query else order_by or "modifiedTime desc"
    terms = {"q": _search(query, folder_id, mime_type), "orderBy": order}
    return {**LISTED.read(call.send(request.plus(query=terms))), "ownOnly": call.is_narrow}


def _search(query: str | None, folder_id: str | None, mime_type: str | None) -> str:
    """Return a query in Drive's language. Values are quoted, so that they can't add conditions."""
    terms = ["trashed = false"]
    terms += [f"fullText contains {_quoted(query)}"] if query else []
    terms += [f"{_quoted(folder_id)} in parents"] if folder_id else []
    terms += [f"mimeType = {_quoted(mime_type)}"] if mime_type else []
    return " and ".join(terms)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


list_files = Endpoint(
    name="cloudsuite/drive-list", vendor=GOOGLE, category="suite", aliases=("drive-list",),
    summary="Files outside the trash, the last changed first, or only those with given words.",
    says=Says(
        "Looking through the files of the connected account",
        "Looked through the files of the connected account: {files:file}",
    ),
    docs=f"{DOCS}/list", access=READ, seconds=30,
    scope="drive.readonly", accepted=("drive", "drive.metadata.readonly", "drive.metadata"),
    narrow=("drive.file",),
    takes=Files, run=_list, gives=Shape(LISTED, ownOnly=OWN_ONLY),
    asks=get(FILES, base=DRIVE, query={
        "fields": LIST_FIELDS, "spaces": "drive", "supportsAllDrives": True,
        "includeItemsFromAllDrives": True,
    }),
    examples=(
        example(
            {"folderId": "0root", "mimeType": "text/plain", "pageSize": 1, "orderBy": "name desc"},
            f"GET {SEARCH}&pageSize=1"
            "&q=trashed+%3D+false+and+%270root%27+in+parents+and+mimeType+%3D+%27text%2Fplain%27"
            "&orderBy=name+desc",
            PLANS, base=DRIVE,
        ),
        example(
            {"query": "Alice's plan", "cursor": "~!!~AI9FV7P"},
            f"GET {SEARCH}&pageSize=50&pageToken=~%21%21~AI9FV7P"
            "&q=trashed+%3D+false+and+fullText+contains+%27Alice%5C%27s+plan%27",
            PLANS, base=DRIVE,
        ),
    ),
)  # fmt: skip


class ExistingFile(Parameters):
    fileId = Words("The file's id.", most=200, to="path.fileId", required=True)


class Deletion(ExistingFile):
    permanent = Switch("Whether it is deleted for good, past the trash.", default=False)


# A second request would find nothing. Drive answers 204 without a body.
FOR_GOOD = delete(FILE, base=DRIVE, query={"supportsAllDrives": True}, returns="text")
DELETED = Shape(
    id="id", deleted=Bool("trashed"), permanent=Made(Bool(""), lambda file, values: False)
)


def _delete(call: Call, request: Outgoing, *, file_id: str, permanent: bool) -> dict[str, Any]:
    if not permanent:
        return DELETED.read(call.send(request))
    call.send(FOR_GOOD.with_parts(path={"fileId": file_id}))
    return {"id": file_id, "deleted": True, "permanent": True}


delete_file = Endpoint(
    name="drive-delete", vendor=GOOGLE, category="suite",
    summary="Put a file into the trash, where it stays for 30 days, or delete it for good.",
    docs=f"{DOCS}/update", access=SAFE_WRITE, seconds=30,
    scope="drive", narrow=("drive.file",),
    takes=Deletion, run=_delete, gives=DELETED,
    asks=patch(
        FILE, base=DRIVE, query={"fields": "id,trashed", "supportsAllDrives": True},
        json={"trashed": True}, repeatable=True,
    ),
    examples=(
        example(
            {"fileId": "1aBcD"}, "PATCH /files/1aBcD?fields=id%2Ctrashed&supportsAllDrives=true",
            {"id": "1aBcD", "trashed": True}, body={"trashed": True}, base=DRIVE,
        ),
        Example({"fileId": "1aBcD", "permanent": True}, (
            Exchange(
                "DELETE /files/1aBcD?supportsAllDrives=true", b"", base=DRIVE, status=204,
                serves="/files/{fileId}",
            ),
        )),
    ),
)  # fmt: skip
