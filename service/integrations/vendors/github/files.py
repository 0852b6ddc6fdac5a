"""The files of a repository: its tree, and what is in one of them."""

import base64
from typing import Any
from urllib.parse import urlsplit

from service.integrations.call import Call, path_of
from service.integrations.catalog import endpoint
from service.integrations.shape import at, listed, need, picked, text, unusable
from service.integrations.vendors.github.examples import CONTENTS, ONE, TREES
from service.integrations.vendors.github.parameters import Contents, Tree
from service.integrations.vendors.github.vendor import DOCS, GITHUB, READS, EmptyRepository
from service.integrations.vendors.github.visibility import path_in

ENTRY = {"path": "path", "type": "type", "size": "size", "sha": "sha"}
CHILD = {"name": "name", **ENTRY}


@endpoint(
    "codehost-get-repository-tree", GITHUB, Tree(), "social",
    f"{DOCS}/git/trees#get-a-tree", examples=(*TREES, ONE), **READS,
)  # fmt: skip
def tree(call: Call, owner: str, repo: str, ref: str, recursive: bool) -> dict[str, Any]:
    """All files of a repository at a branch, tag or commit."""
    path = path_in(call, owner, repo, f"git/trees/{_pieces(ref)}")
    try:
        # Any value switches it on, even `false`
        answer = call.get(path, {"recursive": "1" if recursive else None})
    except EmptyRepository:
        return {"sha": None, "truncated": False, "entries": []}
    return {
        "sha": need(answer, "sha"),
        "truncated": need(answer, "truncated"),
        "entries": [picked(item, ENTRY) for item in listed(need(answer, "tree"))],
    }


@endpoint(
    "codehost-get-repository-contents", GITHUB, Contents(), "social",
    f"{DOCS}/repos/contents#get-repository-content", examples=(*CONTENTS, ONE), **READS,
)  # fmt: skip
def contents(
    call: Call, owner: str, repo: str, path: str, ref: str | None = None
) -> dict[str, Any]:
    """A file, or what is in a folder; a file that is no text, or over 1 MB, has no `content`."""
    inside = path.strip("/")
    where = path_in(call, owner, repo, f"contents/{_pieces(inside) if inside else ''}")
    answer = call.get(where, {"ref": ref})
    if isinstance(answer, list):
        entries = [picked(item, CHILD) for item in answer]
        return {"type": "dir", "path": inside, "entries": entries}
    return {
        **picked(answer, {"type": "type", **CHILD}),
        "content": _text(answer),
        "downloadUrl": _without_token(at(answer, "download_url")),
        "entries": [],
    }


def _pieces(path: str) -> str:
    """A path within a repository: its slashes stay, its pieces can't climb."""
    return "/".join(path_of("{path}", path=piece) for piece in path.split("/"))


def _text(file: Any) -> str | None:
    if at(file, "encoding") != "base64":
        return None
    try:
        content = base64.b64decode(text(file, "content"))
    except ValueError:
        raise unusable() from None
    try:
        return None if b"\0" in content else content.decode()
    except UnicodeDecodeError:
        return None


def _without_token(url: Any) -> str | None:
    """For a private file GitHub puts a token of its own into the query."""
    try:
        return urlsplit(url)._replace(query="").geturl() if isinstance(url, str) else None
    except ValueError:
        raise unusable() from None


ENDPOINTS = (tree, contents)
