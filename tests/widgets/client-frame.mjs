// A widget's window in a frame, with a host of the test's own outside it.

import { createWidgetClient } from '../../service/browser/widgets/widget-client.js';

export const SLOTS = [
  { id: 'person', direction: 'output', type: 'object', title: 'Person' },
  { id: 'count', direction: 'output', type: 'number', title: 'Count' },
  { id: 'who', direction: 'input', type: 'object', title: 'Who' },
];
export const HOST = 'http://host.invalid';
const CONTEXT = { theme: 'light', locale: 'en', cssVars: {} };

/** Waits for what arrives over ports. @param {() => any} condition */
export async function until(condition) {
  for (let round = 0; round < 1000; round += 1) {
    const value = condition();
    if (value) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never: ${condition}`);
}

/** A framed client, its window's messages, and the host's end of the port. */
export function frame(t, { hash = '#wn=n1', ...options } = {}) {
  const listeners = new Set();
  const posted = []; // to the parent window
  const parent = { postMessage: (message, target) => posted.push({ message, target }) };
  const own = {
    parent,
    location: { hash, pathname: '/w/test' },
    addEventListener: (type, listener) => type === 'message' && listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  const { port1, port2 } = new MessageChannel();
  const heard = []; // on the port
  port1.onmessage = ({ data }) => heard.push(data);
  const client = createWidgetClient({ window: own, handshakeMs: 5000, ...options });
  t.after(() => {
    client.close();
    port1.close();
    port2.close();
  });

  const say = (data, { source = parent, origin = HOST, ports = [] } = {}) =>
    listeners.forEach((listener) => listener({ data, source, origin, ports }));
  const welcome = (fields = {}, from = {}) => {
    const base = { type: 'widget-welcome', v: 1, nonce: 'n1', mode: 'canvas', widgetId: 'A', slots: SLOTS };
    say({ ...base, context: CONTEXT, limits: {}, ...fields }, { ports: [port2], ...from });
  };
  const question = (type) => until(() => heard.find((message) => message.type === type));
  return {
    client, posted, heard, listeners, say, welcome, question,
    tell: (message) => port1.postMessage(message),

    /** Answers the next API request with an envelope. */
    async answer(envelope, fields = {}) {
      const { requestId } = await question('widget-api-request');
      port1.postMessage({ type: 'widget-api-response', requestId, envelope, ...fields });
    },
  };
}
