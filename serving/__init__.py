"""The process side of the service: gunicorn's worker, its logs, and how a reload works."""
