// A widget without our client: SPEC's four messages, by raw postMessage.

globalThis.heard = [];
addEventListener('message', ({ data }) => globalThis.heard.push(data));
parent.postMessage({ type: 'GET_CANVAS_WIDGETS' }, '*');
parent.postMessage({ type: 'widget-io-output-update', slotId: 'person', value: { name: 'Ada' } }, '*');
