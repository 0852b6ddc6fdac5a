// @ts-check
// Passes a value on to the next widget until its `hops` are used up. The benchmark sends and reads values with `relay`.

import { createWidgetClient } from '../../../browser/widgets/widget-client.js';

const client = createWidgetClient();
client.onInput('in', (/** @type {any} */ value) => {
  if (value.hops > 0) client.setOutput('out', { ...value, hops: value.hops - 1 });
});
Object.assign(globalThis, { relay: client });
