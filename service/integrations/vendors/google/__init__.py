"""Google Workspace, the cloud suite: mail, calendar, files and contacts of the user's own account.

Sources: developers.google.com/workspace, and the discovery documents of the five APIs.
"""

from service.integrations.vendors.google import calendar, drive, mail, people

ENDPOINTS = (*calendar.ENDPOINTS, *mail.ENDPOINTS, *drive.ENDPOINTS, *people.ENDPOINTS)
