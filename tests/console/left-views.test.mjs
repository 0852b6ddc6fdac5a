// Views that are stopped, such as at the end of the session, while what they show is still being read.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './plain-dom.mjs';
import { createDataView } from '../../service/browser/data/data-view.js';
import { createExplorerView } from '../../service/browser/integrations/explorer-view.js';
import { createDrafts } from '../../service/browser/page/drafts.js';

globalThis.window = globalThis;
globalThis.location = { href: 'http://127.0.0.1:8000/', origin: 'http://127.0.0.1:8000' };
globalThis.BroadcastChannel = class {
  close() {}
};
Object.getPrototypeOf(document.body).querySelectorAll = () => [];

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
const ANSWERS = {
  '/api/records': { collections: [] },
  '/api/integrations/catalog': { endpoints: [] },
  '/api/integrations/routes-schema': { properties: {} },
};

for (const [name, create] of [['data', createDataView], ['explorer', createExplorerView]]) {
  test(`the ${name} view names no page after it was stopped`, async () => {
    let give = () => {};
    const given = new Promise((resolve) => (give = resolve));
    let named = 0;
    const socket = { phase: 'open', onPhase: () => () => {}, subscribe: () => () => {} };
    const transport = { get: (path) => given.then(() => ANSWERS[path]) };
    const storage = { getItem: () => null, setItem() {}, removeItem() {} };
    const context = { transport, socket, storage, subject: 'alice', drafts: createDrafts(storage, 'alice'), announce() {}, onTitle: () => (named += 1) };
    const view = create(context);
    view.stop();
    give();
    await settle();
    assert.equal(named, 0);
  });
}
