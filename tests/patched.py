"""Loaded by pytest before any other plugin: they import ssl, which must be patched first."""

from gevent import monkey

monkey.patch_all()
