"""Model providers: who serves which model, and what their wires look like.

Pure: prompts become request bytes, response bytes become events. No Flask, no database, no socket.
"""
