"""SQL conditions for texts that have the terms of a search, and upkeep of SQLite's index.

Both databases update their index themselves (migration 0025). PostgreSQL's is an index on an
expression: the words of a text, and its owner. SQLite has FTS5, and a list of the rows with letters
of scripts that FTS5 can't divide into words. A search reads the texts of those rows.
"""

import re
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    and_,
    bindparam,
    cast,
    column,
    func,
    or_,
    select,
    text,
    true,
    update,
)
from sqlalchemy import table as any_table

from service.chat.finding.terms import WORD, Terms, spellings
from service.chat.models import Chat, Message
from service.database.access import write_transaction
from service.extensions import db
from service.lazy import DeferredModule
from service.records.storage import TextPosition

postgresql = DeferredModule("sqlalchemy.dialects.postgresql")

MERGE_PAGES = 500  # of the index in one transaction, which takes 0.1 s

TABLES = ("messages", "chats")
SIGMAS = "\u03c3\u03c2"  # the Greek letter inside a word, and at its end
_state = any_table("search_state", column("deletions"))


def has_terms(model: type[Message] | type[Chat], terms: Terms, owner: str) -> ColumnElement[bool]:
    """Return a condition: a row's text has all terms, and `owner` owns it.

    The text is a message's content or a chat's title. There must be at least one term.
    """
    content = Message.content if model is Message else Chat.title
    parts = [_has_part(content, part) for part in terms.parts]
    if not terms.word_like:
        return and_(true(), *parts)
    if db.engine.dialect.name == "postgresql":
        words = func.search_words(model.user_id, content)
        for word in filter(_is_marked, terms.word_like):
            parts.append(_has_word(words, content, word, ":*" if word == terms.prefix else ""))
        return and_(_matches(words, _tsquery(terms, owner)), *parts)
    return and_(_in_fts5(model, content, terms), *parts)


def _has_part(content: Any, part: str) -> ColumnElement[bool]:
    return or_(*[TextPosition(content, form) > 0 for form in spellings(part)])


def _is_marked(word: str) -> bool:
    return len(spellings(word)) > 1


def _has_word(words: Any, content: Any, word: str, mark: str) -> ColumnElement[bool]:
    """Check a word with marks. PostgreSQL's index has only the pieces between separate marks."""
    whole = func.to_tsquery("simple", f"'{word}'{mark}")
    return or_(_matches(words, whole), TextPosition(func.lower(content), spellings(word)[1]) > 0)


def _matches(words: Any, query: Any) -> ColumnElement[bool]:
    return cast(words.op("@@")(query), Boolean)


def _in_fts5(model: type[Message] | type[Chat], content: Any, terms: Terms) -> ColumnElement[bool]:
    """Match texts in the index, and texts among the rows that it can't divide into words."""
    name = model.__tablename__
    index = any_table(f"search_{name}", column("rowid"), column(f"search_{name}"))
    query = " AND ".join(
        [*map(_phrase, terms.words), *([_phrase(terms.prefix, " *")] if terms.prefix else [])]
    )
    matching = index.c[f"search_{name}"].op("MATCH", is_comparison=True)(query)
    caseless = any_table(f"search_caseless_{name}", column("seq"))
    read = [  # ignores case
        or_(*[content.like(f"%{form}%") for form in spellings(word)]) for word in terms.word_like
    ]
    return or_(
        model.seq.in_(select(index.c.rowid).where(matching)),
        and_(model.seq.in_(select(caseless.c.seq)), *read),
    )


def _phrase(word: str, mark: str = "") -> str:
    return "(" + " OR ".join([f'"{form}"{mark}' for form in spellings(word)]) + ")"


def _tsquery(terms: Terms, owner: str) -> ColumnElement[Any]:
    """Build the query: all words, which have only letters and digits, and the owner's lexeme."""
    words = " & ".join([_lexemes(word) for word in terms.words])
    begun = _lexemes(terms.prefix, ":*") if terms.prefix else ""
    lexeme = "'@" + owner.replace("\\", "\\\\").replace("'", "''") + "'"
    query = func.to_tsquery("simple", " & ".join(filter(None, (words, begun))))
    return query.op("&&")(cast(lexeme, postgresql.TSQUERY))


def _lexemes(word: str, mark: str = "") -> str:
    """Write a word for a query, with both forms of a sigma at its end.

    The lower case of a capital sigma is the form for the inside of a word. FTS5 has only one form.
    A word with marks is also written as the pieces between its marks.
    """
    ends = SIGMAS if word[-1] in SIGMAS else word[-1]
    forms = [f"'{word[:-1]}{end}'{mark}" for end in ends]
    if _is_marked(word):
        pieces = re.findall(f"[{WORD}]+", spellings(word)[1])
        forms.append("(" + " & ".join([f"'{piece}'{mark}" for piece in pieces]) + ")")
    return "(" + " | ".join(forms) + ")"


def forget_deleted() -> None:
    """Remove the words of deleted texts from SQLite's index, in short transactions.

    FTS5 only marks deleted entries, and removes them when it merges the index's parts.
    """
    if db.engine.dialect.name != "sqlite" or not _take_deletions():
        return
    for name in TABLES:
        merge = text(f"INSERT INTO search_{name} (search_{name}, rank) VALUES ('merge', :pages)")  # noqa: S608
        pages = -MERGE_PAGES  # a negative number starts a merge of all parts into one
        while _merge(merge.bindparams(bindparam("pages", pages))):
            pages = MERGE_PAGES


def _take_deletions() -> bool:
    """Return whether texts were deleted since the last call."""
    if not db.session.scalar(select(_state.c.deletions)):
        db.session.commit()
        return False
    with write_transaction() as session:
        session.execute(update(_state).values(deletions=0))
    return True


def _merge(statement: Any) -> bool:
    """Merge some pages; returns whether there is more to merge.

    Source: sqlite.org/fts5.html, "The 'merge' Command".
    """
    with write_transaction() as session:
        connection: Any = session.connection().connection.driver_connection
        before: int = connection.total_changes
        session.execute(statement)
        after: int = connection.total_changes
        return after - before >= 2
