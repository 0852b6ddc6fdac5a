"""Repositories, and the lists of their commits, issues and pull requests."""

from typing import Any

from service.integrations.call import Call
from service.integrations.catalog import endpoint
from service.integrations.shape import at, listed, need, number, picked
from service.integrations.vendors.github.examples import COMMITS, FOUND, ISSUES, ONE, PULLS
from service.integrations.vendors.github.parameters import (
    Commits,
    Issues,
    Pulls,
    Repository,
    Search,
    query_of,
)
from service.integrations.vendors.github.vendor import DOCS, GITHUB, READS, EmptyRepository
from service.integrations.vendors.github.visibility import is_public, path_in, public

SEARCHABLE = 1000  # GitHub gives no more of what a search has found

REPOSITORY = {
    "fullName": "full_name",
    "id": "id",
    "owner": "owner.login",
    "name": "name",
    "description": "description",
    "url": "html_url",
    "stars": "stargazers_count",
    "forks": "forks_count",
    "openIssues": "open_issues_count",
    "language": "language",
    "topics": "topics",
    "license": "license.spdx_id",
    "defaultBranch": "default_branch",
    "archived": "archived",
    "private": "private",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "pushedAt": "pushed_at",
}
COMMIT = {
    "sha": "sha",
    "message": "commit.message",
    "authorName": "commit.author.name",
    "authorLogin": "author.login",
    "date": "commit.author.date",
    "url": "html_url",
}
ISSUE = {
    "number": "number",
    "title": "title",
    "state": "state",
    "body": "body",
    "author": "user.login",
    "comments": "comments",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "closedAt": "closed_at",
    "url": "html_url",
}
PULL = {
    "number": "number",
    "title": "title",
    "state": "state",
    "draft": "draft",
    "body": "body",
    "author": "user.login",
    "head": "head.ref",
    "base": "base.ref",
    "mergedAt": "merged_at",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "url": "html_url",
}


@endpoint(
    "codehost-search-repositories", GITHUB, Search(), "social",
    f"{DOCS}/search/search#search-repositories", examples=(FOUND,), **READS,
)  # fmt: skip
def search(call: Call, **asked: Any) -> dict[str, Any]:
    """Public repositories that match words and qualifiers such as `language:`.

    Sent without the token: even the number of results would tell of private repositories.
    """
    answer = call.get("/search/repositories", query_of(asked), with_key=False)
    found = [item for item in listed(need(answer, "items")) if is_public(item)]
    more = asked["page"] * asked["perPage"] < min(number(answer, "total_count"), SEARCHABLE)
    return {
        "total": number(answer, "total_count"),
        "incomplete": need(answer, "incomplete_results"),
        "repositories": [picked(item, REPOSITORY) for item in found],
        "nextPage": asked["page"] + 1 if more and found else None,
    }


@endpoint(
    "codehost-get-repository", GITHUB, Repository(), "social",
    f"{DOCS}/repos/repos#get-a-repository", examples=(ONE,), **READS,
)  # fmt: skip
def repository(call: Call, owner: str, repo: str) -> dict[str, Any]:
    """A repository: what it is, and how many like it."""
    return picked(public(call, owner, repo), REPOSITORY)


@endpoint(
    "codehost-get-repository-commits", GITHUB, Commits(), "social",
    f"{DOCS}/commits/commits#list-commits", examples=(COMMITS, ONE), **READS,
)  # fmt: skip
def commits(call: Call, **asked: Any) -> dict[str, Any]:
    """Commits of a repository, newest first."""
    try:
        found, following = _page(call, "commits", **asked)
    except EmptyRepository:
        found, following = [], None
    described = [
        {**picked(item, COMMIT), "parents": _each(item, "parents", "sha")} for item in found
    ]
    return {"commits": described, "nextPage": following}


@endpoint(
    "codehost-get-repository-issues", GITHUB, Issues(), "social",
    f"{DOCS}/issues/issues#list-repository-issues", examples=(ISSUES, ONE), **READS,
)  # fmt: skip
def issues(call: Call, **asked: Any) -> dict[str, Any]:
    """Issues of a repository; a page may be short, as pull requests are left out."""
    found, following = _page(call, "issues", **asked)
    described = [
        {
            **picked(item, ISSUE),
            "labels": _each(item, "labels", "name"),
            "assignees": _each(item, "assignees", "login"),
        }
        for item in found
        if not at(item, "pull_request")
    ]
    return {"issues": described, "nextPage": following}


@endpoint(
    "codehost-get-repository-pulls", GITHUB, Pulls(), "social",
    f"{DOCS}/pulls/pulls#list-pull-requests", examples=(PULLS, ONE), **READS,
)  # fmt: skip
def pulls(call: Call, **asked: Any) -> dict[str, Any]:
    """Pull requests of a repository."""
    found, following = _page(call, "pulls", **asked)
    return {"pulls": [picked(item, PULL) for item in found], "nextPage": following}


def _page(
    call: Call, what: str, owner: str, repo: str, **asked: Any
) -> tuple[list[Any], int | None]:
    """A page of a repository's list, and the number of the next one where there may be more."""
    path = path_in(call, owner, repo, what)
    found = listed(call.get(path, query_of(asked)))
    return found, asked["page"] + 1 if len(found) >= asked["perPage"] else None


def _each(item: Any, name: str, of: str) -> list[Any]:
    return [need(inner, of) for inner in listed(at(item, name) or [])]


ENDPOINTS = (search, repository, commits, issues, pulls)
