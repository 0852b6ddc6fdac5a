// A widget that sends a hello and records the messages that it gets. Tests send messages through it.

const page = {
  /** @type {any[]} */ heard: [],
  /** @type {any[]} */ strangers: [],
  /** @type {any[]} */ port: null,
  /** @type {any[]} */ answers: [],
  silent: false,
  say: (message, target = parent) => target.postMessage(message, '*'),
  tell: (message) => page.port.postMessage(message),
  output: (slotId, value) => page.say({ type: 'widget-io-output-update', slotId, value }),
  inputs: () => page.heard.filter(({ type }) => type === 'widget-io-input-update'),
  hello: (more = {}) => page.say({ type: 'widget-hello', v: 1, nonce: location.hash.slice('#wn='.length), ...more }),
};
globalThis.page = page;

addEventListener('message', (event) => {
  if (event.source !== parent) return page.strangers.push(event.data);
  page.heard.push(event.data);
  if (event.data.type === 'widget-welcome') listen(event.ports[0]);
});

function listen(port) {
  page.port = port;
  port.onmessage = ({ data }) => {
    if (data.type === 'widget-ping' && !page.silent) return port.postMessage({ type: 'widget-pong' });
    page.answers.push(data);
  };
}

page.hello();
