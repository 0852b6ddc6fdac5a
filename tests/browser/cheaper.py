"""An extension of the service under test, which makes tests of the browser cheaper.

A browser asks for each of its files only once. The files don't change while the service runs. Each
load of the console would ask for more than two hundred modules again, which takes longer than most
tests. `tests/console` tests that a file is revalidated.

The sandbox's models say 300 words a second instead of 100: a page is painted sixty times a second
while it shows a reply.
"""

from service.browser import responses
from service.sandbox import views

responses.FILE["Cache-Control"] = "max-age=86400"
views.TOKEN_SECONDS = 0.003
