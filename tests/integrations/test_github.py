"""Code hosting over GitHub's REST API."""

import base64
import json
import time
from datetime import UTC, datetime

import pytest
import time_machine

from service.integrations.declare.example import File
from service.integrations.declare.vendor import Reply
from service.integrations.vendors.github import visibility
from service.integrations.vendors.github.vendor import GITHUB, token
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]


def answer_of(name):
    """An example's answer."""
    return json.loads(File(f"github/{name}.json").content())


REPOSITORY, FILE, FOLDER, TREE = map(answer_of, ("repository", "file", "folder", "tree"))
COMMIT, PULL = answer_of("commits")[0], answer_of("pulls")[0]
ISSUE = next(one for one in answer_of("issues") if one["number"] == 1347)
REPO = {"owner": "octocat", "repo": "Hello-World"}
READS = ["commits", "issues", "pulls", "tree", "contents"]


@pytest.fixture(autouse=True)
def known(vendor):
    """A repository that was asked for a moment ago, and is public."""
    visibility.seen.add("octocat/hello-world")


def refusal(status, message="", **headers):
    return Said({"message": message}, status, {k.replace("_", "-"): v for k, v in headers.items()})


def test_a_repository_in_our_words(ask, vendor):
    vendor.says(REPOSITORY)
    data = ask("codehost-get-repository", REPO).json["data"]
    assert (data["fullName"], data["owner"], data["stars"]) == (
        "octocat/Hello-World",
        "octocat",
        80,
    )
    assert (data["license"], data["language"], data["createdAt"]) == (
        "MIT",
        "Python",
        "2011-01-26T19:01:12Z",
    )
    assert vendor.seen[0].target == "/repos/octocat/Hello-World"


def test_github_is_told_who_asks_and_which_version_it_shall_speak(ask, vendor):
    ask("codehost-get-repository", REPO)
    headers = vendor.seen[0].headers
    assert headers["authorization"] == "Bearer github-canary"
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["x-github-api-version"] == "2022-11-28"
    assert headers["user-agent"]


def test_without_a_token_it_asks_as_nobody(app, ask, vendor):
    del app.extensions["vendor_settings"]["GITHUB_TOKEN"]
    vendor.says(REPOSITORY)
    assert ask("codehost-get-repository", REPO).status_code == 200
    assert "authorization" not in vendor.seen[0].headers


def test_the_qualifiers_of_a_search_do_not_count_for_its_words(ask, vendor):
    """GitHub takes at most 256 characters, without qualifiers and operators, and counts itself."""
    vendor.says({"total_count": 0, "incomplete_results": False, "items": []})
    query = "graph " + " ".join(f"user:an-account-with-a-long-name-{n}" for n in range(20))
    assert len(query) > 600
    assert ask("codehost-search-repositories", {"query": query}).status_code == 200
    assert vendor.seen[-1].query["q"] == [query]


def test_a_search_tells_of_its_next_page_up_to_the_last_that_github_gives(ask, vendor):
    vendor.says({"total_count": 5000, "incomplete_results": False, "items": [REPOSITORY]})
    body = {"query": "language:python stars:>10", "perPage": 100, "page": 9}
    data = ask("codehost-search-repositories", body).json["data"]
    assert (data["total"], data["nextPage"]) == (5000, 10)
    assert vendor.seen[0].query["q"] == ["language:python stars:>10"]
    last = ask("codehost-search-repositories", {**body, "page": 10}).json["data"]
    assert last["nextPage"] is None


@pytest.mark.parametrize(("what", "item"), [("commits", COMMIT), ("pulls", PULL)])
def test_a_full_page_has_a_next_one(ask, vendor, what, item):
    vendor.says([item, item], [item])
    asked = {**REPO, "perPage": 2}
    first = ask(f"codehost-get-repository-{what}", asked).json["data"]
    second = ask(f"codehost-get-repository-{what}", {**asked, "page": first["nextPage"]}).json[
        "data"
    ]
    assert (len(first[what]), first["nextPage"], second["nextPage"]) == (2, 2, None)
    assert [asked.query["page"] for asked in vendor.seen] == [["1"], ["2"]]


def test_pull_requests_are_left_out_of_issues_but_count_for_the_page(ask, vendor):
    vendor.says([ISSUE, {**ISSUE, "number": 2, "pull_request": {"url": "x"}}])
    body = {**REPO, "perPage": 2, "labels": ["bug", "help wanted"]}
    data = ask("codehost-get-repository-issues", body).json["data"]
    assert [issue["number"] for issue in data["issues"]] == [1347]
    assert (data["issues"][0]["labels"], data["nextPage"]) == (["bug"], 2)
    assert vendor.seen[0].query["labels"] == ["bug,help wanted"]


def test_a_commit_without_a_github_account_has_no_login(ask, vendor):
    vendor.says([{**COMMIT, "author": None}])
    body = {**REPO, "ref": "v1", "since": "2026-01-01T01:00:00+02:00"}
    commit = ask("codehost-get-repository-commits", body).json["data"]["commits"][0]
    assert (commit["authorLogin"], commit["authorName"]) == (None, "Monalisa Octocat")
    assert commit["parents"] == ["6dcb09b5b57875f334f61aebed695e2e4193db5e"]
    assert vendor.seen[0].query["sha"] == ["v1"]
    assert vendor.seen[0].query["since"] == ["2025-12-31T23:00:00Z"]


def test_a_tree_is_recursive_unless_told_otherwise(ask, vendor):
    vendor.says(TREE)
    data = ask("codehost-get-repository-tree", {**REPO, "ref": "feature/x y"}).json["data"]
    ask("codehost-get-repository-tree", {**REPO, "recursive": False})
    assert [entry["type"] for entry in data["entries"]] == ["tree", "blob"]
    assert vendor.seen[0].target.endswith("/git/trees/feature%2Fx%20y?recursive=1")
    assert vendor.seen[1].target.endswith("/git/trees/HEAD")


@pytest.mark.parametrize("recursive", [0, 1, "false", "true"])
def test_a_switch_in_a_body_is_true_or_false(ask, recursive):
    answer = ask("codehost-get-repository-tree", {**REPO, "recursive": recursive})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["recursive"])


@pytest.mark.parametrize(
    ("said", "theirs"),
    [("true", True), ("True", True), ("1", True), ("false", False), ("False", False), ("0", False)],
)
def test_a_switch_in_a_query_is_what_clients_write_for_it(alice, vendor, said, theirs):
    vendor.says(TREE)
    path = "/api/integrations/codehost-get-repository-tree"
    assert alice.get(path, query_string={**REPO, "recursive": said}).status_code == 200
    assert ("recursive=1" in vendor.seen[0].target) is theirs
    for other in ("yes", "TRUE", "", "2"):
        assert alice.get(path, query_string={**REPO, "recursive": other}).status_code == 400


def test_a_text_file_is_decoded(ask, vendor):
    vendor.says({**FILE, "download_url": "https://raw.example/README.md?token=canary"})
    data = ask("codehost-get-repository-contents", {**REPO, "path": "README.md"}).json["data"]
    assert (data["type"], data["content"]) == ("file", "# Hello, World!")
    assert data["downloadUrl"] == "https://raw.example/README.md"
    assert vendor.seen[0].target == "/repos/octocat/Hello-World/contents/README.md"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"text\x00and more"])
def test_a_binary_file_has_no_content(ask, vendor, content):
    vendor.says({**FILE, "content": base64.b64encode(content).decode()})
    data = ask("codehost-get-repository-contents", {**REPO, "path": "a.bin"}).json["data"]
    assert (data["content"], data["size"]) == (None, 15)


def test_a_file_over_a_megabyte_has_no_content_but_a_link(ask, vendor):
    vendor.says({**FILE, "content": "", "encoding": "none", "size": 2_000_000})
    data = ask("codehost-get-repository-contents", {**REPO, "path": "big.txt"}).json["data"]
    assert (data["content"], data["size"]) == (None, 2_000_000)
    assert data["downloadUrl"]


@pytest.mark.parametrize("odd", [{"content": "a"}, {"download_url": "http://[/x"}])
def test_a_file_that_cannot_be_read_is_githubs_failure(ask, vendor, odd):
    vendor.says({**FILE, **odd})
    answer = ask("codehost-get-repository-contents", {**REPO, "path": "README.md"})
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")


def test_a_folder_lists_what_is_in_it(ask, vendor):
    vendor.says(FOLDER)
    data = ask("codehost-get-repository-contents", {**REPO, "path": "/docs/"}).json["data"]
    assert (data["type"], data["path"]) == ("dir", "docs")
    assert [entry["name"] for entry in data["entries"]] == ["docs", "README.md"]
    assert vendor.seen[0].target == "/repos/octocat/Hello-World/contents/docs"


PATHS = [
    ("a b/c.md", "a%20b/c.md"),
    ("%2e%2e/x", "%252e%252e/x"),
    ("a%2Fb", "a%252Fb"),
    ("a?b=c#d", "a%3Fb%3Dc%23d"),
    ("a\r\nX-Evil: 1", "a%0D%0AX-Evil%3A%201"),
    ("@evil.example", "%40evil.example"),
]


def test_a_path_keeps_its_slashes_and_nothing_else(ask, vendor):
    for path, target in PATHS:
        vendor.seen.clear()
        vendor.says(FILE)
        ask("codehost-get-repository-contents", {**REPO, "path": path})
        assert vendor.seen[0].target == f"/repos/octocat/Hello-World/contents/{target}", path
        assert "x-evil" not in vendor.seen[0].headers


CLIMBING = [
    ("contents", {"path": "../../../user"}),
    ("contents", {"path": "a/./b"}),
    ("contents", {"path": "a//b"}),
    ("tree", {"ref": "../../.."}),
    ("commits", {"repo": ".."}),
    ("commits", {"owner": "a/b"}),
    ("commits", {"owner": "a@evil"}),
]


def test_no_path_leads_out_of_a_repository(ask, vendor):
    for endpoint, body in CLIMBING:
        answer = ask(f"codehost-get-repository-{endpoint}", {**REPO, **body})
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), body
        assert answer.json["details"]
    assert vendor.seen == []


LIMITS = [
    (refusal(403, "Secondary", Retry_After="7"), 7, 7),
    (refusal(403, "You have exceeded a secondary rate limit."), 60, 60),
    (refusal(429, "Too many", Retry_After="7200"), 3600, 3600),
    (refusal(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="1"), 1, 1),
    (refusal(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="soon"), 60, 60),
    (refusal(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="9" * 5000), 3600, 3600),
    (refusal(403, X_RateLimit_Remaining="0", Retry_After="\xb2"), 60, 60),
]


def test_every_kind_of_limit_is_rate_limited(ask, vendor):
    for said, low, high in LIMITS:
        vendor.seen.clear()
        vendor.says(said)
        answer = ask("codehost-get-repository", REPO)
        assert (answer.status_code, answer.json["error"]) == (429, "rate_limited"), said
        assert low <= int(answer.headers["Retry-After"]) <= high
        assert len(vendor.seen) == 1


def test_a_limit_without_a_time_lasts_a_minute():
    for reply in (Reply(429, {}, {}), Reply(403, {}, {"message": "Rate limit"})):
        assert GITHUB.refusal(reply).headers["Retry-After"] == "60"


def test_an_exhausted_hour_says_when_it_ends(ask, vendor):
    now = datetime.now(UTC).replace(microsecond=0)
    reset = str(int(now.timestamp()) + 600)
    vendor.says(refusal(403, X_RateLimit_Remaining="0", X_RateLimit_Reset=reset))
    with time_machine.travel(now, tick=False):
        answer = ask("codehost-get-repository", REPO)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "600")


REFUSALS = [
    (refusal(404, "Not Found"), 404, "not_found"),
    (refusal(410, "Issues are disabled"), 404, "not_found"),
    (refusal(301, "Moved", Location="/elsewhere"), 404, "not_found"),
    (refusal(403, "Resource not accessible", X_RateLimit_Remaining="9"), 403, "forbidden"),
    (refusal(451, "Blocked"), 403, "forbidden"),
    (refusal(401, "Bad credentials"), 502, "upstream_provider_error"),
    (refusal(422, "Validation Failed"), 400, "invalid_request"),
    (refusal(500, "Oops"), 502, "upstream_provider_error"),
]


def test_other_refusals_mean_what_the_contract_says(ask, vendor):
    for said, status, error in REFUSALS:
        vendor.seen.clear()
        vendor.says(said)
        answer = ask("codehost-get-repository-issues", REPO)
        assert (answer.status_code, answer.json["error"]) == (status, error), said
        assert answer.json["success"] is False
        assert said.body["message"] not in answer.text
        assert len(vendor.seen) == 1
        assert answer.json.get("upstreamStatus") == (said.status if status == 502 else None)


def test_an_empty_repository_has_no_commits_and_no_files(ask, vendor):
    vendor.says(refusal(409, "Git Repository is empty."))
    commits = ask("codehost-get-repository-commits", REPO).json["data"]
    tree = ask("codehost-get-repository-tree", REPO).json["data"]
    assert commits == {"commits": [], "nextPage": None}
    assert tree == {"sha": None, "truncated": False, "entries": []}


def test_nothing_is_charged(alice, ask, vendor):
    vendor.says(REPOSITORY)
    before = alice.get("/api/credits").json["balance"]
    ask("codehost-get-repository", REPO)
    assert alice.get("/api/credits").json["balance"] == before


PRIVATE = {**REPOSITORY, "private": True, "visibility": "private"}
UNKNOWN = {name: value for name, value in REPOSITORY.items() if name != "private"}
HIDDEN = [
    PRIVATE,
    {**PRIVATE, "visibility": "internal"},
    {**REPOSITORY, "visibility": "internal"},
    {**REPOSITORY, "private": None},
    UNKNOWN,
]
SECRETS = {
    "commits": [{**COMMIT, "sha": "secret"}],
    "issues": [{**ISSUE, "title": "secret"}],
    "pulls": [{**PULL, "title": "secret"}],
    "tree": {**TREE, "sha": "secret"},
    "contents": {**FILE, "name": "secret"},
}


def is_a_repository(asked):
    return asked.path.lower() == "/repos/octocat/hello-world"


def answering(description, what):
    """Describes the repository, and tells what is in it."""
    return lambda asked: Said(description if is_a_repository(asked) else SECRETS[what])


@pytest.mark.parametrize("what", ["", *READS])
def test_nothing_of_a_private_repository_comes_out(ask, vendor, what):
    name = f"codehost-get-repository{'-' if what else ''}{what}"
    for hidden in HIDDEN:
        visibility.seen.clear()
        vendor.says(answering(hidden, what))
        refused = ask(name, REPO)
        vendor.says(refusal(404, "Not Found"))
        absent = ask(name, REPO)
        assert (refused.status_code, refused.json) == (absent.status_code, absent.json), hidden
        assert (refused.status_code, refused.json["error"]) == (404, "not_found")
        assert "secret" not in refused.text


@pytest.mark.parametrize("what", READS)
def test_what_is_not_clearly_public_is_not_read(ask, vendor, what):
    for number, odd in enumerate(({}, {"private": False}, []), 1):
        visibility.seen.clear()
        vendor.says(answering(odd, what))
        answer = ask(f"codehost-get-repository-{what}", REPO)
        assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error"), odd
        assert len(vendor.seen) == number


@pytest.mark.parametrize("said", [refusal(301), refusal(403, "SAML", X_GitHub_SSO="required")])
def test_neither_a_new_name_nor_a_sign_on_tells_that_there_is_one(ask, vendor, said):
    vendor.says(said)
    told = ask("codehost-get-repository", REPO).json
    vendor.says(refusal(404))
    assert told == ask("codehost-get-repository", REPO).json


RENAMED = {**REPOSITORY, "full_name": "octocat/Renamed", "name": "Renamed"}
GIVEN = {"commits": [COMMIT], "issues": [ISSUE], "pulls": [PULL], "tree": TREE, "contents": FILE}


def renamed(vendor, description, place="https://api.github.com/repositories/12"):
    """GitHub answers with the new place of what is asked for by the old name."""

    def answer(asked):
        _, _, rest = asked.target.partition("/Hello-World")
        if asked.path.startswith("/repos/"):
            return refusal(301, "Moved Permanently", Location=place + rest)
        what = asked.path.removeprefix("/repositories/12").strip("/")
        named = {name for name in GIVEN if name in what}
        return Said(GIVEN[named.pop()] if named else description)

    visibility.seen.clear()
    vendor.says(answer)


@pytest.mark.parametrize("place", ["https://api.github.com/repositories/12", "/repositories/12"])
def test_a_renamed_repository_is_found_at_its_new_place(ask, vendor, place):
    renamed(vendor, RENAMED, place)
    data = ask("codehost-get-repository", REPO).json["data"]
    assert data["fullName"] == "octocat/Renamed"
    assert [asked.target for asked in vendor.seen] == [
        "/repos/octocat/Hello-World", "/repositories/12",
    ]  # fmt: skip
    assert {asked.headers["authorization"] for asked in vendor.seen} == {"Bearer github-canary"}


@pytest.mark.parametrize("what", READS)
@pytest.mark.parametrize("has_token", [True, False])
def test_what_is_in_a_renamed_repository_is_found_too(app, ask, vendor, what, has_token):
    if not has_token:
        del app.extensions["vendor_settings"]["GITHUB_TOKEN"]
    renamed(vendor, RENAMED)
    assert ask(f"codehost-get-repository-{what}", REPO).status_code == 200
    assert len(vendor.seen) == (4 if has_token else 2)
    first, last = vendor.seen[-2:]
    assert last.target == first.target.replace("/repos/octocat/Hello-World", "/repositories/12")
    assert ("authorization" in last.headers) == has_token


@pytest.mark.parametrize("what", ["", *READS])
def test_a_repository_that_is_private_under_its_new_name_is_not_there(ask, vendor, what):
    renamed(vendor, PRIVATE)
    answer = ask(f"codehost-get-repository{'-' if what else ''}{what}", REPO)
    vendor.says(refusal(404, "Not Found"))
    absent = ask("codehost-get-repository", REPO)
    assert (answer.status_code, answer.json) == (404, absent.json)


@pytest.mark.parametrize(
    "place",
    [
        "https://evil.example/user",
        "/repositories/12/../../user/repos",
        "/repositories/12abc",
        "/repos/a/b",
        "",
        "/repositories/1 2",
    ],
)
def test_no_other_place_is_asked_for(ask, vendor, place):
    vendor.says(refusal(301, "Moved", Location=place))
    assert ask("codehost-get-repository", REPO).status_code == 404
    assert len(vendor.seen) == 1


def test_a_place_that_an_answer_names_is_not_asked_for(ask, vendor):
    vendor.says(Said(REPOSITORY, headers={"Location": "/repositories/12"}))
    assert ask("codehost-get-repository", REPO).status_code == 200
    assert len(vendor.seen) == 1


def test_a_place_that_has_moved_too_is_not_followed(ask, vendor):
    vendor.says(refusal(301, "Moved", Location="/repositories/12"))
    assert ask("codehost-get-repository", REPO).status_code == 404
    assert len(vendor.seen) == 2


def test_an_empty_page_of_a_search_is_the_last(ask, vendor):
    vendor.says({"total_count": 90, "incomplete_results": True, "items": []})
    data = ask("codehost-search-repositories", {"query": "a"}).json["data"]
    assert (data["total"], data["nextPage"]) == (90, None)


def test_a_search_needs_no_grant_and_shows_public_repositories(ask, vendor):
    mixed = {"total_count": 2, "incomplete_results": False,
             "items": [REPOSITORY, PRIVATE]}  # fmt: skip
    vendor.says(mixed)
    data = ask("codehost-search-repositories", {"query": "a"}).json["data"]
    assert [found["private"] for found in data["repositories"]] == [False]
    assert "authorization" not in vendor.seen[0].headers


def test_a_repository_is_asked_for_once_a_minute(ask, vendor, monkeypatch):
    visibility.seen.clear()
    vendor.says(lambda asked: Said(REPOSITORY if is_a_repository(asked) else []))
    for repo in ("Hello-World", "hello-world", "HELLO-WORLD"):
        assert ask("codehost-get-repository-commits", {**REPO, "repo": repo}).status_code == 200
    assert [is_a_repository(asked) for asked in vendor.seen] == [True, False, False, False]
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + visibility.REMEMBERED + 1)
    assert not visibility.seen.has("octocat/hello-world")


def test_not_all_repositories_are_remembered():
    for number in range(visibility.MOST + 10):
        visibility.seen.add(f"o/{number}")
    assert not visibility.seen.has("o/0")
    assert visibility.seen.has(f"o/{visibility.MOST + 9}")


def test_without_a_token_nothing_more_is_asked(app, ask, vendor):
    visibility.seen.clear()
    del app.extensions["vendor_settings"]["GITHUB_TOKEN"]
    vendor.says([])
    assert ask("codehost-get-repository-commits", REPO).status_code == 200
    assert len(vendor.seen) == 1


@pytest.mark.parametrize(
    ("said", "warns"),
    [
        (Said(REPOSITORY, headers={"X-OAuth-Scopes": "read:org, repo"}), True),
        (Said({}, 404, {"X-OAuth-Scopes": "repo"}), True),
        (Said(PRIVATE), True),
        (Said(REPOSITORY, headers={"X-OAuth-Scopes": "public_repo, read:user"}), False),
        (Said(REPOSITORY, headers={"X-OAuth-Scopes": ""}), False),
        (Said(REPOSITORY), False),
    ],
)
def test_a_token_that_reads_private_repositories_is_told_of_once(
    ask, vendor, monkeypatch, capsys, said, warns
):
    monkeypatch.setattr(token, "has_warned", False)
    vendor.says(said)
    for _ in range(2):
        ask("codehost-get-repository", REPO)
    assert "".join(capsys.readouterr()).count("GITHUB_TOKEN reads private") == warns
