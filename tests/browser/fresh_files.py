"""An extension of the service under test: a browser asks for each of its files only once.

The files don't change while the service runs. Each load of the console would ask for more than two
hundred modules again, which takes longer than most tests. `tests/console` tests that a file is
revalidated.
"""

from service.browser import responses

responses.FILE["Cache-Control"] = "max-age=86400"
