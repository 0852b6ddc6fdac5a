"""Make the page of all endpoints, docs/endpoints.md, from their declarations."""

import json
import re
from collections.abc import Iterable, Iterator

from service.billing.units import count_credits
from service.integrations import documents
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.categories import CATEGORIES, Category
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.request import MIB
from service.integrations.declare.vendor import Vendor
from service.integrations.reference.notation import rows, type_of
from service.integrations.reference.specified_names import LIST, promises

HEAD = """\
# Integration endpoints

`flask --app wsgi catalog reference` prints this page from the declarations.

Each endpoint is called with `POST /api/integrations/<name>`, its parameters as a JSON object; one
that only reads also with `GET` and a query. [The API](api.md#integrations) says what holds for all
of them: who pays, jobs, errors, consent. Parameters that are not listed are refused.

Prices are in credits. *Metered*: the price depends on the call or on what the vendor reports, and
the number is the most that the simplest call costs. *Asks*: an app should ask its user before the
call. The numbers in brackets are bounds: of a number's value, of a text's characters, of a list's
items. An endpoint that asks a model needs the key of the model's provider as well. The answer is
the `data` of the envelope, in TypeScript's notation.
"""
ByCategory = dict[Category, list[Endpoint]]
LONGEST_EXAMPLE = 400  # characters


def page(catalog: Catalog) -> Iterator[str]:
    """Yield the page in Markdown, in pieces that end with a line feed: one for each endpoint."""
    order = {one.name: number for number, one in enumerate(promises(LIST))}
    by_category: ByCategory = {name: [] for name in CATEGORIES}
    for item in sorted(catalog, key=lambda one: order.get(one.name, len(order))):
        by_category[item.category].append(item)
    yield HEAD
    yield _contents(by_category)
    for category, items in by_category.items():
        if items:
            yield f"\n## {CATEGORIES[category]}\n\n{_overview(items)}"
        yield from map(section, items)


def section(item: Endpoint) -> str:
    """Return the section about an endpoint."""
    parts = [f"### `{item.name}`", f"{item.summary} {_links(item)}", " · ".join(facts(item))]
    parts += _table(item)
    parts += [f"Example: `{example}`"] if (example := _example(item)) else []
    parts += [f"{_what_answers(item)}\n\n```ts\n{type_of(item.gives.schema())}\n```"]
    return "\n" + "\n\n".join(parts) + "\n"


def facts(item: Endpoint) -> Iterator[str]:
    """Yield methods, price, approval and the other declarations, each as a phrase."""
    yield "`POST`, `GET`" if item.access.gets else "`POST`"
    metered = " (metered)" if item.meter or item.model else ""
    yield f"{_credits(item)}{metered}"
    yield "never asks" if item.access.auto_approve else "asks"
    if item.job:
        yield f"job of at most {_duration(item.job.limit)}, `wait` is {item.job.wait:g} by default"
    if item.cache:
        who = "everybody" if item.cache.shared else "the same user"
        yield f"cached for {_duration(item.cache.seconds)} for {who}"
    if item.per_user:
        yield f"{item.per_user.calls} calls in {_duration(item.per_user.seconds)} for each user"
    if item.scope:
        also = f" (also {_names(item.accepted)})" if item.accepted else ""
        part = f"; {_names(item.narrow)} for what the app has made" if item.narrow else ""
        yield f"scope `{item.scope}`{also}{part}"
    if item.makes:
        yield f"stores at most {item.makes // MIB} MiB"
    if item.copies:
        yield f"copies at most {item.copies // MIB} MiB"
    vendors = [_needed(item, vendor) for vendor in (item.vendor, *item.alternatives)]
    if all(vendors):
        yield f"needs {' or '.join(vendors)}"
    if item.model:
        yield f"asks the model `{item.model.model_id}`"
    if optional := [one.name for one in item.vendor.credential.settings if not one.required]:
        yield f"may have {_names(optional)}"


def _needed(item: Endpoint, vendor: Vendor) -> str:
    required = [one for one in vendor.all_settings if one.required]
    return _names(one.name for one in (*required, *item.needs))


def _contents(by_category: ByCategory) -> str:
    lines = ["| category | endpoints |", "|---|---|"]
    for category, items in by_category.items():
        if items:
            name = CATEGORIES[category]
            lines.append(f"| [{name}](#{anchor(name)}) | {len(items)} |")
    return "\n" + "\n".join(lines) + "\n"


def _overview(items: Iterable[Endpoint]) -> str:
    lines = ["| endpoint | purpose | price |", "|---|---|---|"]
    for item in items:
        link = f"[`{item.name}`](#{anchor(item.name)})"
        lines.append(f"| {link} | {_cell(item.summary)} | {_credits(item)} |")
    return "\n".join(lines) + "\n"


def _table(item: Endpoint) -> list[str]:
    lines = ["| parameter | type | default | meaning |", "|---|---|---|---|"]
    for cells in rows(documents.body_schema(item)):
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return ["\n".join(lines)] if lines[2:] else ["No parameters."]


def _links(item: Endpoint) -> str:
    also = f" Also {_names(item.aliases)}." if item.aliases else ""
    return f"[Vendor's documentation]({item.docs}).{also}"


def _what_answers(item: Endpoint) -> str:
    """Return the line above the type of the answer."""
    if item.job:
        names = ", ".join(["jobId", "status", *item.job.facts.fields, "result"])
        return f"Answer: `{{ {names} }}`. The `result`, once the job is done:"
    return "Answer, once the scope is granted:" if item.scope else "Answer:"


def _example(item: Endpoint) -> str:
    """Return the parameters of the shortest example, or "" if even that example is long."""
    texts = [json.dumps(dict(one.asks), ensure_ascii=False) for one in item.examples]
    shortest = min((text for text in texts if text != "{}"), key=len, default="")
    return shortest if len(shortest) <= LONGEST_EXAMPLE and "`" not in shortest else ""


def _credits(item: Endpoint) -> str:
    return count_credits(item.max_credits) if item.max_credits else "free"


def _duration(seconds: float) -> str:
    for name, length in (("day", 24 * 3600), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, rest = divmod(round(seconds), length)
        if count and not rest:
            return f"{count} {name}{'' if count == 1 else 's'}"
    return f"{seconds:g} seconds"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def anchor(title: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
