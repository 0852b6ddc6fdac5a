"""What the database of the app under test has."""

from sqlalchemy import inspect, text

from service.extensions import db


def everything_in(app) -> str:
    """Every row of every table, as text."""
    return repr(list(rows_by_table(app).values()))


def rows_by_table(app):
    """Of the tables that have any."""
    with app.app_context():
        tables = inspect(db.engine).get_table_names()
        rows = {t: db.session.execute(text(f'SELECT * FROM "{t}"')).all() for t in tables}  # noqa: S608
        db.session.commit()
    return {name: found for name, found in rows.items() if found}
