"""The small tables beside the chat, changed by hand and by the assistant."""

from playwright.sync_api import expect

from tests.browser.presses import double_click
from tests.services import wait_for

TASK = 'call records.create with {"collection": "tasks", "data": {"title": "Print the badges"}}'


def titles(console, name="Tasks"):
    return console.table(name).get_by_label("Title of")


def problem(console, title="Tasks"):
    return console.page.locator(".record-box", has_text=title).locator(".problem").first


def stored(console, collection="tasks"):
    return [r["data"] for r in console.api("GET", f"records/{collection}")["records"]]


def add(console, *names):
    for title in names:
        console.api("POST", "records/tasks", {"title": title})


def test_a_double_click_deletes_one_row(console):
    add(console, "First", "Second", "Third")
    third = console.button("Delete Third")
    with double_click(third):
        expect(third).to_have_count(0)
    expect(console.page.locator("#announcer")).to_have_text("Deleted “Third”.")
    console.page.wait_for_timeout(500)  # a double click has ended
    assert sorted(each["title"] for each in stored(console)) == ["First", "Second"]
    console.button("Delete Second").click()
    expect(console.page.locator("#announcer")).to_have_text("Deleted “Second”.")


def test_rows_are_added_edited_ticked_and_deleted(console):
    page = console.page
    page.get_by_label("New task").fill("Water the plants")
    page.keyboard.press("Enter")
    expect(page.get_by_label("New task")).to_have_value("")
    expect(page.locator("#announcer")).to_have_text("Created Water the plants")
    title = page.get_by_label("Title of Water the plants")
    title.fill("Water all plants")
    title.press("Enter")
    page.get_by_label("Done: Water all plants").check()
    page.get_by_role("button", name="Due of Water all plants").click()
    page.locator("input[type=datetime-local]").fill("2027-03-01T18:30")
    page.keyboard.press("Enter")
    due = page.get_by_role("button", name="Due of Water all plants: 1 Mar 2027, 18:30")
    expect(due).to_be_focused()
    [task] = stored(console)
    assert (task["title"], task["done"]) == ("Water all plants", True)
    assert task["due"].startswith("2027-03-01T18:30:00")
    page.get_by_role("button", name="Delete Water all plants").click()
    expect(page.get_by_text("No tasks yet.")).to_be_visible()
    assert stored(console) == []


def test_a_refused_change_says_why_and_keeps_what_was_typed(console):
    console.may_say("400")
    page = console.page
    page.get_by_label("New note").fill("Note")
    page.keyboard.press("Enter")
    title = page.get_by_label("Title of Note")
    title.fill("x" * 30_000)
    title.press("Enter")
    expect(page.locator(".record-box .problem:not(:empty)")).to_have_count(1)
    expect(title).to_have_value("x" * 30_000)
    title.press("Escape")
    expect(title).to_have_value("Note")


def test_rows_that_could_not_be_read_are_read_again_at_a_press(console):
    console.may_say("503")
    console.api("POST", "records/tasks", {"title": "Print badges"})
    page, tasks = console.page, "**/api/records/tasks?*"
    page.route(tasks, lambda route: route.fulfill(status=503, json={"error": "x"}))
    page.reload()
    again = (
        page.get_by_role("group").filter(has_text="Tasks").get_by_role("button", name="Try again")
    )
    again.press("Enter")
    expect(page.locator(".record-box .problem:not(:empty)")).to_contain_text("503")
    page.unroute(tasks)
    again.press("Enter")
    expect(page.get_by_label("Title of Print badges")).to_be_visible()
    expect(page.locator(".record-box .problem:not(:empty)")).to_have_count(0)
    expect(page.get_by_label("New task")).to_be_focused()


def test_escape_takes_back_and_leaving_a_cell_saves(console):
    page = console.page
    page.get_by_label("New note").fill("Venue")
    page.keyboard.press("Enter")
    text = page.get_by_label("Text of Venue")
    text.fill("no")
    text.press("Escape")
    expect(text).to_have_value("")
    text.fill("Hall B")
    text.press("Shift+Enter")
    text.press_sequentially("40 seats")
    console.composer.focus()
    expect(text).to_have_value("Hall B\n40 seats")
    wait_for(lambda: stored(console, "notes")[0].get("text") == "Hall B\n40 seats")
    page.reload()
    expect(page.get_by_label("Text of Venue")).to_have_value("Hall B\n40 seats")


def test_without_the_socket_lists_come_by_http_and_say_so(opened):
    console = opened(sockets=True)
    console.may_say("WebSocket")
    console.page.route_web_socket("**/api/records/socket", lambda ws: ws.close())
    console.sign_in()
    expect(console.page.get_by_text("Live updates are off.")).to_be_visible()
    console.api("POST", "records/tasks", {"title": "Made elsewhere"})
    console.button("Reload lists").click()
    expect(titles(console)).to_have_value("Made elsewhere")
    console.ask(TASK)
    expect(titles(console)).to_have_count(2)
    console.page.get_by_label("New task").fill("By hand")
    console.page.keyboard.press("Enter")
    expect(titles(console)).to_have_count(3)


def test_unsaved_text_is_never_overwritten(opened):
    here = opened().sign_in()
    task = here.api("POST", "records/tasks", {"title": "Mine"})
    title = titles(here)
    title.fill("My version")
    here.api("PATCH", f"records/tasks/{task['recordId']}", {"title": "Theirs"})
    expect(here.page.get_by_label("Title of Theirs")).to_have_value("My version")
    title.press("Enter")
    expect(problem(here)).to_contain_text("changed to “Theirs”")
    title.press("Enter")
    expect(here.page.get_by_label("Title of My version")).to_be_visible()
    assert stored(here)[0]["title"] == "My version"


def test_an_incomplete_date_is_reported_and_discarded_on_leaving(console):
    page = console.page
    console.api("POST", "records/tasks", {"title": "Print"})
    due = page.get_by_role("button", name="Due of Print: none")
    due.click()
    field = page.locator("input[type=datetime-local]")
    field.evaluate("(node) => node.addEventListener('invalid', () => (window.reported = true))")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    assert page.evaluate("window.reported")
    expect(field).to_be_focused()
    console.composer.focus()
    expect(field).to_be_hidden()
    expect(due).to_be_visible()
    assert "due" not in stored(console)[0]


def test_a_row_deleted_elsewhere_leaves_what_was_typed(console):
    task = console.api("POST", "records/tasks", {"title": "Mine"})
    titles(console).fill("My longer version")
    console.api("DELETE", f"records/tasks/{task['recordId']}")
    expect(titles(console)).to_have_count(0)
    new = console.page.get_by_label("New task")
    expect(new).to_be_focused()
    expect(new).to_have_value("My longer version")
    expect(problem(console)).to_have_text("This row was deleted in the meantime.")
    new.press("Enter")
    expect(titles(console)).to_have_value("My longer version")
    expect(problem(console)).to_be_empty()


def test_a_row_deleted_elsewhere_leaves_the_new_row_alone(console):
    task = console.api("POST", "records/tasks", {"title": "Mine"})
    new = console.page.get_by_label("New task")
    new.fill("another")
    titles(console).fill("Mine, but longer")
    console.api("DELETE", f"records/tasks/{task['recordId']}")
    expect(new).to_be_focused()
    expect(new).to_have_value("another")
    expect(problem(console)).to_contain_text("You had typed “Mine, but longer”.")
