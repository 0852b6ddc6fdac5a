// @ts-check
// Passes a value on, as often as its `hops` say. The benchmark speaks through `relay`.

import { createWidgetClient } from '../../../browser/widgets/widget-client.js';

const client = createWidgetClient();
client.onInput('in', (/** @type {any} */ value) => {
  if (value.hops > 0) client.setOutput('out', { ...value, hops: value.hops - 1 });
});
Object.assign(globalThis, { relay: client });
