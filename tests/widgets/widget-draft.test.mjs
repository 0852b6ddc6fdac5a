// The draft of a widget: what is kept, what is restored, and which key a repeated call has.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createDraft } from '../../service/browser/widgets/widget-draft.js';

globalThis.document ??= { activeElement: null, hasFocus: () => true };

/** A field without a page. `options` are those of a choice. */
function fieldOf(initial = '', options) {
  let value = initial;
  return {
    listeners: [],
    addEventListener: function (_, act) {
      this.listeners.push(act);
    },
    get value() {
      return value;
    },
    set value(next) {
      value = !options || options.includes(next) ? next : '';
    },
    type(text) {
      this.value = text;
      for (const act of this.listeners) act();
    },
  };
}

function open(stored = null, fields = { to: fieldOf(), text: fieldOf() }, user = 'alice') {
  const page = { said: [], stored, fields, tell: () => {} };
  const state = {
    get: async () => page.stored,
    set: async (value) => void (page.stored = structuredClone(value)),
    onChange: (listener) => void (page.tell = listener),
  };
  const panel = { say: (text) => page.said.push(text), showProblem: (error) => page.said.push(error.message) };
  page.draft = createDraft({ state, ready: Promise.resolve({ context: { user } }) }, panel, fields);
  return page;
}

const values = ({ fields }) => Object.values(fields).map((field) => field.value);

test('what is typed is kept, and nothing once it is emptied', async () => {
  const page = open();
  assert.equal(await page.draft.ready, false);
  page.fields.to.type('cleo');
  assert.deepEqual(page.stored.draft.values, { to: 'cleo' });
  const next = open(page.stored);
  assert.equal(await next.draft.ready, true);
  assert.deepEqual(values(next), ['cleo', '']);
  next.fields.to.type('');
  assert.equal(next.stored, null);
});

test('who types before the draft has come loses neither', async () => {
  const page = open({ draft: { values: { to: 'cleo' } } });
  page.fields.text.type('Dear');
  await page.draft.ready;
  assert.deepEqual([values(page), page.stored.draft.values], [['cleo', 'Dear'], { to: 'cleo', text: 'Dear' }]);
});

test('a call that begins before the draft has come keeps its key', async () => {
  const page = open();
  page.fields.text.type('Dear');
  const failing = page.draft.sending({ idempotencyKey: 'k' }, async () => {
    await page.draft.ready;
    throw Object.assign(new Error(), { code: 'network' });
  });
  await failing.catch(() => {});
  assert.deepEqual([page.draft.pendingKey, page.said], ['k', []]);
  const next = open(page.stored);
  await next.draft.ready;
  assert.equal(next.draft.pendingKey, 'k');
});

test('a stored draft of another form, or of another version, breaks nothing', async () => {
  const broken = [7, { draft: 5 }, { draft: { values: { to: 3, gone: 'x' }, came: 'x', pending: { key: 1 } } }, { text: 'a note' }];
  for (const stored of broken) {
    const page = open(stored);
    assert.equal(await page.draft.ready, false);
    assert.deepEqual([values(page), page.said, page.draft.pendingKey], [['', ''], [], undefined]);
  }
  const choice = open({ draft: { values: { model: 'gone' } } }, { model: fieldOf('fast', ['fast', 'fine']) });
  await choice.draft.ready;
  assert.deepEqual(values(choice), ['fast']);
});

test('another page’s text comes, except into the field that is being written in', async () => {
  const page = open();
  await page.draft.ready;
  page.fields.text.type('mine');
  document.activeElement = page.fields.text;
  page.tell({ draft: { values: { to: 'cleo', text: 'theirs' } } });
  assert.deepEqual(values(page), ['cleo', 'mine']);
  document.activeElement = null;
  page.tell(null);
  assert.deepEqual(values(page), ['', '']);
});

test('a value that came before is no news after a reload, and what it filled in is not typed', async () => {
  const page = open();
  await page.draft.ready;
  assert.equal(page.draft.isNews('text', 'Bring'), true);
  page.draft.fill('text', 'Bring');
  const next = open(page.stored);
  await next.draft.ready;
  assert.deepEqual([next.draft.isNews('text', 'Bring'), next.draft.isNews('text', 'Other')], [false, true]);
  assert.equal(next.draft.isTyped('text'), false);
  next.fields.text.type('Bring it');
  assert.equal(next.draft.isTyped('text'), true);
});

test('a call of which nobody has seen the end keeps its key, until something else is written', async () => {
  const page = open();
  await page.draft.ready;
  page.fields.text.type('Dear');
  page.draft.sending({ idempotencyKey: 'k1' }, () => new Promise(() => {})); // the page is left meanwhile
  const next = open(page.stored);
  await next.draft.ready;
  assert.equal(next.draft.pendingKey, 'k1');
  assert.match(next.said[0], /nothing is sent or paid twice/);
  next.fields.text.type('Dear Cleo');
  assert.equal(next.draft.pendingKey, undefined);
});

test('the key of another user’s call is neither used nor promised, and stays for whose it is', async () => {
  const page = open();
  await page.draft.ready;
  page.fields.text.type('Dear');
  page.draft.sending({ idempotencyKey: 'k1' }, () => new Promise(() => {}));
  const bobs = open(page.stored, undefined, 'bob');
  await bobs.draft.ready;
  assert.deepEqual([values(bobs), bobs.said, bobs.draft.pendingKey], [['', 'Dear'], [], undefined]);
  bobs.draft.isNews('text', 'from an input'); // which keeps the draft
  const again = open(bobs.stored);
  await again.draft.ready;
  assert.equal(again.draft.pendingKey, 'k1');
  assert.match(again.said[0], /nothing is sent or paid twice/);
});

test('where nobody says who the user is, a key is kept and nothing is promised', async () => {
  const page = open(null, undefined, null);
  await page.draft.ready;
  page.fields.text.type('Dear');
  page.draft.sending({ idempotencyKey: 'k1' }, () => new Promise(() => {}));
  const next = open(page.stored, undefined, null);
  await next.draft.ready;
  assert.deepEqual([next.draft.pendingKey, next.said], ['k1', []]);
});

test('the key of another page’s call is not taken for a text that is being written here', async () => {
  const page = open();
  await page.draft.ready;
  page.fields.text.type('mine');
  document.activeElement = page.fields.text;
  const pending = { key: 'k', at: Date.now(), user: 'alice' };
  page.tell({ draft: { values: { text: 'theirs' }, pending } });
  assert.deepEqual([values(page), page.draft.pendingKey], [['', 'mine'], undefined]);
  document.activeElement = null;
  page.tell({ draft: { values: { text: 'theirs' }, pending } });
  assert.deepEqual([values(page), page.draft.pendingKey], [['', 'theirs'], 'k']);
});

test('a key is forgotten with an answer, kept without one, and too old after a day', async () => {
  const page = open();
  await page.draft.ready;
  page.fields.text.type('Dear');
  const failing = (code) => page.draft.sending({ idempotencyKey: 'k' }, () => Promise.reject(Object.assign(new Error(), { code })));
  await failing('network').catch(() => {});
  assert.equal(page.draft.pendingKey, 'k');
  const later = structuredClone(page.stored);
  later.draft.pending.at -= 24 * 3_600_000;
  const old = open(later);
  await old.draft.ready;
  assert.equal(old.draft.pendingKey, undefined);
  page.fields.text.type('Dear Cleo');
  await failing('approval_denied').catch(() => {});
  assert.equal(page.draft.pendingKey, undefined);
  await page.draft.sending({ idempotencyKey: 'k' }, async () => 1);
  assert.deepEqual([page.draft.pendingKey, page.stored.draft.pending], [undefined, undefined]);
});

test('a key from a computer whose clock is ahead is kept', async () => {
  for (const ahead of [2000, 3 * 3_600_000]) {
    const pending = { key: 'k', at: Date.now() + ahead, user: 'alice' };
    const page = open({ draft: { values: { text: 'Dear' }, pending } });
    await page.draft.ready;
    assert.equal(page.draft.pendingKey, 'k');
  }
});

test('what was typed while it was being sent stays', async () => {
  const page = open();
  await page.draft.ready;
  page.fields.to.type('cleo');
  page.fields.text.type('Dear');
  const sent = page.draft.read();
  page.fields.text.type('Dear again');
  page.draft.clear(sent);
  assert.deepEqual([values(page), page.stored.draft.values], [['', 'Dear again'], { text: 'Dear again' }]);
});

/** A page with a text, whose call fails with each of these errors in turn. */
async function openFailing() {
  const page = open();
  await page.draft.ready;
  page.fields.text.type('Dear');
  page.fail = (key, code, facts = {}) =>
    page.draft.sending({ idempotencyKey: key }, () => Promise.reject(Object.assign(new Error(), { code, facts, ...facts }))).catch(() => {});
  return page;
}

test('a key is kept while the call is under way, or the answer does not tell its end', async () => {
  const unclear = [
    ['conflict', { status: 409, retryAfterMs: 2000 }],
    ['upstream_provider_error', { status: 502 }],
    ['upstream_timeout', { status: 504 }],
    ['unavailable', { status: 503 }],
    ['protocol_error', { status: 502 }],
  ];
  for (const [code, facts] of unclear) {
    const page = await openFailing();
    await page.fail('k', code, facts);
    assert.equal(page.draft.pendingKey, 'k', code);
    await page.fail('k', 'conflict', { status: 409, outcome: 'unknown' }); // which tells people to look
    assert.equal(page.draft.pendingKey, undefined, code);
  }
});

test('a refusal says nothing about an earlier try whose end is not known', async () => {
  for (const code of ['rate_limited', 'unauthorized', 'approval_denied', 'insufficient_credits', 'oauth_required']) {
    const page = await openFailing();
    await page.fail('k', code);
    assert.equal(page.draft.pendingKey, undefined, code);
    await page.fail('k', 'network');
    await page.fail('k', code);
    assert.equal(page.draft.pendingKey, 'k', code);
  }
});

test('a call that is tried again after an edit does not give its key to the new text', async () => {
  const page = await openFailing();
  await page.fail('k', 'network');
  page.fields.text.type('Dear Cleo');
  await page.fail('k', 'network'); // "Try again" sends what was sent before
  assert.equal(page.draft.pendingKey, undefined);
  page.fields.text.type('Dear');
  assert.equal(page.draft.pendingKey, 'k');
  await page.fail('k', 'conflict');
  page.fields.text.type('Dear Cleo');
  await page.fail('k', 'network');
  assert.equal(page.draft.pendingKey, undefined);
});

test('a text that is changed and changed back has its key again, also after a reload', async () => {
  const page = await openFailing();
  await page.fail('k', 'network');
  page.fields.text.type('Dear Cleo');
  assert.equal(page.draft.pendingKey, undefined);
  const next = open(page.stored);
  await next.draft.ready;
  assert.deepEqual([next.draft.pendingKey, next.said], [undefined, []]);
  for (const { draft, fields } of [page, next]) {
    fields.text.type('Dear');
    assert.equal(draft.pendingKey, 'k');
  }
});
