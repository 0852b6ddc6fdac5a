"""The data view: every collection that its user may read."""

import re
from collections import Counter

import pytest
from playwright.sync_api import expect

from tests.browser.console_opening import opening
from tests.browser.data_view import panel, show
from tests.browser.held_traffic import first_of
from tests.browser.key_events import ALT_GR, COMPOSING
from tests.services import Service, wait_for

PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}


def add(console, *titles, **data):
    return [console.api("POST", "records/tasks", {"title": each, **data}) for each in titles]


def titles(page):
    return page.locator("tbody td:nth-child(2)")


def test_records_are_searched_filtered_and_sorted(console):
    add(console, "Print badges", "Book a hall")
    add(console, "Water plants", done=True)
    page = show(console)
    expect(titles(page)).to_have_text(["Water plants", "Book a hall", "Print badges"])
    page.get_by_role("button", name="Title").click()
    expect(titles(page)).to_have_text(["Book a hall", "Print badges", "Water plants"])
    header = page.get_by_role("columnheader", name="Title")
    expect(header).to_have_attribute("aria-sort", "ascending")
    page.get_by_label("Search the texts").fill("PRINT")
    expect(titles(page)).to_have_text(["Print badges"])
    page.get_by_label("Search the texts").fill("")
    console.button("Filter").click()
    page.get_by_label("Column").evaluate(COMPOSING, "Escape")
    page.get_by_label("Column").select_option("Done")
    page.get_by_label("Condition").select_option("is not yes")
    console.button("Add filter").click()
    expect(titles(page)).to_have_text(["Book a hall", "Print badges"])
    add(console, "Another one", "Done already", done=True)
    add(console, "Call")
    expect(titles(page)).to_have_text(["Book a hall", "Call", "Print badges"])
    assert console.violations() == []
    console.button("Remove: Done is not yes").click()
    expect(titles(page)).to_have_count(6)


# Screen readers read an alert with every change of it, also where it says the same.
COUNT_ALERTS = """() => {
  window.alerts = 0;
  const alert = document.querySelector('.data-table > .problem');
  new MutationObserver(() => (window.alerts += 1)).observe(alert, { childList: true });
}"""


@pytest.mark.parametrize("is_answered", [True, False])
def test_records_that_could_not_be_read_are_read_again_at_a_press(console, is_answered):
    add(console, "Print badges")
    console.may_say("Failed to load resource")
    records = "**/api/records/tasks?*"

    def lose(route):
        route.fulfill(status=503, json={"error": "x"}) if is_answered else route.abort()

    console.page.route(records, lose)
    page = show(console)
    problem = page.locator(".data-table > .problem")
    expect(problem).to_contain_text("503" if is_answered else "")
    page.evaluate(COUNT_ALERTS)
    add(console, "Book a hall")
    expect(titles(page)).to_have_text(["Book a hall"])
    assert page.evaluate("alerts") == 0
    page.unroute(records)
    console.button("Try again").press("Enter")
    expect(titles(page)).to_have_text(["Book a hall", "Print badges"])
    expect(problem).to_be_empty()
    expect(page.get_by_role("link", name="Open Book a hall")).to_be_focused()


# The right edges of a text in the head of a column, and of the one below it.
RIGHT_EDGES = """(column) => [...document.querySelectorAll(`.data-grid tr > :nth-child(${column})`)]
  .map((cell) => {
    const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
    const range = document.createRange();
    range.selectNode(text);
    return Math.round(range.getBoundingClientRect().right);
  })"""


def test_the_keys_of_the_grid_move_and_edit(console):
    add(console, "First", "Second", done=True)
    page, keys = show(console), console.page.keyboard
    page.get_by_role("link", name="Open Second").focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        keys.press(key)
    field = page.get_by_label("Title of First")
    expect(field).to_be_focused()
    keys.press("End")
    keys.type(" of all")
    keys.press("Enter")
    cell = page.get_by_role("gridcell", name="First of all", exact=True)
    expect(cell).to_be_focused()
    cell.evaluate(ALT_GR, "@")
    expect(page.get_by_label("Title of First of all")).to_have_value("@")
    keys.press("Escape")
    keys.press("ArrowRight")
    keys.press("Space")
    expect(page.get_by_label("Done: First of all")).not_to_be_checked()
    keys.press("ArrowUp")
    expect(page.get_by_label("Done: Second")).to_be_focused()
    assert page.locator(".data-grid [tabindex='0']").count() == 1
    keys.press("Home")
    keys.press("Enter")
    expect(panel(page).get_by_label("Title")).to_have_value("Second")
    keys.press("Escape")
    expect(page.get_by_role("link", name="Open Second")).to_be_focused()
    expected = {"First of all": False, "Second": True}
    wait_for(
        lambda: (
            expected == {one["data"]["title"]: one["data"].get("done") for one in records(console)}
        )
    )


def test_the_keys_after_tab_are_for_the_next_cell_also_before_the_save_has_ended(console):
    console.api("POST", "records/notes", {"title": "Old"})
    page, keys, held = show(console, "notes"), console.page.keyboard, []
    page.route(
        "**/api/records/notes/*",
        lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_(),
    )
    page.get_by_role("gridcell", name="Old", exact=True).click()
    keys.type("New")
    keys.press("Tab")
    keys.type("Hall B")
    keys.press("Enter")
    expect(page.locator("td.is-edited")).to_have_count(2)
    page.unroute("**/api/records/notes/*")
    expect(page.locator("td.is-edited")).to_have_count(0)
    expect(page.get_by_role("gridcell", name="Hall B", exact=True)).to_be_focused()
    [note] = console.api("GET", "records/notes")["records"]
    assert (note["data"]["title"], note["data"]["text"]) == ("New", "Hall B")


@pytest.mark.parametrize("place", ["cell", "panel"])
def test_what_is_typed_during_a_save_goes_on_where_it_was(console, place):
    [task] = add(console, "Old")
    page, held = show(console, f"tasks/{task['recordId']}"), []
    path = f"**/api/records/tasks/{task['recordId']}"
    page.route(
        path,
        lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_(),
    )
    if place == "cell":
        page.get_by_role("gridcell", name="Old", exact=True).dblclick()
        field = page.get_by_label("Title of Old")
    else:
        field = panel(page).get_by_label("Title")
    field.fill("badges")
    with page.expect_request(path):
        field.press("Enter") if place == "cell" else console.button("Save").press("Enter")
    field.press("Home")
    page.keyboard.type("Print ")
    first_of(held, page).continue_()
    expect(page.get_by_role("link", name="Open badges")).to_be_visible()
    page.keyboard.type("all ")
    expect(field).to_have_value("Print all badges")


def test_the_arrows_pass_a_box_that_can_not_be_changed(console):
    console.ask("count to 2")
    page, keys = show(console, "ai-messages"), console.page.keyboard
    box = page.locator("tbody tr").first.get_by_role("checkbox")
    page.locator("tbody tr").first.get_by_role("gridcell").last.focus()
    keys.press("ArrowLeft")
    expect(box).to_be_focused()
    keys.press("Space")
    expect(box).not_to_be_checked()
    expect(box).to_have_attribute("aria-readonly", "true")
    assert console.violations() == []
    keys.press("ArrowLeft")
    expect(page.locator("tbody tr").first.locator(".cell-json")).to_be_focused()


def records(console):
    return console.api("GET", "records/tasks")["records"]


def test_a_change_from_elsewhere_is_said_and_loses_nothing(console):
    """In a cell and in the panel: the second time, the user has decided."""
    [task] = add(console, "Mine")
    page = show(console, f"tasks/{task['recordId']}")
    console.may_say("409")
    field = panel(page).get_by_label("Title")
    field.fill("My version")
    path = f"records/tasks/{task['recordId']}"
    console.api("PATCH", path, {"title": "Theirs", "done": True})
    expect(page.get_by_label("Done: Theirs")).to_be_checked()
    console.button("Save").click()
    expect(panel(page)).to_contain_text("This was changed to “Theirs” in the meantime.")
    assert console.violations() == []
    expect(field).to_have_value("My version")
    console.button("Save").click()
    expect(panel(page)).to_contain_text("Saved.")
    cell = page.get_by_role("gridcell", name="My version", exact=True)
    cell.dblclick()
    page.get_by_label("Title of My version").fill("In the cell")
    console.api("PATCH", path, {"title": "Theirs again"})
    page.keyboard.press("Enter")
    expect(page.locator(".cell-problem")).to_contain_text("“Theirs again”")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="In the cell")).to_be_visible()
    assert records(console)[0]["data"] == {
        "userId": console.subject,
        "title": "In the cell",
        "done": True,
    }


def test_a_record_is_made_with_a_form_and_comes_back_after_its_deletion(console):
    page = show(console, "notes")
    console.button("New note").click()
    expect(page.get_by_label("Title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(console.button("New note")).to_be_focused()
    page.keyboard.press("Enter")
    console.button("Create").click()
    expect(page.get_by_label("Title")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("This needs a value.")).to_be_visible()
    page.get_by_label("Title").fill("Venue")
    page.get_by_label("Text", exact=True).fill("Hall B\n40 seats")
    assert console.violations() == []
    console.button("Create").click()
    expect(page.get_by_role("link", name="Open Venue")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#/data/notes/rec_"))
    console.button("Delete record").click()
    expect(page.locator(".undo-line")).to_contain_text("Deleted “Venue”.")
    expect(page.get_by_text("No notes yet.")).to_be_visible()
    console.button("Undo").click()
    expect(page.locator(".undo-line")).to_contain_text("Created again, with a new id")
    page.keyboard.press("Enter")  # on the button that closes the line
    expect(page.locator(".undo-line")).to_be_hidden()
    expect(page.get_by_role("link", name="Open Venue")).to_be_focused()
    expect(titles(page)).to_have_text(["Venue"])
    [note] = console.api("GET", "records/notes")["records"]
    assert note["data"]["text"] == "Hall B\n40 seats"


def deleted_late(console, page, record):
    """The requests to delete the open record, which wait."""
    held = []
    page.route(
        f"**/api/records/tasks/{record['recordId']}",
        lambda route: held.append(route) if route.request.method == "DELETE" else route.continue_(),
    )
    console.button("Delete record").click()
    return held


def test_a_deletion_that_ends_late_leaves_the_page_that_is_shown(console):
    [one] = add(console, "One")
    page = show(console, f"tasks/{one['recordId']}")
    held = deleted_late(console, page, one)
    page.get_by_role("link", name="Chat", exact=True).click()
    expect(console.button("New chat")).to_be_visible()
    first_of(held, page).continue_()
    expect(page.locator("#announcer")).to_contain_text("Deleted “One”.")
    expect(page).to_have_url(re.compile("#/chat"))
    page.go_back()
    expect(panel(page)).to_contain_text("This record was deleted in the meantime.")


def test_what_a_search_finds_is_read_out_once(console):
    add(console, "One", "Two", "Three")
    page = show(console, "tasks")
    expect(titles(page)).to_have_count(3)
    said = page.locator("#announcer")
    search = page.get_by_role("searchbox", name="Search the texts")
    found = {"T": "2 tasks", "Th": "1 task", "Thx": "Nothing matches.", "": "3 tasks"}
    for text, words in found.items():
        search.fill(text)
        expect(said).to_have_text(words)
    page.evaluate("document.querySelector('#announcer').textContent = ''")
    add(console, "Four")
    expect(page.get_by_text("Four")).to_be_visible()
    expect(said).to_be_empty()


def test_an_own_deletion_is_not_reported_as_that_of_somebody_else(console):
    [one] = add(console, "One")
    page = show(console, f"tasks/{one['recordId']}")
    held = deleted_late(console, page, one)
    answer = first_of(held, page).fetch()
    expect(page.get_by_role("link", name="Open One")).to_have_count(0)  # the socket was faster
    expect(panel(page).get_by_role("alert")).to_have_count(0)
    expect(console.button("Delete record")).to_be_disabled()
    held[0].fulfill(response=answer)
    expect(panel(page)).to_have_count(0)
    expect(page.locator("#announcer")).to_contain_text("Deleted “One”.")


def test_a_deletion_that_ends_late_closes_no_other_record(console):
    one, _ = add(console, "One", "Two")
    page = show(console, f"tasks/{one['recordId']}")
    held = deleted_late(console, page, one)
    page.get_by_role("link", name="Open Two").click()
    expect(panel(page).get_by_role("heading", name="Two")).to_be_visible()
    first_of(held, page).continue_()
    expect(page.locator(".undo-line")).to_contain_text("Deleted “One”.")
    expect(panel(page).get_by_role("heading", name="Two")).to_be_visible()


def test_a_change_that_is_refused_after_its_page_was_left_is_told_in_the_view(console):
    console.may_say("503")
    [one] = add(console, "One")
    page = show(console, "tasks")
    held = []
    page.route(f"**/api/records/tasks/{one['recordId']}", held.append)
    page.get_by_role("gridcell", name="One", exact=True).dblclick()
    page.get_by_label("Title of One").fill("Two")
    page.get_by_role("link", name="Notes").click()
    expect(page.get_by_role("heading", name="Notes")).to_be_visible()
    refused = {"error": "unavailable", "message": "Not now."}
    first_of(held, page).fulfill(status=503, json=refused)
    told = page.locator(".data-view > [role=alert]:visible")
    expect(told).to_contain_text("A change in “Tasks” was not saved. Not now.")
    expect(told).to_contain_text("You had typed “Two”.")
    assert console.violations() == []
    console.button("Dismiss").click()
    expect(told).to_have_count(0)


def test_what_a_user_may_not_change_shows_no_edit(console):
    """Of the service's own collections: turns are read only, a chat's deletion is asked about."""
    console.ask("count to 2")
    page = show(console, "ai-turns")
    page.get_by_role("gridcell", name="finished").first.dblclick()
    expect(page.locator(".collection-page :is(textarea, .primary):visible")).to_have_count(0)
    page.get_by_role("link", name=re.compile("Open ")).click()
    expect(panel(page)).to_contain_text("turn_")
    expect(console.button("Save")).to_be_hidden()
    expect(console.button("Delete record")).to_be_hidden()
    page.get_by_role("link", name="AI chats").click()
    page.get_by_role("link", name="Open count to 2").click()
    console.button("Delete record").click()
    expect(page.get_by_role("dialog")).to_contain_text("Its messages are deleted as well.")
    console.button("Cancel").click()
    expect(titles(page)).to_have_text(["count to 2"])
    page.goto(f"{console.service.url}/#/data/nothing")
    expect(page.get_by_text("There is no collection “nothing”")).to_be_visible()


def test_an_answer_of_the_assistant_leads_to_the_record(console):
    console.ask('call records.create with {"collection": "notes", "data": {"title": "Made"}}')
    console.answers.last.get_by_role("link", name="Open the note").click()
    expect(panel(console.page).get_by_label("Title")).to_have_value("Made")
    expect(console.page).to_have_title(re.compile("Made"))


def test_a_large_collection_comes_by_pages_on_a_phone(opened):
    console = opened(**PHONE).sign_in()
    add(console, *(f"Task {n}" for n in range(70)))
    page = console.page
    page.goto(f"{console.service.url}/#/data")
    page.get_by_role("link", name="Tasks", exact=True).click()
    expect(titles(page)).to_have_count(50)
    assert console.width() <= 320
    console.button("Load 50 more").click()
    expect(page.get_by_text("70", exact=True)).to_be_visible()
    page.get_by_role("link", name="Open Task 69").tap()
    expect(panel(page).get_by_label("Title")).to_have_value("Task 69")
    assert console.width() <= 320
    assert console.violations() == []
    console.button("Close record").tap()
    expect(panel(page)).to_have_count(0)
    page.get_by_role("link", name="‹ All data").tap()
    expect(page.get_by_role("navigation", name="Collections")).to_be_visible()


def test_more_records_come_by_the_keyboard_and_scrolling_draws_what_comes_into_sight(console):
    add(console, *(f"Task {n}" for n in range(120)))
    page = show(console)
    more = console.button("Load 50 more")
    more.press("Enter")
    expect(titles(page)).to_have_count(100)
    expect(more).to_be_focused()
    page.locator(".data-scroller").evaluate("(node) => node.scrollTo(0, 0)")
    events = traced(page, lambda: page.evaluate(SCROLL))
    assert events["RasterTask"] < 20 * 15  # eight tiles a step; all that is seen has more than 20
    more.press("Enter")
    expect(titles(page)).to_have_count(120)
    expect(page.get_by_role("link", name="Open Task 20")).to_be_focused()


SCROLL = """async () => {
  const scroller = document.querySelector('.data-scroller');
  for (let step = 0; step < 20; step += 1) {
    scroller.scrollTop += 100;
    await new Promise(requestAnimationFrame);
  }
}"""


def traced(page, act) -> Counter[str]:
    """How often the browser has done what meanwhile, by the names of its trace."""
    names: Counter[str] = Counter()
    ended = []
    session = page.context.new_cdp_session(page)
    session.on("Tracing.dataCollected", lambda data: names.update(e["name"] for e in data["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.append(True))
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["cc"]}})
    act()
    session.send("Tracing.end")
    while not ended:
        page.evaluate("0")  # reads what has come meanwhile
    return names


AT_ITS_END = """(field) => {
  const { x, bottom } = field.getBoundingClientRect();
  return document.elementFromPoint(x + 5, bottom - 5) === field;
}"""


def test_a_text_of_many_lines_is_edited_above_the_next_rows(console):
    add(console, *(f"Task {n}" for n in range(4)))
    page = show(console)
    titles(page).first.press("Enter")
    field = page.get_by_role("textbox", name="Title of Task 3")
    field.fill("a\nb\nc\nd")
    assert field.evaluate(AT_ITS_END)
    field.press("Escape")
    assert page.locator(".cell-editor").count() == 0


def test_the_focus_is_not_behind_the_headers(console):
    add(console, *(f"Task {n}" for n in range(50)))
    page = show(console)
    headers = page.locator("thead").bounding_box()
    titles(page).first.focus()
    page.keyboard.press("Control+End")
    expect(page.locator("tbody td").last).to_be_focused()
    for _ in range(40):
        page.keyboard.press("ArrowUp")
        top = page.evaluate("document.activeElement.getBoundingClientRect().top")
        assert top >= headers["y"] + headers["height"] - 1


def test_the_data_beside_the_chat_is_a_drawer_where_there_is_no_room(opened):
    console = opened(viewport={"width": 1024, "height": 768}, reduced_motion="reduce").sign_in()
    page, opener = console.page, console.button("Data")
    opener.focus()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name="Data")
    drawer.get_by_label("New task").fill("From the drawer")
    page.keyboard.press("Enter")
    drawer.get_by_label("Done: From the drawer").check()
    assert console.violations() == []
    drawer.get_by_label("Title of From the drawer").fill("Wrong")
    page.keyboard.press("Escape")  # takes back what was typed, and no more
    expect(drawer.get_by_label("Title of From the drawer")).to_have_value("From the drawer")
    due = drawer.get_by_role("button", name="Due of From the drawer")
    due.click()
    page.keyboard.press("Escape")
    expect(due).to_be_focused()
    drawer.get_by_label("New note").fill("Not sent yet")
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    page.set_viewport_size({"width": 1440, "height": 900})
    pane = page.get_by_role("complementary", name="Data")
    expect(pane.get_by_label("New note")).to_have_value("Not sent yet")
    expect(opener).to_be_hidden()
    wait_for(lambda: records(console)[0]["data"].get("done"))


def test_the_outcome_of_a_call_is_seen_and_an_edge_says_that_there_is_more(opened):
    console = opened(viewport={"width": 1280, "height": 800}).sign_in()
    console.api("POST", "integrations/current-weather", {"city": "Berlin"})
    page = show(console, "integration-calls")
    headers = page.get_by_role("columnheader")
    outcome = ["Open", "Endpoint", "Status", "Error", "Credits", "Ms", "Changed"]
    expect(headers).to_contain_text([*outcome, "Integration"])
    expect(titles(page)).to_have_count(1)
    names = headers.all_inner_texts()
    for name in ("Credits", "Ms"):  # the head of a column of numbers stands above their last digits
        head, number = page.evaluate(RIGHT_EDGES, names.index(name) + 1)
        assert abs(head - number) <= 1, name
    changed = headers.filter(has_text="Changed").bounding_box()
    assert changed
    assert changed["x"] + changed["width"] <= 1280
    frame = page.locator(".data-frame")
    expect(frame).to_have_class(re.compile("has-more"))
    page.locator(".data-scroller").evaluate("(node) => node.scrollTo(node.scrollWidth, 0)")
    expect(frame).not_to_have_class(re.compile("has-more"))
    page.goto(f"{console.service.url}/#/data/ai-messages")
    expect(page.get_by_role("heading", name="AI messages")).to_be_visible()
    expect(frame).not_to_have_class(re.compile("has-more"))


def with_a_place(route):
    """Answers with another column of the tasks."""
    answer = route.fetch()
    collections = answer.json()["collections"]
    tasks = next(one for one in collections if one["name"] == "tasks")
    column = {"name": "place", "type": "string", "required": False, "readOnly": False}
    tasks["columns"].insert(0, column)
    route.fulfill(response=answer, json={"collections": collections})


def test_an_open_page_works_with_a_collection_of_a_newer_service(tabs, databases):
    cheaper = "tests.browser.fast_service"
    service = Service(databases.make("sqlite"), EXTENSIONS=cheaper)
    with service, opening(tabs, service.start()) as opened:
        console = opened().sign_in()
        console.may_say("WebSocket|ERR_")
        page = show(console)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.route("**/api/records", with_a_place)
        service.stop()
        service.start(EXTENSIONS=f"{cheaper},tests.extension")
        page.evaluate("window.dispatchEvent(new Event('online'))")
        expect(page.get_by_role("link", name="Open notes")).to_be_visible()
        expect(page.get_by_role("columnheader", name="Place")).to_be_visible()
        assert asked.count(f"{service.url}/api/records") == 1


# Safari before version 26.2, and Firefox.
NO_FIELD_SIZING = """const { supports } = CSS;
CSS.supports = (...asked) => asked[0] !== 'field-sizing' && supports.apply(CSS, asked);
const fixed = new CSSStyleSheet();
fixed.replaceSync('textarea { field-sizing: fixed !important; }');
addEventListener('DOMContentLoaded', () => document.adoptedStyleSheets.push(fixed));"""


def test_a_long_text_is_shown_whole_where_fields_do_not_take_the_size_of_their_text(opened):
    console = opened(own=True)
    console.page.add_init_script(NO_FIELD_SIZING)
    page = console.sign_in().page
    task = add(console, "Something that is too long for one line of this pane")[0]["recordId"]
    pane = page.get_by_label("Title of Something")
    expect(pane).to_be_visible()
    assert is_whole(pane)
    console.open(f"/#/data/tasks/{task}")
    title = panel(page).get_by_label("Title")
    assert is_whole(title)
    title.fill("One line\n" * 5)
    assert is_whole(title)


def is_whole(text_area):
    """Whether the text needs no scrolling; it may be measured in the next frame only."""
    frame = "node => new Promise(done => requestAnimationFrame(() => setTimeout(() => done("
    return text_area.evaluate(f"{frame} node.scrollHeight <= node.clientHeight))))")
