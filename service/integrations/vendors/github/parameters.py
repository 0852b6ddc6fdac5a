"""Parameters that several endpoints of GitHub share."""

from service.integrations.declare.fields import Count, Parameters, Words


class Repository(Parameters):
    owner = Words(
        "The account that has the repository.",
        pattern="^[A-Za-z0-9_-]{1,100}$", to="path.owner", required=True,
    )  # fmt: skip
    repo = Words(
        "The repository's name.",
        pattern="^[A-Za-z0-9._-]{1,100}$", to="path.repo", required=True,
    )  # fmt: skip


class Page(Parameters):
    perPage = Count("Items of a page.", least=1, most=100, to="query.per_page", default=30)
    page = Count("The page's number.", least=1, most=10_000, to="query.page", default=1)
