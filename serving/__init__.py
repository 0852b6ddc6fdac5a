"""The process around the service: gunicorn's worker, its logs, and reloading."""
