"""The files of a repository: its tree, and the content of a file."""

import base64
from typing import Any
from urllib.parse import urlsplit

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import text, unusable
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.shape import Bool, Each, Int, Maybe, Shape
from service.integrations.vendors.github.parameters import Repository
from service.integrations.vendors.github.repositories import HELLO, VISIBLE
from service.integrations.vendors.github.vendor import DOCS, GITHUB
from service.integrations.vendors.github.visibility import refuse_private

ENTRY = Shape(path="path", type=Maybe("type"), size=Maybe(Int("size")), sha=Maybe("sha"))
CHILD = Shape(ENTRY, name="name")
FILE = Shape(CHILD, name=Maybe("name"), type="type")
FILE_ANSWER = Shape(
    FILE, content=Maybe("content"), downloadUrl=Maybe("downloadUrl"), entries=Each("entries", CHILD)
)
NO_TREE: dict[str, Any] = {"sha": None, "truncated": False, "tree": []}


class Tree(Repository):
    ref = Words("Branch, tag or commit.", most=256, to="path.ref", default="HEAD")
    recursive = Switch(
        "Also what is in its folders.", to="query.recursive",
        theirs={True: "1", False: None}, default=True,  # any value switches it on, even `false`
    )  # fmt: skip


tree = Endpoint(
    name="codehost-get-repository-tree", vendor=GITHUB, category="social",
    summary="All files of a repository at a branch, tag or commit.",
    docs=f"{DOCS}/git/trees#get-a-tree", access=FREE_READ, seconds=30,
    cache=Cache(seconds=120, shared=True),
    takes=Tree, before=refuse_private,
    # 409: there is no commit yet
    asks=get("/repos/{owner}/{repo}/git/trees/{ref}", instead={409: NO_TREE}),
    gives=Shape(sha=Maybe("sha"), truncated=Bool("truncated"), entries=Each("tree", ENTRY)),
    examples=(Example({**HELLO, "ref": "feature/one"}, (
        VISIBLE,
        Exchange(
            "GET /repos/octocat/Hello-World/git/trees/feature%2Fone?recursive=1",
            File("github/tree.json"),
        ),
    )),),
)  # fmt: skip


class Contents(Repository):
    path = Words(
        "A file or a folder; without it, the repository's own.", least=None, most=1024,
        to="path.path", theirs=lambda path: path.strip("/"), default="",
    )  # fmt: skip
    ref = Words("Branch, tag or commit.", most=256, to="query.ref")


def _contents(call: Call, request: Outgoing, *, path: str) -> dict[str, Any]:
    answer = call.send(request)
    if isinstance(answer, list):
        entries = [CHILD.read(item) for item in answer]
        facts = {"type": "dir", "path": path.strip("/"), "entries": entries}
        return {**dict.fromkeys(FILE_ANSWER.fields), **facts}
    return {
        **FILE.read(answer),
        "content": _text(answer),
        "downloadUrl": _without_token(find(answer, "download_url")),
        "entries": [],
    }


def _text(file: Any) -> str | None:
    if find(file, "encoding") != "base64":
        return None
    try:
        content = base64.b64decode(text(file, "content"))
    except ValueError:
        raise unusable("content") from None
    try:
        return None if b"\0" in content else content.decode()
    except UnicodeDecodeError:
        return None


def _without_token(url: Any) -> str | None:
    """Return a URL without its query, in which GitHub puts a token for a private file."""
    try:
        return urlsplit(url)._replace(query="").geturl() if isinstance(url, str) else None
    except ValueError:
        raise unusable("download_url") from None


contents = Endpoint(
    name="codehost-get-repository-contents", vendor=GITHUB, category="social",
    summary="A file or a folder. A file that is not text, or over 1 MB, has no `content`.",
    docs=f"{DOCS}/repos/contents#get-repository-content", access=FREE_READ, seconds=30,
    cache=Cache(seconds=120, shared=True),
    takes=Contents, before=refuse_private,
    asks=get("/repos/{owner}/{repo}/contents/{path+}"), run=_contents,
    gives=FILE_ANSWER,
    examples=(
        Example({**HELLO, "path": "README.md", "ref": "main"}, (
            VISIBLE,
            Exchange(
                "GET /repos/octocat/Hello-World/contents/README.md?ref=main",
                File("github/file.json"),
            ),
        )),
        Example(HELLO, (
            VISIBLE,
            Exchange(
                "GET /repos/octocat/Hello-World/contents/", File("github/folder.json"),
                serves="/repos/{owner}/{repo}/contents/",
            ),
        )),
    ),
)  # fmt: skip

ENDPOINTS = (tree, contents)
