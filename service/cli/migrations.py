"""`flask db …`: the commands of Flask-Migrate."""

from typing import Any

from click import Command, Context

from service.lazy import DeferredModule

migrating = DeferredModule("service.database.migrating")


class MigrationCommands(Command):
    """Stands for Flask-Migrate's group of commands, and loads it when it is used.

    Alembic would cost every worker and every other command 11 MB and a fifth of a second.
    """

    def make_context(self, *arguments: Any, **more: Any) -> Context:
        context: Context = migrating.commands.make_context(*arguments, **more)
        return context


migrations = MigrationCommands("db", help="Perform database migrations.")
