// Another page of the same origin, to which a widget may navigate. It claims what it can.

globalThis.heard = [];
addEventListener('message', ({ data }) => globalThis.heard.push(data));
parent.postMessage({ type: 'widget-hello', v: 1, nonce: 'guessed' }, '*');
