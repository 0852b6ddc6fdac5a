// The order and the groups of the list of chats, and the name of an exported file.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nameIn, saveChat } from '../../service/browser/chat/chat-file.js';
import { groupsOf } from '../../service/browser/chat/chat-list.js';
import { createChatRow } from '../../service/browser/chat/chat-row.js';
import { createChats } from '../../service/browser/chat/chats.js';
import { createDrafts } from '../../service/browser/page/drafts.js';
import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import './page-timers.mjs';
import './plain-dom.mjs';

const NOON = new Date(2026, 2, 10, 12);

/** A chat with its last message at a time of the user's zone. */
function chat(recordId, day, hour, data = {}) {
  const at = new Date(2026, 2, day, hour).toISOString();
  return { recordId, data: { activeAt: at, ...data }, createdAt: at, updatedAt: at };
}

const shown = (rows) => groupsOf(rows, NOON).map(({ name, rows: all }) => [name, all.map(({ recordId }) => recordId)]);

test('chats are in groups by the day of their last message', () => {
  const rows = [chat('a', 10, 0), chat('b', 9, 23), chat('c', 9, 0), chat('d', 8, 23), chat('e', 3, 0), chat('f', 2, 23)];
  const groups = [['Today', ['a']], ['Yesterday', ['b', 'c']], ['Previous 7 days', ['d', 'e']], ['Older', ['f']]];
  assert.deepEqual(shown(rows), groups);
});

test('pinned chats come first, the newest message before others', () => {
  const rows = [chat('a', 1, 0, { pinned: true }), chat('b', 10, 1), chat('c', 10, 2), chat('d', 9, 0, { pinned: true }), chat('e', 10, 3, { pinned: false })];
  assert.deepEqual(shown(rows), [['Pinned', ['d', 'a']], ['Today', ['e', 'c', 'b']]]);
});

test('a rename moves nothing, and a chat without messages stands where it was made', () => {
  const renamed = { ...chat('a', 9, 0), updatedAt: NOON.toISOString() };
  const fresh = { ...chat('b', 10, 1), data: {} };
  assert.deepEqual(shown([renamed, fresh]), [['Today', ['b']], ['Yesterday', ['a']]]);
});

test('a file has the name that the server gives it', () => {
  assert.equal(nameIn(`attachment; filename="chat.md"; filename*=UTF-8''%E5%8C%97.md`), '北.md');
  assert.equal(nameIn(''), 'chat');
});

/** Chats, and a server of which the first answer is lost; it keeps one chat for each key. */
function chatsWithALostAnswer() {
  const made = new Map();
  let isLost = true;
  async function call(_method, _path, { headers }) {
    const key = headers['Idempotency-Key'];
    if (!made.has(key)) made.set(key, { recordId: `chat-${made.size}`, title: '', createdAt: '1', updatedAt: '1' });
    if (isLost === null) throw new ApiError(404, { error: 'not_found' });
    if (isLost) {
      isLost = false;
      throw new NetworkError();
    }
    if (!made.get(key)) throw new ApiError(404, { error: 'not_found' });
    return { chat: made.get(key) };
  }
  const socket = { phase: 'open', subscribe: () => () => {}, onPhase: () => () => {} };
  const items = new Map();
  const fill = () => (storage.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); });
  const storage = { getItem: (name) => items.get(name) ?? null, setItem: (name, value) => items.set(name, value), removeItem: (name) => items.delete(name) };
  const load = () => createChats({ transport: { call }, socket, drafts: createDrafts(storage, 'alice'), onTurnEnd() {} });
  return { chats: load(), load, fill, made: () => [...made.values()], remove: (key) => made.set(key, null), refuse: () => (isLost = null), keys: () => [...made.keys()] };
}

test('a file that breaks off is not saved, and the user is told why', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('network error')) });
  const transport = { read: async () => new Response(body) };
  await assert.rejects(saveChat(transport, 'c', 'json'), (error) => error instanceof NetworkError && /not saved.*deleted/.test(error.message));
});

test('a chat whose answer was lost is given again, unless it was used since', async () => {
  for (const [updatedAt, id] of [['1', 'chat-0'], ['2', 'chat-1']]) {
    const { chats, made } = chatsWithALostAnswer();
    await assert.rejects(chats.create(), NetworkError);
    made()[0].updatedAt = updatedAt;
    assert.equal(await chats.create(), id);
  }
});

test('a chat whose answer was lost, and that is deleted since, is made anew', async () => {
  const { chats, keys, remove } = chatsWithALostAnswer();
  await assert.rejects(chats.create(), NetworkError);
  remove(keys()[0]);
  assert.equal(await chats.create(), 'chat-1');
});

test('a refusal of the first try is not tried again', async () => {
  const { chats, keys, refuse } = chatsWithALostAnswer();
  refuse();
  await assert.rejects(chats.create(), ApiError);
  assert.equal(keys().length, 1);
});

test('a chat whose answer was lost is given to the first message after a reload, and to no other', async () => {
  const { chats, load, made } = chatsWithALostAnswer();
  await assert.rejects(chats.create(), NetworkError);
  const loaded = load();
  assert.equal(await loaded.create(), 'chat-0');
  made()[0].updatedAt = '2';
  assert.equal(await loaded.create(), 'chat-1');
});

test('a chat whose answer was lost is given again also where the storage is full', async () => {
  const { chats, fill } = chatsWithALostAnswer();
  fill();
  await assert.rejects(chats.create(), NetworkError);
  assert.equal(await chats.create(), 'chat-0');
});

/** A chat whose title is being stored. */
async function renaming() {
  const row = { recordId: 'chat-0', title: '', createdAt: '1', updatedAt: '1' };
  let [resolve, refuse] = [(/** @type {any} */ _) => {}, (/** @type {Error} */ _) => {}];
  const patched = new Promise((...ways) => ([resolve, refuse] = ways));
  const transport = { call: async (/** @type {string} */ method) => (method === 'PATCH' ? patched : { chat: row }), delete: async () => null };
  const socket = { phase: 'open', subscribe: () => () => {}, onPhase: () => () => {} };
  const drafts = createDrafts({ getItem: () => null, setItem() {}, removeItem() {} }, 'alice');
  const chats = createChats({ transport, socket, drafts, onTurnEnd() {} });
  await chats.create();
  return { chats, renamed: chats.rename('chat-0', 'One'), answer: () => resolve({ chat: { ...row, title: 'One' } }), refuse };
}

test('a chat that is removed while its title is stored stays removed', async () => {
  const { chats, renamed, answer } = await renaming();
  await chats.remove('chat-0');
  answer();
  await renamed;
  assert.deepEqual(chats.collection.rows, {});
});

test('that a chat which is removed here has got no title is no error', async () => {
  const gone = new ApiError(404, { error: 'not_found' });
  const removed = await renaming();
  await removed.chats.remove('chat-0');
  removed.refuse(gone);
  await removed.renamed;
  const other = await renaming();
  other.refuse(gone);
  await assert.rejects(other.renamed, gone);
});

test('a new chat that is removed when its turn has failed is not named any more', async () => {
  const row = { recordId: 'chat-0', title: '', createdAt: '1', updatedAt: '1' };
  for (const isLate of [false, true]) {
    /** @type {(AbortSignal | undefined)[]} */
    const namings = [];
    const transport = {
      call: async (/** @type {string} */ method, /** @type {string} */ _path, /** @type {any} */ { signal }) => {
        if (method !== 'PATCH') return { chat: row };
        namings.push(signal);
        return new Promise(() => {});
      },
      get: async () => ({ records: [], nextCursor: null }),
      read: async () => new Response(null, { status: 204 }),
      open: async () => new Response(new ReadableStream()),
      delete: async () => null,
    };
    const socket = { phase: 'open', subscribe: () => () => {}, onPhase: () => () => {} };
    const drafts = createDrafts({ getItem: () => null, setItem() {}, removeItem() {} }, 'alice');
    const chats = createChats({ transport, socket, drafts, onTurnEnd() {}, announce() {} });
    await chats.create();
    const conversation = chats.conversation('chat-0');
    await new Promise((resolve) => setTimeout(resolve, 5));
    conversation.send('hello', 'model');
    if (isLate) while (namings.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    else await new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(null))));
    await chats.remove('chat-0');
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(namings.map((signal) => signal?.aborted), isLate ? [true] : []);
  }
});

test('in a chat that is being deleted, no running reply is searched for', async () => {
  const row = { recordId: 'chat-0', title: '', createdAt: '1', updatedAt: '1' };
  let answer = () => {};
  /** @type {AbortSignal[]} */
  const searches = [];
  const transport = {
    call: async () => ({ chat: row }),
    get: async () => ({ records: [], nextCursor: null }),
    read: async (/** @type {string} */ _path, /** @type {AbortSignal} */ signal) => {
      searches.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    delete: () => new Promise((resolve) => (answer = () => resolve(null))),
  };
  const socket = { phase: 'open', subscribe: () => () => {}, onPhase: () => () => {} };
  const drafts = createDrafts({ getItem: () => null, setItem() {}, removeItem() {} }, 'alice');
  const chats = createChats({ transport, socket, drafts, onTurnEnd() {}, announce() {} });
  await chats.create();
  const conversation = chats.conversation('chat-0');
  await settle();
  assert.deepEqual(searches.map(({ aborted }) => aborted), [false]);
  const removed = chats.remove('chat-0');
  await settle();
  assert.deepEqual([searches.map(({ aborted }) => aborted), conversation.phase], [[true], 'idle']);
  await conversation.watch();
  answer();
  await removed;
  assert.equal(searches.length, 1);
});

test('two messages that begin chats at the same time begin two', async () => {
  const { chats } = chatsWithALostAnswer();
  await chats.create().catch(() => {});
  const ids = await Promise.all([chats.create(), chats.create()]);
  assert.deepEqual(ids, ['chat-0', 'chat-1']);
});

test('a chat whose answer was lost, and that was opened from the list since, is that of another message', async () => {
  const { chats } = chatsWithALostAnswer();
  await assert.rejects(chats.create(), NetworkError);
  chats.conversation('chat-0');
  assert.equal(await chats.create(), 'chat-1');
});

/** Chats of which the list has those in `rows`, and the server those in `stored`. */
function listing(rows, stored) {
  const reads = [];
  const get = async (path, { where }) => {
    if (path !== '/api/records/ai-chats') return { records: [], nextCursor: null };
    reads.push(where.recordId);
    return { records: [...rows, ...stored].filter(({ recordId }) => recordId === where.recordId) };
  };
  const socket = { phase: 'open', subscribe: (_name, _where, receive) => (socket.receive = receive, () => {}), onPhase: () => () => {} };
  const items = new Map();
  const storage = { getItem: (name) => items.get(name) ?? null, setItem: (name, value) => items.set(name, value), removeItem: (name) => items.delete(name) };
  const chats = createChats({ transport: { get, read: async () => new Response(null, { status: 204 }) }, socket, drafts: createDrafts(storage, 'alice'), onTurnEnd() {}, announce() {} });
  const list = () => socket.receive({ type: 'snapshot', records: rows });
  return { chats, reads, list, remove: (recordId) => socket.receive({ type: 'change', action: 'removed', record: { recordId } }) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a chat that is opened before the list has it is read, and is gone only if the server does not have it', async () => {
  for (const isListedFirst of [true, false]) {
    const { chats, reads, list } = listing([chat('old', 9, 0)], [chat('new', 10, 0)]);
    if (isListedFirst) list();
    for (const id of ['old', 'new', 'none']) chats.conversation(id);
    assert.deepEqual(['old', 'new', 'none'].map(chats.isGone), [false, false, false]);
    if (!isListedFirst) list();
    await settle();
    assert.deepEqual(['old', 'new', 'none'].map(chats.isGone), [false, false, true]);
    assert.deepEqual([Object.keys(chats.collection.rows), reads], [['old', 'new'], ['new', 'none']]);
  }
});

test('a chat that leaves the list is gone at once, but for an old one of very many', async () => {
  const { chats, reads, list, remove } = listing([chat('a', 9, 0), chat('b', 9, 0)], []);
  list();
  chats.conversation('a');
  remove('a');
  assert.deepEqual([chats.isGone('a'), reads], [true, []]);
  chats.conversation('b');
  chats.collection.isCut = true;
  remove('b');
  assert.equal(chats.isGone('b'), false);
});

test('a title that is refused late is kept in its field, and takes the focus from nothing else', async (t) => {
  t.after(() => delete document.activeElement);
  for (const hasGone of [true, false]) {
    let refuse = () => {};
    const row = createChatRow({ attempt: () => new Promise((resolve) => (refuse = () => resolve(false))) });
    row.update({ recordId: 'c', data: { title: 'Old' }, updatedAt: '2026-03-10T12:00:00Z' }, false);
    const [link, field] = row.node.childNodes;
    for (const node of [link, field]) node.focus = () => (document.activeElement = node);
    field.select = () => {};
    link.listeners.keydown({ key: 'F2', preventDefault() {} });
    field.value = 'New';
    field.listeners.keydown({ key: 'Enter' });
    const composer = document.createElement('textarea');
    if (hasGone) document.activeElement = composer;
    refuse();
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual([field.hidden, field.value], [false, 'New']);
    assert.equal(document.activeElement === (hasGone ? composer : field), true);
  }
});
