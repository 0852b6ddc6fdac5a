// A canvas record in several tabs, over a server that is scripted to refuse, to lose and to be slow.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import { apply } from '../../service/browser/widgets/canvas-state.js';
import { createCanvasStore } from '../../service/browser/widgets/canvas-store.js';
import { connectionOf, createRandom, forSeeds, randomCanvas, randomOperation, widgetAt } from './generator.mjs';

const DATA = { title: 'T', widgets: [widgetAt('a'), widgetAt('b')], io: { version: 1, connections: [connectionOf('a.out', 'b.in')], widgets: {} } };
const move = (id, x, y = 0) => ({ type: 'move', id, x, y });
const add = (id) => ({ type: 'add-widget', widget: widgetAt(id) });
const remove = (id) => ({ type: 'remove-widget', id });
const clone = (value) => JSON.parse(JSON.stringify(value));

/** Lets every promise that can be settled do so. */
async function settle() {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** One record with If-Match. `script` holds what the next writes meet: an error before or after it is stored. */
function createServer(data = DATA) {
  const listeners = new Set();
  const server = {
    record: { recordId: 'r', data: clone(data), createdAt: '0', updatedAt: '0001' },
    script: [],
    requests: [],
    offline: false,
    gate: null,
    get: async () => server.answer('get', () => server.record),
    patch: async (path, changes, headers) => {
      const { before, after } = server.script.shift() ?? {};
      if (before) throw before;
      const record = await server.answer('patch', () => server.write(clone(changes), headers['If-Match']));
      if (after) throw after;
      return record;
    },
    async answer(method, act) {
      if (server.offline) throw new NetworkError();
      server.requests.push(method);
      await server.gate;
      return clone(act());
    },
    write(changes, version) {
      if (version !== server.record.updatedAt) throw new ApiError(409, { error: 'conflict', message: 'Changed.' });
      const updatedAt = String(Number(version) + 1).padStart(4, '0');
      server.record = { ...server.record, data: { ...server.record.data, ...changes }, updatedAt };
      for (const listener of [...listeners]) listener();
      return server.record;
    },
    change: (operation) => server.write(apply(server.record.data, operation), server.record.updatedAt),
    listeners,
  };
  return server;
}

/** A tab: its store, its timers, and its list of canvases, which is live while `connected`. */
function openTab(server, { live = true, drafts, page } = {}) {
  const timers = [];
  const listeners = new Set();
  const collection = { rows: {}, put: (row) => deliver(row), onChange: (listener) => (listeners.add(listener), () => listeners.delete(listener)) };
  const deliver = (row) => {
    collection.rows = row ? { r: clone(row) } : {};
    for (const listener of [...listeners]) listener();
  };
  const schedule = (act, ms) => {
    const timer = { act, ms };
    timers.push(timer);
    return () => timers.includes(timer) && timers.splice(timers.indexOf(timer), 1);
  };
  if (live) server.listeners.add(() => server.offline || deliver(server.record));
  const store = createCanvasStore({ recordId: 'r', transport: server, collection, schedule, drafts, page });
  const tick = async () => {
    for (const { act } of timers.splice(0)) act();
    await settle();
  };
  return { store, timers, tick, deliver, listeners, collection };
}

async function openTabs(server, ...options) {
  const tabs = options.map((each) => openTab(server, each));
  await settle();
  return tabs;
}

const xs = (canvas) => canvas.widgets.map(({ id, x }) => `${id}${x}`).join(' ');

test('a change shows at once and is stored with one request for all that came soon after', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  for (const x of [1, 2, 3]) tab.store.perform(move('a', x));
  assert.deepEqual([xs(tab.store.canvas), tab.store.phase, xs(server.record.data)], ['a3 b0', 'unsaved', 'a0 b0']);
  assert.equal(tab.timers.length, 1);
  await tab.tick();
  assert.deepEqual([xs(server.record.data), tab.store.phase, server.requests], ['a3 b0', 'saved', ['get', 'patch']]);
});

test('after an own change was stored the canvas is the very same, and nothing is drawn for it', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  tab.store.perform(move('a', 3));
  const { canvas } = tab.store;
  await tab.tick();
  assert.equal(tab.store.phase, 'saved');
  assert.equal(tab.store.canvas, canvas);
  server.change(move('b', 7));
  assert.equal(tab.store.canvas.io, canvas.io); // another has changed the widgets alone
  assert.equal(xs(tab.store.canvas), 'a3 b7');
});

test('only the columns that changed are sent', async () => {
  const server = createServer();
  const sent = [];
  const { patch } = server;
  server.patch = (path, changes, headers) => (sent.push([path, Object.keys(changes), headers]), patch(path, changes, headers));
  const [tab] = await openTabs(server, {});
  tab.store.perform({ type: 'set-title', title: 'New' });
  await tab.tick();
  assert.deepEqual(sent, [['/api/records/canvases/r', ['title'], { 'If-Match': '0001' }]]);
});

test('what changes while a request is under way is stored by the next one', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  let open;
  server.gate = new Promise((resolve) => (open = resolve));
  tab.store.perform(add('c'));
  await tab.tick();
  tab.store.perform(remove('c'));
  tab.store.perform(move('a', 5));
  await tab.tick(); // too early: there is one request at a time
  open();
  await settle();
  assert.deepEqual([xs(server.record.data), xs(tab.store.canvas), tab.store.phase], ['a0 b0 c0', 'a5 b0', 'unsaved']);
  await tab.tick();
  assert.equal(xs(server.record.data), 'a5 b0');
});

for (const status of [409, 412]) {
  test(`after a ${status} it reads, merges and sends again`, async () => {
    const server = createServer();
    const [tab] = await openTabs(server, { live: false });
    server.change(move('b', 7));
    server.script.push({ before: new ApiError(status, { error: 'conflict' }) });
    tab.store.perform(move('a', 5));
    await tab.tick();
    assert.deepEqual([xs(server.record.data), xs(tab.store.canvas), tab.store.phase], ['a5 b7', 'a5 b7', 'saved']);
    assert.deepEqual(server.requests, ['get', 'get', 'patch']);
    assert.deepEqual(tab.collection.rows.r, server.record); // so the list of canvases shows it at once
  });
}

test('a conflict without a newer record is a refusal and is not tried for ever', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  server.script.push({ before: new ApiError(409, { error: 'conflict', message: 'Not now.' }) });
  tab.store.perform(move('a', 5));
  await tab.tick();
  assert.deepEqual([tab.store.phase, tab.store.problem, tab.timers.length], ['failed', 'Not now.', 0]);
});

test('what others store is shown, beside what is not stored yet', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  let changes = 0;
  tab.store.onChange(() => (changes += 1));
  tab.store.perform(move('a', 5));
  server.change(move('b', 7));
  assert.equal(xs(tab.store.canvas), 'a5 b7');
  assert.ok(changes >= 2);
  await tab.tick();
  assert.deepEqual([xs(server.record.data), server.requests], ['a5 b7', ['get', 'patch']]);
});

test('a report that is older than what is known changes nothing', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  const old = clone(server.record);
  server.change(move('b', 7));
  tab.deliver(old);
  assert.equal(xs(tab.store.canvas), 'a0 b7');
});

test('offline changes wait, and are merged and stored when there is a connection again', async () => {
  const server = createServer();
  const [one, other] = await openTabs(server, {}, { live: false });
  server.offline = true;
  one.store.perform(move('a', 5));
  await one.tick();
  assert.deepEqual([one.store.phase, one.timers[0].ms], ['offline', 1000]);
  one.store.perform(add('c'));
  await one.tick();
  assert.deepEqual([one.timers[0].ms, xs(one.store.canvas)], [2000, 'a5 b0 c0']);
  server.offline = false;
  other.store.perform(move('b', 7));
  await other.tick();
  await one.tick();
  assert.deepEqual([one.store.phase, xs(server.record.data)], ['saved', 'a5 b7 c0']);
});

test('an opening socket ends the wait', async () => {
  const server = createServer();
  let opened;
  const socket = { phase: 'open', onPhase: (listener) => ((opened = listener), () => {}) };
  server.offline = true;
  const store = createCanvasStore({ recordId: 'r', transport: server, socket, schedule: () => () => {} });
  await settle();
  assert.equal(store.phase, 'offline');
  server.offline = false;
  opened();
  await settle();
  assert.deepEqual([store.phase, xs(store.canvas)], ['saved', 'a0 b0']);
});

test('waits grow up to 30 s, and a server that says how long is obeyed', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  server.offline = true;
  tab.store.perform(move('a', 5));
  const waits = [];
  for (let attempt = 0; attempt < 8; attempt += 1) (await tab.tick(), waits.push(tab.timers[0].ms));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  server.offline = false;
  server.script.push({ before: new ApiError(429, { error: 'rate_limited' }, 7) });
  await tab.tick();
  assert.equal(tab.timers[0].ms, 7000);
});

test('a failure is described once, however often it is tried again, and another one anew', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  const shown = [];
  tab.store.onChange(() => tab.store.problem !== shown.at(-1) && shown.push(tab.store.problem));
  const broken = (id) => ({ before: new ApiError(500, { error: 'internal_error', message: 'Out of order.' }, null, id) });
  server.script.push({ before: new NetworkError() }, { before: new NetworkError() }, broken('1'), broken('2'));
  tab.store.perform(move('a', 5));
  for (let attempt = 0; attempt < 5; attempt += 1) await tab.tick();
  assert.deepEqual([shown.shift(), shown.shift().slice(0, 17), ...shown], ['', 'Your changes are ', 'Out of order. Request id: 1.', '']);
  assert.equal(tab.store.phase, 'saved');
});

test('a write whose answer was lost is not done twice, and later changes of it count', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, { live: false });
  server.script.push({ after: new NetworkError() });
  tab.store.perform(add('c'));
  await tab.tick();
  assert.deepEqual([tab.store.phase, xs(server.record.data)], ['offline', 'a0 b0 c0']);
  tab.store.perform(remove('c'));
  tab.store.perform(move('a', 5));
  server.script.push({ before: new NetworkError() });
  await tab.tick();
  server.change(move('b', 7));
  await tab.tick();
  assert.deepEqual([xs(server.record.data), xs(tab.store.canvas)], ['a5 b7', 'a5 b7']);
});

test('a refusal is shown and kept, until it is discarded or changed', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  server.script.push({ before: new ApiError(400, { error: 'invalid', message: 'Too many widgets.' }) });
  tab.store.perform(move('a', 5));
  await tab.tick();
  assert.deepEqual([tab.store.phase, tab.store.problem, xs(tab.store.canvas)], ['failed', 'Too many widgets.', 'a5 b0']);
  tab.store.perform(move('a', 6));
  assert.deepEqual([tab.store.phase, tab.timers.length], ['unsaved', 1]);
  tab.store.discard();
  assert.deepEqual([tab.store.phase, xs(tab.store.canvas)], ['saved', 'a0 b0']);
});

test('a canvas that was deleted is gone, whoever says so', async () => {
  const server = createServer();
  const [told, asking] = await openTabs(server, {}, { live: false });
  server.change(move('a', 1));
  told.deliver(null);
  server.script.push({ before: new ApiError(404, { error: 'not_found' }) });
  asking.store.perform(move('a', 5));
  await asking.tick();
  for (const { store } of [told, asking]) assert.deepEqual([store.phase, store.perform(move('b', 1))], ['gone', false]);
});

test('a canvas that is missing in the newest of very many is asked for', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, { live: false });
  tab.deliver(server.record);
  tab.collection.isCut = true;
  tab.store.perform(move('a', 1));
  tab.deliver(null);
  await settle();
  assert.deepEqual([tab.store.phase, xs(tab.store.canvas)], ['saved', 'a1 b0']);
  tab.deliver(server.record);
  server.get = async () => Promise.reject(new ApiError(404, { error: 'not_found' }));
  tab.deliver(null);
  await settle();
  assert.equal(tab.store.phase, 'gone');
});

test('what was not stored survives a reload of the page, and is gone once it is stored', async () => {
  const server = createServer();
  const kept = new Map();
  const drafts = { get: (name) => kept.get(name) ?? '', set: (name, text) => kept.set(name, text) };
  const [tab] = await openTabs(server, { drafts, live: false });
  server.offline = true;
  tab.store.perform(move('a', 5));
  await tab.tick();
  tab.store.perform(add('c'));
  server.offline = false;
  server.change(move('b', 7));
  const [again] = await openTabs(server, { drafts });
  assert.deepEqual([again.store.phase, xs(server.record.data)], ['saved', 'a5 b7 c0']);
  assert.equal(kept.get('canvas:r'), '');
});

test('what is changed at the moment of a reload survives it, and a page that has ended keeps nothing', async () => {
  const server = createServer();
  const kept = new Map();
  const drafts = { get: (name) => kept.get(name) ?? '', set: (name, text) => kept.set(name, text) };
  const page = new EventTarget();
  const [tab] = await openTabs(server, { drafts, page, live: false });
  for (const x of [5, 6]) tab.store.perform(move('a', x));
  page.dispatchEvent(new Event('pagehide'));
  const [again] = await openTabs(server, { drafts });
  assert.deepEqual([again.store.phase, xs(server.record.data)], ['saved', 'a6 b0']);
  server.offline = true;
  again.store.stop();
  tab.store.stop();
  kept.clear(); // as when the user signs out
  page.dispatchEvent(new Event('pagehide'));
  assert.equal(kept.size, 0);
});

test('what is changed while a slow answer is awaited survives a reload too', async () => {
  const server = createServer();
  const kept = new Map();
  const drafts = { get: (name) => kept.get(name) ?? '', set: (name, text) => kept.set(name, text) };
  const [tab] = await openTabs(server, { drafts, live: false });
  server.gate = new Promise(() => {}); // the page goes before the answer comes
  tab.store.perform(move('a', 5));
  await tab.tick();
  tab.store.perform(add('c'));
  await tab.tick();
  server.gate = null;
  const [again] = await openTabs(server, { drafts });
  assert.deepEqual([again.store.phase, xs(server.record.data)], ['saved', 'a5 b0 c0']);
});

test('a store that is stopped sends what is left, and then hears nothing more', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  tab.store.perform(move('a', 5));
  await tab.store.stop();
  server.change(move('b', 7));
  assert.deepEqual([xs(server.record.data), xs(tab.store.canvas)], ['a5 b7', 'a5 b0']);
  assert.deepEqual([tab.timers.length, tab.listeners.size], [0, 0]);
});

test('a store that is stopped while a request is under way sends what has changed since', async () => {
  const server = createServer();
  const [tab] = await openTabs(server, {});
  let open;
  server.gate = new Promise((resolve) => (open = resolve));
  tab.store.perform(move('a', 5));
  await tab.tick();
  tab.store.perform(move('b', 7));
  const last = tab.store.stop();
  open();
  await last;
  assert.deepEqual([xs(server.record.data), server.requests], ['a5 b7', ['get', 'patch', 'patch']]);
});

test('tabs with bad connections converge, and no widget that nobody removed is lost', async () => {
  for (const seed of seeds(25)) await convergence(createRandom(seed), `seed ${seed}`);
});

const seeds = (count) => {
  let all = 0;
  forSeeds(count, () => (all += 1));
  return Array.from({ length: all }, (_, at) => at + 1);
};

async function convergence(random, label) {
  const server = createServer(randomCanvas(random));
  const tabs = await openTabs(server, {}, {}, { live: false });
  const added = new Set();
  for (let step = 0; step < 60; step += 1) {
    const at = random.below(3);
    const operation = randomChange(random, tabs[at].store.canvas, `n${at}-${step}`);
    if (random.maybe(0.2)) server.offline = !server.offline;
    if (random.maybe(0.3)) server.script.push({ [random.pick(['before', 'after'])]: new NetworkError() });
    if (tabs[at].store.perform(operation) && operation.widget) added.add(operation.widget.id);
    if (random.maybe(0.4)) await tabs[random.below(3)].tick();
  }
  Object.assign(server, { offline: false, script: [] });
  for (let round = 0; round < 4; round += 1) for (const { tick, store } of tabs) (await tick(), await store.retry());
  for (const tab of tabs) tab.deliver(server.record);
  for (const { store } of tabs) {
    assert.equal(store.phase, 'saved', label);
    assert.deepEqual(clone(store.canvas), server.record.data, label);
  }
  const there = new Set(server.record.data.widgets.map(({ id }) => id));
  for (const id of added) assert.ok(there.has(id), `${label}: ${id}`);
}

/** New widgets have ids that no other tab gives, as in a page. */
function randomChange(random, canvas, id) {
  const operation = random.maybe(0.2) ? add(id) : randomOperation(random, canvas);
  return JSON.stringify(operation).includes('add-widget') ? add(id) : operation;
}
