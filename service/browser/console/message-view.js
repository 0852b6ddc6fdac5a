// One message of the transcript. A reply that is still being received is updated in place.

import { element } from '../shared/elements.js';
import { createMarkdownRegion } from '../shared/markdown.js';
import { createToolCall } from './tool-call.js';

/** @typedef {import('./chat-reducer.js').Part} Part */

/** @param {'user' | 'assistant'} role */
export function createMessageView(role) {
  const body = element('div', { class: 'message-body' });
  const author = role === 'user' ? 'You' : 'Assistant';
  const heading = element('h3', { class: 'author' }, author);
  const node = element('article', { class: `message ${role}` }, heading, body);
  /** @type {{kind: string, update: (part: any) => void, node: HTMLElement}[]} */
  const views = [];
  return {
    node,
    /** @param {readonly Part[]} parts */
    update(parts) {
      parts.forEach((part, place) => {
        if (!views[place]) {
          views[place] = createPart(role, part.kind);
          body.append(views[place].node);
        }
        views[place].update(part);
      });
      for (const extra of views.splice(parts.length)) extra.node.remove();
    },
  };
}

/** @param {'user' | 'assistant'} role @param {'text' | 'call'} kind */
function createPart(role, kind) {
  if (kind === 'call') return { kind, ...createToolCall() };
  if (role === 'user') {
    // Users' messages are shown as typed, not as Markdown.
    const node = element('p', { class: 'as-typed' });
    return { kind, node, update: (/** @type {any} */ part) => (node.textContent = part.text) };
  }
  const region = createMarkdownRegion();
  let current = '';
  const update = (/** @type {{text: string}} */ part) => {
    if (part.text !== current) region.update(part.text);
    current = part.text;
  };
  return { kind, node: region.node, update };
}
