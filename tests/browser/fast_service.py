"""An extension of the service under test, with which tests of the browser take less time.

A browser asks for each file only once, also for those without a version: they don't change while
the service runs. `tests/console` tests that they are revalidated, `test_bare` what is kept anyway.

The sandbox's models say 300 words a second instead of 100, because the page is painted many times a
second while it shows a reply.
"""

from service.browser import responses
from service.sandbox import views

responses.FILE["Cache-Control"] = "max-age=86400"
views.TOKEN_SECONDS = 0.003
