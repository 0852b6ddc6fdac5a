"""Model providers: who serves which model, and the wire that each speaks.

Pure: prompts become request bytes, response bytes become events. No Flask, no database, no socket.
"""
