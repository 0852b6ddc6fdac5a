"""Answers as GitHub's documentation shows them, without the many links."""

from service.integrations.catalog import Example

REPO = "/repos/{owner}/{repo}"
SHA = "7638417db6d59f3c431d3e1f261cc637155684cd"
API = "https://api.github.com/repos/octocat/Hello-World"
PAGE = "https://github.com/octocat/Hello-World"
OCTOCAT = {"login": "octocat", "id": 1, "type": "User", "html_url": "https://github.com/octocat"}

REPOSITORY = {
    "id": 1296269,
    "name": "Hello-World",
    "full_name": "octocat/Hello-World",
    "owner": OCTOCAT,
    "private": False,
    "html_url": PAGE,
    "description": "This your first repo!",
    "fork": False,
    "url": API,
    "language": None,
    "forks_count": 9,
    "stargazers_count": 80,
    "open_issues_count": 0,
    "default_branch": "master",
    "topics": ["octocat", "atom", "electron", "api"],
    "archived": False,
    "license": {"key": "mit", "name": "MIT License", "spdx_id": "MIT"},
    "pushed_at": "2011-01-26T19:06:43Z",
    "created_at": "2011-01-26T19:01:12Z",
    "updated_at": "2011-01-26T19:14:43Z",
}
ISSUE = {
    "id": 1,
    "number": 1347,
    "title": "Found a bug",
    "body": "I'm having a problem with this.",
    "state": "open",
    "user": OCTOCAT,
    "labels": [{"id": 208045946, "name": "bug", "color": "f29513"}],
    "assignees": [OCTOCAT],
    "comments": 0,
    "html_url": f"{PAGE}/issues/1347",
    "created_at": "2011-04-22T13:33:48Z",
    "updated_at": "2011-04-22T13:33:48Z",
    "closed_at": None,
}
PULL = {
    "id": 1,
    "number": 1348,
    "title": "Amazing new feature",
    "body": "Please pull these awesome changes in!",
    "state": "open",
    "draft": False,
    "user": OCTOCAT,
    "html_url": f"{PAGE}/pull/1348",
    "created_at": "2011-01-26T19:01:12Z",
    "updated_at": "2011-01-26T19:01:12Z",
    "merged_at": None,
    "head": {"label": "octocat:new-topic", "ref": "new-topic", "sha": SHA},
    "base": {"label": "octocat:master", "ref": "master", "sha": SHA},
}
COMMIT = {
    "sha": SHA,
    "html_url": f"{PAGE}/commit/{SHA}",
    "commit": {
        "author": {
            "name": "Monalisa Octocat",
            "email": "support@github.com",
            "date": "2011-04-14T16:00:49Z",
        },
        "message": "Fix all the bugs",
    },
    "author": OCTOCAT,
    "parents": [{"sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e"}],
}
FILE = {
    "type": "file",
    "encoding": "base64",
    "size": 15,
    "name": "README.md",
    "path": "README.md",
    "content": "IyBIZWxsbywg\nV29ybGQh\n",
    "sha": "3d21ec53a331a6f037a91c368710b99387d012c1",
    "download_url": "https://raw.githubusercontent.com/octocat/Hello-World/master/README.md",
}

FOUND = Example(
    "GET",
    "/search/repositories",
    {"total_count": 40, "incomplete_results": False, "items": [REPOSITORY]},
)
ONE = Example("GET", REPO, REPOSITORY)
COMMITS = Example("GET", f"{REPO}/commits", [COMMIT])
ISSUES = Example("GET", f"{REPO}/issues", [ISSUE, {**ISSUE, "pull_request": {"url": API}}])
PULLS = Example("GET", f"{REPO}/pulls", [PULL])
TREE_BODY = {
    "sha": "9fb037999f264ba9a7fc6274d15fa3ae2ab98312",
    "url": f"{API}/trees/9fb037999f264ba9a7fc6274d15fa3ae2ab98312",
    "tree": [
        {"path": "docs", "mode": "040000", "type": "tree", "sha": SHA},
        {"path": "README.md", "mode": "100644", "type": "blob", "size": 15, "sha": FILE["sha"]},
    ],
    "truncated": False,
}
LISTING = [
    {"type": "dir", "size": 0, "name": "docs", "path": "docs", "sha": SHA},
    {key: FILE[key] for key in ("type", "size", "name", "path", "sha", "download_url")},
]
# A piece of an example's path has no slash in it: one example for each depth.
DEPTHS = ["/".join(f"{{p{n}}}" for n in range(depth)) for depth in range(1, 6)]
TREES = tuple(Example("GET", f"{REPO}/git/trees/{path}", TREE_BODY) for path in DEPTHS)
CONTENTS = (
    Example("GET", f"{REPO}/contents/", LISTING),
    *(Example("GET", f"{REPO}/contents/{path}", FILE) for path in DEPTHS),
)
