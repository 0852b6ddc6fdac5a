"""An extension of the service under test, with which replies take longer.

The sandbox's models say 8 words a second. The page is painted with each word, so a reply that
lasts as long with fewer words costs less.
"""

from service.sandbox import views

views.TOKEN_SECONDS = 0.125
