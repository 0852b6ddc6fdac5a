// A widget without the widget client: it sends SPEC's four messages with postMessage.

globalThis.heard = [];
addEventListener('message', ({ data }) => globalThis.heard.push(data));
parent.postMessage({ type: 'GET_CANVAS_WIDGETS' }, '*');
parent.postMessage({ type: 'widget-io-output-update', slotId: 'person', value: { name: 'Ada' } }, '*');
