"""A small office suite that stands in for the cloud suite: consent, tokens, mail, calendar, files,
contacts. Its pages for people have the service's own address. All the rest is on the loopback
listener.
"""
