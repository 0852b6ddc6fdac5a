// One message of the transcript. A reply that is still being received is updated in place.

import { blocksOf } from '../calls/call-groups.js';
import { element } from '../shared/elements.js';
import { createMarkdownRegion } from '../shared/markdown.js';

/**
 * @typedef {import('./chat-reducer.js').Part} Part
 * @typedef {import('../calls/call-groups.js').Block} Block
 * @typedef {import('./message-actions.js').Place} Place
 * @typedef {import('./message-controls.js').MessageControls} MessageControls
 * @typedef {import('./messages.js').Message} Message
 */

/** @typedef {ReturnType<typeof createMessageView>} MessageView */

/** @param {'user' | 'assistant'} role @param {import('./questions.js').CreateCard} createCard */
export function createMessageView(role, createCard) {
  const body = element('div', { class: 'message-body' });
  const author = role === 'user' ? 'You' : 'Assistant';
  const heading = element('h3', { class: 'author' }, author);
  const head = element('div', { class: 'message-head' }, heading);
  const node = element('article', { class: `message ${role}` }, head, body);
  /** @type {ReturnType<MessageControls['of']> | null} */
  let control = null;
  /** @type {readonly unknown[]} */
  let shown = [];
  /** @type {{kind: string, id: string, update: (part: any) => void, node: HTMLElement, stop?: () => void}[]} */
  const views = [];
  /** @param {MessageControls} controls */
  function attach(controls) {
    const attached = controls.of(role, body);
    (role === 'user' ? head : node).append(attached.node);
    return attached;
  }

  /** @param {typeof views[number]} view */
  function discard({ node: part, stop }) {
    stop?.();
    part.remove();
  }

  return {
    node,
    /** Call this when the message is not shown any more. */
    stop: () => views.forEach((view) => view.stop?.()),
    /** @param {Message} message @param {Place} place @param {MessageControls | null} controls null until they are loaded */
    update(message, place, controls) {
      const now = [message.parts, controls, ...Object.values(place)];
      const isSame = now.length === shown.length && now.every((value, at) => value === shown[at]);
      if (isSame && !views.some(({ kind }) => kind === 'late')) return; // most messages have not changed
      shown = now;
      const blocks = blocksOf(message.parts);
      blocks.forEach((part, place) => {
        if (!shows(views[place], part)) {
          const fresh = { id: part.id, ...createPart(role, part.kind, createCard) };
          if (views[place]) views[place].node.before(fresh.node);
          else body.append(fresh.node);
          if (views[place]) discard(views[place]);
          views[place] = fresh;
        }
        views[place].update(part);
      });
      for (const extra of views.splice(blocks.length)) discard(extra);
      control ??= controls && attach(controls);
      control?.update(message, place);
    },
  };
}

/** Whether a view can show a part; a card shows only one call. @param {{kind: string, id: string} | undefined} view @param {Block} part */
function shows(view, part) {
  const isCard = part.kind === 'approval' || part.kind === 'consent';
  return view?.kind === part.kind && (!isCard || view.id === part.id);
}

/** @param {'user' | 'assistant'} role @param {Block['kind']} kind @param {import('./questions.js').CreateCard} createCard */
function createPart(role, kind, createCard) {
  if (kind === 'calls' || kind === 'approval' || kind === 'consent') return createCard(kind);
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
