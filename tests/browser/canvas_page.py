"""A page that mounts widgets with the real host, and what a person sees in them."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Frame, FrameLocator, Locator, Page, expect

from tests.browser.office_suite import allow
from tests.browser.page import Console, found_by_axe
from tests.browser.tabs import NEUTRAL

# Puts a widget into a page, without a host.
FRAME = """(path) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = path;
  document.body.append(frame);
}"""
# Leaves `canvas` in the page. `asked` notes each approval, and `answer` is what the user says.
START = """async (token) => {
  const load = (name) => import(`/browser/${name}.js`);
  const { createCanvasHost } = await load('widgets/widget-host');
  const { createTransport } = await load('shared/api-transport');
  const { createRecordsSocket } = await load('shared/records-socket');
  const { createLiveCollection } = await load('shared/live-collection');
  const transport = createTransport({ token: () => token });
  const socket = createRecordsSocket({ token: () => token, onSessionOver() {} });
  socket.start();
  const { templates } = await transport.get('/api/widgets/templates');
  const endpoints = templates.flatMap((one) => one.endpoints);
  const root = document.body.appendChild(document.createElement('div'));
  const canvas = (window.canvas = { asked: [], answer: 'once', drops: [] });
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const status = () => transport.get('/api/integrations/status');
  const query = (values) => `?${new URLSearchParams(Object.entries(values ?? {}))}`;
  const host = createCanvasHost({
    root,
    widgetUrl: ({ templateHandle }) => `/w/${templateHandle}`,
    call: ({ endpoint, method, body, query: values, approval, signal }) =>
      transport.call(method, `/api/integrations/${endpoint}${method === 'GET' ? query(values) : ''}`,
        { body: body && JSON.parse(body), headers: { 'X-Approval': approval }, signal }),
    policy: (name) => endpoints.find((one) => one.name === name) ?? { known: false, approval: 'ask', credits: 0, title: name },
    approve: async ({ endpoint }) => (canvas.asked.push(endpoint), canvas.answer),
    async consent({ authUrl }) {
      window.open(authUrl, '_blank', 'popup');
      const flags = async () => JSON.stringify(await status());
      for (const before = await flags(); (await flags()) === before; ) await wait(200);
      return { status: 'connected' };
    },
    scopes: status,
    records: (name) => createLiveCollection(name, { transport, socket }),
    onEvent: (event) => event.type === 'drop' && event.widgetId && canvas.drops.push(event.reason),
  });
  canvas.put = (handle, width, height) => {
    const { name, icon, slots, collections, endpoints } = templates.find((one) => one.handle === handle);
    const frame = host.mount({ id: handle, templateHandle: handle, templateName: name, icon, slots,
      collections, endpoints: endpoints.map((one) => one.name) });
    Object.assign(frame.style, { width: `${width}px`, height: `${height}px` });
  };
  canvas.connect = (...ends) => {
    const [from, to] = ends.map((end) => end.split('.')).map(([widgetId, slotId]) => ({ widgetId, slotId }));
    host.connect(from, to);
  };
}"""  # noqa: E501


class Canvas:
    """The page, with widgets whose id is their template's handle."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.page = console.page
        console.may_say("404")  # of its icon: the page has none
        if not self.page.url.endswith(NEUTRAL):  # where a page that is used again stands
            console.open(NEUTRAL)
        self.page.evaluate(START, console.token)

    def put(self, handle: str, width: int = 340, height: int = 320) -> FrameLocator:
        self.page.evaluate("(all) => canvas.put(...all)", [handle, width, height])
        widget = self.widget(handle)
        expect(widget.get_by_role("heading", level=1)).to_be_attached()
        return widget

    def widget(self, handle: str) -> FrameLocator:
        return self.page.frame_locator(f'iframe[src*="/w/{handle}#"]')

    def connect(self, source: str, to: str) -> None:
        self.page.evaluate("(ends) => canvas.connect(...ends)", [source, to])

    def answers(self, decision: str) -> None:
        self.page.evaluate("(decision) => { canvas.answer = decision; }", decision)

    def noted(self, what: str) -> Any:
        """`asked`: the endpoints of approvals. `drops`: why messages of widgets were dropped."""
        return self.page.evaluate("(what) => canvas[what]", what)

    def allow_at(self, button: Locator) -> None:
        """Press a Connect button of a widget, and allow in the window that it opens."""
        with self.page.expect_popup() as opened:
            button.click()
        allow(opened.value)

    def violations(self, *handles: str) -> list[str]:
        """What axe finds in these widgets."""
        frames = {urlsplit(one.url).path: one for one in self.page.frames}
        return violations_in([frames[f"/w/{handle}"] for handle in handles], self.page)


def violations_in(places: Sequence[Page | Frame], page: Page) -> list[str]:
    # Without `preload`: axe would fetch the style sheets, which the page's policy refuses.
    return found_by_axe(places, page, preload=False)
