// Another page of the same origin, to which a widget may navigate. It pretends to be the widget.

globalThis.heard = [];
addEventListener('message', ({ data }) => globalThis.heard.push(data));
parent.postMessage({ type: 'widget-hello', v: 1, nonce: 'guessed' }, '*');
