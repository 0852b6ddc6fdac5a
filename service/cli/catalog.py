"""The integration catalog for operators: `flask catalog …`."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click
from flask import current_app
from flask.cli import with_appcontext

from service.cli.terminal import AS_JSON, TextArgument, print_list
from service.integrations import documents, everything
from service.integrations.calling.proxy import PROXY
from service.integrations.declare.catalog import CATALOG, Catalog
from service.integrations.reference import check as checking
from service.integrations.reference import page, specified_names, typings
from service.name_suggestions import with_suggestions
from service.web.errors import UnknownEndpoint

catalog = click.Group("catalog", help="The integration endpoints, and what they need.")


@catalog.command("list")
@AS_JSON
@with_appcontext
def list_endpoints(as_json: bool) -> None:
    """List every endpoint with its integration, its price in credits, and what it lacks."""
    proxy = PROXY.of(current_app)
    rows = [
        {
            "name": item.name,
            "integration": item.vendor.integration,
            "credits": item.max_credits,
            "needs": proxy.missing(item),
        }
        for item in _catalog()
    ]
    print_list(rows, "There are no endpoints.", as_json)


@catalog.command("show")
@click.argument("name", type=TextArgument())
@with_appcontext
def show(name: str) -> None:
    """Show an endpoint: its documentation, and the schemas of its body and its answer."""
    try:
        item = _catalog().named(name)
    except UnknownEndpoint as error:
        raise click.ClickException(with_suggestions(error.message, error.nearest)) from None
    shown = {
        "names": item.names,
        "summary": item.summary,
        "docs": item.docs,
        "credits": item.max_credits,
        "cache": item.cache and asdict(item.cache),
        "perUser": item.per_user and asdict(item.per_user),
        "settings": [
            setting.name
            for vendor in (item.vendor, *item.alternatives)
            for setting in vendor.all_settings
        ],
        "body": documents.body_schema(item),
        "answer": documents.answer_schema(item),
    }
    click.echo(json.dumps(shown, indent=2, ensure_ascii=False))


@catalog.command("check")
@click.option(
    "--spec",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=specified_names.LIST,
    help="The specification with the names: by default our own list of them.",
)
@with_appcontext
def check(spec: Path) -> None:
    """Compare the names with the specification's, and look for what endpoints lack."""
    every, own, proxy = _catalog(), set(everything.endpoints()), PROXY.of(current_app)
    faults = list(checking.catalog_faults(every, specified_names.promises(spec), own))
    for fault in faults:
        click.echo(fault)
    for item in (item for item in every if item not in own):
        click.echo(f"{item.name}: of an extension")
    ready = sum(map(proxy.is_configured, every))
    counts = f"{len(every.names)} names of {len([*every])} endpoints, {ready} of them configured"
    click.echo(f"{counts}; compared with {spec.name}; faults: {len(faults)}")
    raise click.exceptions.Exit(1 if faults else 0)


@catalog.command("reference")
@with_appcontext
def reference() -> None:
    """Print the page of all endpoints, docs/endpoints.md."""
    click.echo("".join(page.page(_catalog())), nl=False)


@catalog.command("types")
@with_appcontext
def types() -> None:
    """Print the TypeScript types of all endpoints, service/browser/widgets/endpoints.d.ts."""
    click.echo("".join(typings.declarations(_catalog())), nl=False)


@catalog.command("settings")
@with_appcontext
def settings() -> None:
    """Print the settings of all vendors as the table of docs/deployment.md."""
    click.echo("\n".join(settings_table(_catalog())))


def settings_table(every: Catalog) -> Iterator[str]:
    """Yield the lines of the table, in Markdown, in the order of the vendors; each setting once."""
    users: dict[str, list[str]] = {}
    for vendor in every.vendors:
        for setting in vendor.all_settings:
            users.setdefault(setting.name, []).append(vendor.integration)
    yield "| vendor setting | default | meaning |"
    yield "|---|---|---|"
    for setting in every.settings:
        default = f"`{setting.default}`" if setting.default else "unset"
        integrations = ", ".join(dict.fromkeys(users[setting.name]))
        yield f"| `{setting.name}` | {default} | {integrations}: {setting.about} |"


def _catalog() -> Catalog:
    return CATALOG.of(current_app)
