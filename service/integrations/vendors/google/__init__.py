"""Google Workspace, the cloud suite: mail, calendar, files and contacts of the user's own account.

Sources: developers.google.com/workspace, and the discovery documents of the five APIs.
"""

from service.integrations.vendors.google.calendar import list_events
from service.integrations.vendors.google.drive import delete_file, list_files
from service.integrations.vendors.google.drive_content import download, upload
from service.integrations.vendors.google.mail import list_mail
from service.integrations.vendors.google.mail_sending import reply, send
from service.integrations.vendors.google.new_events import create_events
from service.integrations.vendors.google.people import contacts

ENDPOINTS = (
    list_events, create_events, list_mail, send, reply, list_files, upload, download, delete_file,
    contacts,
)  # fmt: skip
