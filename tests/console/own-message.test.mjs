// A sent message is edited where it is shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './plain-dom.mjs';
import { createMessageEditor } from '../../service/browser/chat/message-editor.js';

test('an edited message can be sent when the reply has ended, and its editor says so', () => {
  const sent = [];
  const editor = createMessageEditor({ text: 'edited', onInput() {}, onSend: (text) => sent.push(text), onCancel() {} });
  const [, bar] = editor.node.childNodes;
  const [hint, , send] = bar.childNodes;
  const submit = () => editor.node.listeners.submit({ preventDefault() {} });
  editor.update({ later: 3, isBusy: true });
  submit();
  assert.deepEqual([sent, send.getAttribute('aria-disabled')], [[], 'true']);
  assert.match(hint.textContent, /when the reply has ended/);
  editor.update({ later: 3, isBusy: false });
  assert.match(hint.textContent, /Replaces the 3 messages after it/);
  submit();
  assert.deepEqual(sent, ['edited']);
});
