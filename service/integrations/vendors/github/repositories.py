"""Repositories, and the lists of their commits, issues and pull requests."""

from typing import Any

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File, example
from service.integrations.declare.fields import Choice, Moment, Several, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import text
from service.integrations.declare.request import get
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Readable, Shape, Values
from service.integrations.vendors.github.parameters import Page, Repository
from service.integrations.vendors.github.vendor import DOCS, GITHUB, is_public
from service.integrations.vendors.github.visibility import refuse_private

SEARCHABLE = 1000  # GitHub gives no more results of a search
HELLO = {"owner": "octocat", "repo": "Hello-World"}
VISIBLE = Exchange(
    "GET /repos/octocat/Hello-World", File("github/repository.json"), serves="/repos/{owner}/{repo}"
)

REPOSITORY = Shape(
    fullName="full_name", id=Maybe(Int("id")), owner=Maybe("owner.login"), name=Maybe("name"),
    description=Maybe("description"), url=Maybe("html_url"), stars=Maybe(Int("stargazers_count")),
    forks=Maybe(Int("forks_count")), openIssues=Maybe(Int("open_issues_count")),
    language=Maybe("language"), topics=Each("topics", default=None),
    license=Maybe("license.spdx_id"), defaultBranch=Maybe("default_branch"),
    archived=Maybe(Bool("archived")), private=Maybe(Bool("private")),
    createdAt=Maybe("created_at"), updatedAt=Maybe("updated_at"), pushedAt=Maybe("pushed_at"),
)  # fmt: skip
COMMIT = Shape(
    sha="sha", message=Maybe("commit.message"), authorName=Maybe("commit.author.name"),
    authorLogin=Maybe("author.login"), date=Maybe("commit.author.date"), url=Maybe("html_url"),
    parents=Each("parents", "sha", default=()),
)  # fmt: skip
THREAD = Shape(
    number=Int("number"), title=Maybe("title"), state=Maybe("state"), body=Maybe("body"),
    author=Maybe("user.login"), createdAt=Maybe("created_at"), updatedAt=Maybe("updated_at"),
    url=Maybe("html_url"),
)  # fmt: skip
# The name of a label; GitHub may give the name alone.
LABEL = Made("", lambda one, values: one if isinstance(one, str) else text(one, "name"))
ISSUE = Shape(
    THREAD, comments=Maybe(Int("comments")), closedAt=Maybe("closed_at"),
    labels=Maybe(Readable("labels", LABEL)), assignees=Each("assignees", "login", default=()),
)  # fmt: skip
PULL = Shape(
    THREAD, draft=Maybe(Bool("draft")), head=Maybe("head.ref"), base=Maybe("base.ref"),
    mergedAt=Maybe("merged_at"),
)  # fmt: skip


def _next_page(page: Any, values: Values) -> int | None:
    """Return the number of the next page, which may exist after a full page."""
    return values["page"] + 1 if len(page) >= values["perPage"] else None


def _next_results(answer: Any, values: Values) -> int | None:
    is_last = values["page"] * values["perPage"] >= min(answer["total_count"], SEARCHABLE)
    return None if is_last or not any(map(is_public, answer["items"])) else values["page"] + 1


NEXT_PAGE = Made(Maybe(Int("")), _next_page)


class Search(Page):
    query = Words(
        "Words, of at most 256 characters, and qualifiers such as `language:`.",
        most=1000, to="query.q", required=True,
    )  # fmt: skip
    sort = Choice(
        "stars", "forks", "help-wanted-issues", "updated",
        about="What to sort by; by default, how well a repository matches.", to="query.sort",
    )  # fmt: skip
    order = Choice("desc", "asc", about="The order.", to="query.order", default="desc")


search = Endpoint(
    name="codehost-search-repositories", vendor=GITHUB, category="social",
    summary="Public repositories that match words and qualifiers such as `language:`.",
    docs=f"{DOCS}/search/search#search-repositories", access=FREE_READ, seconds=30,
    # Without the token, because even the number of results would reveal private repositories.
    cache=Cache(seconds=120, shared=True),
    takes=Search, asks=get("/search/repositories", has_key=False),
    gives=Shape(
        total=Int("total_count"), incomplete=Bool("incomplete_results"),
        repositories=Each("items", REPOSITORY, where=is_public),
        nextPage=Made(Maybe(Int("")), _next_results),
    ),
    examples=(example(
        {"query": "language:python hello", "perPage": 1, "sort": "stars"},
        "GET /search/repositories"
        "?q=language%3Apython+hello&sort=stars&order=desc&page=1&per_page=1",
        File("github/search.json"),
    ),),
)  # fmt: skip

repository = Endpoint(
    name="codehost-get-repository", vendor=GITHUB, category="social",
    summary="A repository, with its description and the number of its stars.",
    docs=f"{DOCS}/repos/repos#get-a-repository", access=FREE_READ, seconds=30,
    cache=Cache(seconds=60, shared=True),  # no longer than a check that it is public
    takes=Repository, asks=get("/repos/{owner}/{repo}"), gives=REPOSITORY,
    examples=(Example(HELLO, (VISIBLE,)),),
)  # fmt: skip


class Commits(Repository, Page):
    ref = Words("Branch, tag or commit to start from.", most=256, to="query.sha")
    path = Words("Only commits that change this path.", most=1024, to="query.path")
    author = Words("Only commits by this account or mail address.", most=256, to="query.author")
    since = Moment("Only commits after this time.", to="query.since")
    until = Moment("Only commits before this time.", to="query.until")


commits = Endpoint(
    name="codehost-get-repository-commits", vendor=GITHUB, category="social",
    summary="Commits of a repository, newest first.",
    docs=f"{DOCS}/commits/commits#list-commits", access=FREE_READ, seconds=30,
    cache=Cache(seconds=120, shared=True),
    takes=Commits, before=refuse_private,
    asks=get("/repos/{owner}/{repo}/commits", instead={409: []}),  # 409: there is no commit yet
    gives=Shape(commits=Each("", COMMIT), nextPage=NEXT_PAGE),
    examples=(Example({
        **HELLO, "ref": "main", "path": "docs/a b", "author": "octocat", "perPage": 1,
        "since": "2011-04-01T02:00+02:00", "until": "2011-05-01T00:00Z",
    }, (
        VISIBLE,
        Exchange(
            "GET /repos/octocat/Hello-World/commits?sha=main&path=docs%2Fa+b&author=octocat"
            "&since=2011-04-01T00%3A00%3A00Z&until=2011-05-01T00%3A00%3A00Z&per_page=1&page=1",
            File("github/commits.json"),
        ),
    )),),
)  # fmt: skip


class Issues(Repository, Page):
    state = Choice("open", "closed", "all", about="Its state.", to="query.state", default="open")
    labels = Several(
        Words(pattern="^[^,]{1,100}$"), "Only issues with all of these labels.",
        least=1, most=50, joined=",", to="query.labels",
    )  # fmt: skip
    assignee = Words("Only issues that this account is to solve.", most=256, to="query.assignee")
    creator = Words("Only issues that this account has opened.", most=256, to="query.creator")
    sort = Choice(
        "created", "updated", "comments", about="What to sort by.",
        to="query.sort", default="created",
    )  # fmt: skip
    direction = Choice("asc", "desc", about="The order.", to="query.direction", default="desc")
    since = Moment("Only issues that have changed after this time.", to="query.since")


issues = Endpoint(
    name="codehost-get-repository-issues", vendor=GITHUB, category="social",
    summary="Issues of a repository. A page may be short, because pull requests are left out.",
    docs=f"{DOCS}/issues/issues#list-repository-issues", access=FREE_READ, seconds=30,
    cache=Cache(seconds=120, shared=True),
    takes=Issues, before=refuse_private, asks=get("/repos/{owner}/{repo}/issues"),
    gives=Shape(
        issues=Each("", ISSUE, where=lambda item: not find(item, "pull_request")),
        nextPage=NEXT_PAGE,
    ),
    examples=(Example({
        **HELLO, "labels": ["bug", "help wanted"], "state": "all", "perPage": 3,
        "assignee": "octocat", "creator": "hubot", "since": "2011-04-01T00:00Z",
    }, (
        VISIBLE,
        Exchange(
            "GET /repos/octocat/Hello-World/issues?labels=bug%2Chelp+wanted&state=all"
            "&assignee=octocat&creator=hubot&sort=created&direction=desc"
            "&since=2011-04-01T00%3A00%3A00Z&page=1&per_page=3",
            File("github/issues.json"),
        ),
    )),),
)  # fmt: skip


class Pulls(Repository, Page):
    state = Choice("open", "closed", "all", about="Its state.", to="query.state", default="open")
    head = Words("Only those from this branch, as `account:branch`.", most=256, to="query.head")
    base = Words("Only those into this branch.", most=256, to="query.base")
    sort = Choice(
        "created", "updated", "popularity", "long-running", about="What to sort by.",
        to="query.sort", default="created",
    )  # fmt: skip
    direction = Choice("asc", "desc", about="The order.", to="query.direction")


pulls = Endpoint(
    name="codehost-get-repository-pulls", vendor=GITHUB, category="social",
    summary="Pull requests of a repository.",
    docs=f"{DOCS}/pulls/pulls#list-pull-requests", access=FREE_READ, seconds=30,
    cache=Cache(seconds=120, shared=True),
    takes=Pulls, before=refuse_private, asks=get("/repos/{owner}/{repo}/pulls"),
    gives=Shape(pulls=Each("", PULL), nextPage=NEXT_PAGE),
    examples=(Example({
        **HELLO, "state": "all", "head": "octocat:new", "base": "master", "direction": "asc",
        "perPage": 2,
    }, (
        VISIBLE,
        Exchange(
            "GET /repos/octocat/Hello-World/pulls?state=all&head=octocat%3Anew&base=master"
            "&sort=created&direction=asc&page=1&per_page=2",
            File("github/pulls.json"),
        ),
    )),),
)  # fmt: skip

ENDPOINTS = (search, repository, commits, issues, pulls)
