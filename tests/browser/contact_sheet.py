"""A page with all of our widgets in real frames, filled with data of the sandbox."""

from playwright.sync_api import expect

from tests.browser.canvas_page import Canvas

# Heights in pixels, in the order of the page.
HEIGHTS = {
    "contacts": 320, "mail": 320, "calendar": 320, "weather": 250, "chart": 250,
    "note": 250, "web-search": 300, "table": 300, "places": 300, "image": 300,
}  # fmt: skip
# The buttons that make a call once there are values.
ACTIONS = {
    "weather": "Show", "places": "Find", "web-search": "Search", "image": "Make", "mail": "Send",
}  # fmt: skip
QUESTIONS = {
    "web-search": ("Search the web for", "brave search"),
    "places": ("What to look for", "vegetarian food"),
    "image": ("What to show", "A dog in space"),
}
FLOWS = (
    ("contacts.person", "mail.person"),
    ("contacts.home", "weather.place"),
    ("weather.days", "chart.items"),
    ("web-search.items", "table.items"),
)
# Gives the page the look of a canvas, and makes each frame a card under its name.
CARDS = """(heights) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    body { margin: 0; padding: 14px; }
    body > :not(:has(.widget-box)) { display: none; }
    body > div { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 14px; }
    .widget-box::before { content: attr(data-name); padding: 9px 12px; border-bottom: 1px solid var(--line); background: var(--raised); font-weight: 600; }
    .widget-box { overflow: hidden; border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); }
    .widget-frame { flex: 1 0 auto; width: 100% !important; }`);
  document.adoptedStyleSheets = [sheet];
  document.head.append(...['shared/look', 'widgets/approval'].map((name) =>
    Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `/browser/${name}.css` })));
}"""  # noqa: E501

NAMES = """() => {
  for (const box of document.querySelectorAll('.widget-box')) box.dataset.name = box.querySelector('iframe').title;
}"""  # noqa: E501


def lay_out(canvas: Canvas) -> Canvas:
    """Put every widget on the page, without connections and values."""
    canvas.page.evaluate(CARDS)
    for handle, height in HEIGHTS.items():
        canvas.put(handle, 320, height)
    canvas.page.evaluate(NAMES)
    return canvas


def fill(canvas: Canvas) -> None:
    """Connect the widgets, and give each something to show, as a person would."""
    for source, to in FLOWS:
        canvas.connect(source, to)
    for handle in ("contacts", "calendar"):
        connect(canvas, handle)
    canvas.widget("contacts").get_by_role("button", name="Dani Okafor").click()
    calendar = canvas.widget("calendar")
    calendar.get_by_role("button", name="Visit to the printer").click()
    for handle, (label, text) in QUESTIONS.items():
        widget = canvas.widget(handle)
        widget.get_by_label(label).fill(text)
        widget.get_by_role("button", name=ACTIONS[handle], exact=True).click()
    canvas.widget("note").get_by_label("Note").fill("Bring the badges.\nAsk for the key.")
    canvas.widget("mail").get_by_label("Subject").fill("Spring fair")
    is_full(canvas)


def is_full(canvas: Canvas) -> None:
    expect(canvas.widget("mail").get_by_label("To")).to_have_value("dani@example.com")
    expect(canvas.widget("chart").get_by_role("list").get_by_role("button")).to_have_count(2)
    expect(canvas.widget("table").get_by_role("rowheader").first).to_be_visible()
    expect(canvas.widget("places").get_by_role("list").get_by_role("button").first).to_be_visible()
    expect(canvas.widget("image").get_by_role("img", name="A dog in space")).to_be_visible()


def connect(canvas: Canvas, handle: str) -> None:
    widget = canvas.widget(handle)
    widget.get_by_role("button", name="Connect").click()
    canvas.allow_at(widget.get_by_role("alert").get_by_role("button", name="Connect"))
