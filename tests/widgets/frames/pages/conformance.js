// Checks the rules for widget hosts from inside a frame, without the widget client. The page lists each rule with PASS or
// FAIL. Source: docs/contract.md, section 12.

const DESCRIPTOR = ['icon', 'id', 'shapeId', 'templateHandle', 'templateName'];
const nonce = location.hash.slice('#wn='.length);
/** @type {MessagePort | null} */
let port = null;
let count = 0;

/** Waits for the next matching message. */
function next(target, fits) {
  return new Promise((resolve) => {
    const listen = (event) => {
      if (target === window && event.source !== parent) return;
      if (!fits(event.data)) return;
      target.removeEventListener('message', listen);
      resolve(event);
    };
    target.addEventListener('message', listen);
  });
}

const hasType = (type) => (data) => data?.type === type;
const say = (message) => parent.postMessage(message, '*');

async function welcomed() {
  const answer = next(window, hasType('widget-welcome'));
  say({ type: 'widget-hello', v: 1, nonce, unknownField: true });
  const { data, ports } = await answer;
  [port] = ports;
  port.start();
  return data;
}

/** Sends a request on the port and returns its answer. */
async function ask(type, fields, answerType = type) {
  const requestId = `q${(count += 1)}`;
  const answer = next(port, (data) => data.type === answerType && data.requestId === requestId);
  port.postMessage({ type, requestId, ...fields });
  return (await answer).data;
}

const call = (endpoint) => ask('widget-api-request', { method: 'POST', endpoint, body: {} }, 'widget-api-response');

const RULES = {
  async 'the canvas is described by five texts of each widget'() {
    const answer = next(window, hasType('CANVAS_WIDGETS_RESPONSE'));
    say({ type: 'GET_CANVAS_WIDGETS' });
    const { data } = await answer;
    const described = data.widgets.every((widget) => String(Object.keys(widget).sort()) === String(DESCRIPTOR));
    return described && data.widgets.length > 0 && String(Object.keys(data).sort()) === 'type,widgets';
  },
  async 'a hello with a field of the future is answered with nonce, slots, look and a port'() {
    const { v, nonce: same, mode, widgetId, slots, context, limits } = await welcomed();
    return v >= 1 && same === nonce && mode === 'canvas' && Boolean(widgetId && slots && context && limits && port);
  },
  async 'a ping is answered'() {
    const answer = next(port, hasType('widget-pong'));
    port.postMessage({ type: 'widget-ping' });
    return Boolean(await answer);
  },
  async 'what is not understood is ignored'() {
    for (const message of [null, 'text', [], {}, { type: 'widget-later' }]) say(message);
    port.postMessage({ type: 'widget-later', requestId: 'x' });
    return (await ask('widget-state-get')).value === null;
  },
  async 'state is kept, and refused by name where it is too large'() {
    const kept = await ask('widget-state-set', { value: { page: 3 } });
    const refused = await ask('widget-state-set', { value: 'x'.repeat(70_000) });
    return kept.ok && refused.error === 'too_large' && (await ask('widget-state-get')).value.page === 3;
  },
  async 'an unknown endpoint is refused by an envelope'() {
    const { envelope } = await call('no-such-endpoint');
    return envelope.success === false && envelope.error === 'unknown_endpoint';
  },
  async 'an endpoint is answered by an envelope of the server'() {
    return (await call('profnet-search-profiles')).envelope.success === true;
  },
  async 'a consent that was never asked for is not opened'() {
    const { status } = await ask('widget-consent-request', { consentId: 'made-up' }, 'widget-consent-result');
    return status === 'cancelled';
  },
  async 'flags of connections are booleans'() {
    const { integrations } = await ask('widget-scopes-get', {}, 'widget-scopes');
    return Object.values(integrations).every((flags) => Object.values(flags).every((flag) => typeof flag === 'boolean'));
  },
};

const list = document.createElement('ol');
document.body.append(list);
globalThis.results = {};
for (const [rule, check] of Object.entries(RULES)) {
  const late = new Promise((resolve) => setTimeout(() => resolve(false), 5_000));
  globalThis.results[rule] = await Promise.race([check(), late]);
  const line = document.createElement('li');
  line.textContent = `${globalThis.results[rule] ? 'PASS' : 'FAIL'}: ${rule}`;
  list.append(line);
}
document.body.dataset.done = 'yes';
