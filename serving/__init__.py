"""The process side of the service: gunicorn's worker, its logs, and the steps of a reload."""
