"""The ledger of the app under test, whose sums are checked at the end of every test."""

import pytest

from tests.billing.books import Books


@pytest.fixture
def books(app):
    books = Books(app)
    yield books
    books.check()
