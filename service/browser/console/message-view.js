// One message of the transcript. A reply that is still being received is updated in place.

import { element } from '../shared/elements.js';
import { createMarkdownRegion } from '../shared/markdown.js';
import { createToolCall } from './tool-call.js';

/** @typedef {import('./chat-reducer.js').Part} Part */

/** @param {'user' | 'assistant'} role @param {import('./questions.js').CreateCard} createCard */
export function createMessageView(role, createCard) {
  const body = element('div', { class: 'message-body' });
  const author = role === 'user' ? 'You' : 'Assistant';
  const heading = element('h3', { class: 'author' }, author);
  const node = element('article', { class: `message ${role}` }, heading, body);
  /** @type {{kind: string, id: string, update: (part: any) => void, node: HTMLElement}[]} */
  const views = [];
  return {
    node,
    /** @param {readonly Part[]} parts */
    update(parts) {
      parts.forEach((part, place) => {
        if (!shows(views[place], part)) {
          const fresh = { id: part.id, ...createPart(role, part.kind, createCard) };
          if (views[place]) views[place].node.replaceWith(fresh.node);
          else body.append(fresh.node);
          views[place] = fresh;
        }
        views[place].update(part);
      });
      for (const extra of views.splice(parts.length)) extra.node.remove();
    },
  };
}

/** A card shows one call only. @param {{kind: string, id: string} | undefined} view @param {Part} part */
function shows(view, part) {
  const isCard = part.kind === 'approval' || part.kind === 'consent';
  return view?.kind === part.kind && (!isCard || view.id === part.id);
}

/** @param {'user' | 'assistant'} role @param {Part['kind']} kind @param {import('./questions.js').CreateCard} createCard */
function createPart(role, kind, createCard) {
  if (kind === 'call') return { kind, ...createToolCall() };
  if (kind === 'approval' || kind === 'consent') return { kind, ...createCard(kind) };
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
