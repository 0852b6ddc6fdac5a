"""The mail widget on a canvas, and what its requests say."""

from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.office_suite import allow

MAIL = "/api/integrations/cloudsuite/mail-send"


def approve(canvas, answer="Allow once"):
    """Answer the dialog of the approval, once its buttons can be pressed."""
    button = canvas.page.get_by_role("dialog").get_by_role("button", name=answer, exact=True)
    expect(button).to_have_attribute("aria-disabled", "false")
    button.click()


def connect(canvas, widget):
    """Approve a widget's call, and give the consent that it needs then."""
    approve(canvas)
    with canvas.page.expect_popup() as opened:
        widget.get_by_role("alert").get_by_role("button", name="Connect").press("Enter")
    allow(opened.value)


def header_of_requests(canvas, path, header="x-approval"):
    """What one header says in the requests that are sent to this path from now on."""
    said = []

    def note(request):
        if urlsplit(request.url).path == path:
            said.append(request.headers.get(header))

    canvas.page.on("request", note)
    return said


def write_and_send(mail, text):
    mail.get_by_label("To").fill("cleo@example.com")
    mail.get_by_label("Message").fill(text)
    mail.get_by_role("button", name="Send").click()
