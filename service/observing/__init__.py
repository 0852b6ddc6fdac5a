"""Logs, metrics and the stall alarm."""

from service.observing import processes

processes.install()
