// A conversation of the console without a browser and a server.

import { createConversation } from '../../service/browser/chat/conversation.js';
import { createDrafts } from '../../service/browser/page/drafts.js';
import './page-timers.mjs';

export class FakeStorage {
  getItem(name) {
    return this[name] ?? null;
  }

  setItem(name, value) {
    this[name] = value;
  }

  removeItem(name) {
    delete this[name];
  }
}

export const text = (delta) => ({ type: 'text-delta', id: 't', delta });
export const stream = (...chunks) => new Response(chunks.map((c) => `data: ${JSON.stringify(c)}\n\n`).join(''), {
  headers: { 'X-Asst-Id': 'msg_1' },
});

/** A conversation whose server gives `answers`, one per turn, has stored `rows`, and runs `replies` that are read again. */
export function conversation({ answers = [], rows = [], storage = new FakeStorage(), replies = [] }) {
  const sent = [];
  const searches = [];
  const said = [];
  const transport = {
    get: async () => ({ records: [...rows].reverse(), nextCursor: null }),
    post: async (path) => sent.push(path),
    read: async (path, _signal, headers) => {
      searches.push([path, headers]);
      const reply = replies.shift() ?? new Response(null, { status: 204 });
      if (reply instanceof Error) throw reply;
      return reply;
    },
    open: async (path, body) => {
      sent.push(body);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const drafts = createDrafts(storage, 'alice');
  const context = { transport, drafts, onTurnEnd: () => said.push('ended'), announce: (s) => said.push(s) };
  return { talk: createConversation('chat', context), sent, said, searches, drafts, rows, transport };
}
