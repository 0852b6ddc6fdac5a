"""A small office suite that stands in for the cloud suite: consent, tokens, mail, calendar, files,
contacts. Its pages for people are on the service's own address, all else on the loopback listener.
"""
