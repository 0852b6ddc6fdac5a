// The line below each reply: what it says is about the reply that is shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './plain-dom.mjs';
import { createReplyFooter } from '../../service/browser/chat/reply-footer.js';

const place = { isStored: true, isLast: true, isBusy: false, hasModels: true, later: 1, questionId: 'u' };
const turn = (recordId) => ({ recordId, createdAt: '2026-01-01T00:00:00Z', updatedAt: '', data: { modelId: recordId, status: 'finished', finishReason: 'stop', credits: 0, usage: { inputTokens: 1, outputTokens: 1 } } });
const reply = (id) => ({ id, role: 'assistant', text: '', parts: [{ kind: 'text', id: 't', text: 'Hi' }] });

test('the panels of a reply are closed when another reply takes its place', async () => {
  const write = { verb: 'created', collection: 'tasks' };
  const transport = { post: async () => ({ undone: [{ collection: 'tasks', recordId: 'a' }], conflicts: [] }) };
  const actions = { transport, announce() {}, models: () => ['m'] };
  const footer = createReplyFooter(document.createElement('div'), actions, { of: () => [write] });
  const [bar, panel, result] = footer.node.childNodes;
  const [summary, , undo] = bar.childNodes;
  footer.update(reply('a1'), { ...place, turn: turn('t1') });
  summary.listeners.click();
  undo.listeners.click();
  document.body.lastChild.close('yes');
  await new Promise((resolve) => setImmediate(resolve));
  footer.update(reply('a1'), { ...place, turn: turn('t1') });
  assert.deepEqual([panel.hidden, result.hidden, result.textContent], [false, false, 'Undone: 1 task.'], 'they stay with their reply');
  footer.update(reply(''), { ...place, isStored: false, isBusy: true, turn: null });
  footer.update(reply('a2'), { ...place, turn: turn('t2') });
  assert.deepEqual([panel.hidden, summary.attributes['aria-expanded'], result.hidden], [true, 'false', true]);
});
