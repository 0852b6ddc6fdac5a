"""An extension: who needs a connection to the database may wait for it as long as a test takes."""

from service.database import access

access.POOL_SECONDS = 60
