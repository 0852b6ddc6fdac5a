"""Model providers: which provider serves which model, and by which wire.

Pure: prompts become request bytes, and response bytes become events. No Flask, no database, no
socket.
"""
