// When a mounted widget receives inputs: not before the document in its frame has proved to be the widget's.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { createSession } from '../../service/browser/widgets/host-session.js';
import { LIMITS, TYPES, VERSION } from '../../service/browser/widgets/messages.js';
import '../console/plain-dom.mjs';

const NUMBER = { id: 'count', title: 'Count', direction: 'input', type: 'number' };
const PONG_TIME = 3_000; // ms
const ANSWER_TIME = 3_000; // ms
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A widget whose document has the port, unless it has no widget client. `notice` is what the host says beside the frame. */
function mounted(t, hasClient = true) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const root = document.createElement('div');
  const drops = [];
  const nothing = () => {};
  const handlers = { onOutput: nothing, onPort: nothing, onWantsWidgets: nothing, onReady: nothing, onGone: nothing, onEvent: nothing };
  Object.assign(handlers, { context: () => ({}), widgets: () => [], drop: (reason) => drops.push(reason) });
  const widget = { id: 'a', templateHandle: 'a', templateName: 'A', slots: [NUMBER] };
  const loading = { enter: () => nothing };
  const session = createSession({ widget, url: '/w/a', origin: 'null', root, loading, handlers });
  const sent = [];
  session.iframe.contentWindow = { postMessage: (message, _target, ports) => sent.push({ message, port: ports[0] }) };
  session.iframe.removeEventListener = nothing;
  const say = (data) => session.receive({ origin: 'null', data });
  const [, nonce] = session.iframe.src.split('#wn=');
  if (hasClient) say({ type: TYPES.hello, v: VERSION, nonce });
  const port = sent[0]?.port;
  t.after(() => {
    session.close();
    port?.close();
    mock.timers.reset();
  });
  const [notice] = root.childNodes[0].childNodes;
  const press = () => notice.childNodes[1].listeners.click();
  const load = () => session.iframe.listeners.load();
  const flood = () => Array.from({ length: 2 * LIMITS.burst }, () => say({ type: TYPES.hello }));
  load();
  return { session, port, notice, press, load, flood, drops, say };
}

test('a document that came by a navigation gets no input by Resume before its proof', async (t) => {
  const { session, notice, press, load, flood, drops } = mounted(t);
  assert.equal(session.deliver('count', 1), true);
  load();
  flood();
  assert.ok(drops.includes('rate'));
  press();
  assert.equal(session.deliver('count', 2), false);
  mock.timers.tick(PONG_TIME);
  assert.equal(session.deliver('count', 3), false);
  assert.match(notice.textContent, /has left its page/);
});

test('a document that answers on its port after Resume receives again', async (t) => {
  const { session, port, notice, press, load, flood } = mounted(t);
  port.on('message', () => port.postMessage({ type: TYPES.pong }));
  load();
  flood();
  press();
  for (let round = 0; round < 5; round += 1) await settle();
  assert.equal(session.deliver('count', 1), true);
  assert.equal(notice.hidden, true);
});

test('a page without the widget client is silent until its first message, also if that comes after its load', (t) => {
  const { notice, say } = mounted(t, false);
  mock.timers.tick(ANSWER_TIME);
  assert.match(notice.textContent, /does not answer/);
  say({ type: TYPES.getWidgets });
  assert.equal(notice.hidden, true);
});

test('a page that speaks between its load and the end of the wait is not said to be silent', (t) => {
  const { notice, say } = mounted(t, false);
  say({ type: TYPES.getWidgets });
  mock.timers.tick(ANSWER_TIME);
  assert.equal(notice.hidden, true);
});
