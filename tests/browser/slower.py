"""An extension of the service under test, for replies that have to outlast something.

The sandbox's models say 20 words a second. A page is painted with each word, which costs the more
the more of them there are.
"""

from service.sandbox import views

views.TOKEN_SECONDS = 0.05
