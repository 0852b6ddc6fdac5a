// The usage view: spending, calls of endpoints, changes of the assistant, and the statement of the account.
// @ts-check

import { element } from '../shared/elements.js';
import { createTabs } from '../page/tabs.js';
import { createCallList } from './call-list.js';
import { createChangeList } from './change-list.js';
import { createStatement } from './statement.js';
import { createOverview } from './usage-overview.js';

/**
 * @typedef {import('../page/view.js').ViewContext} ViewContext
 * @typedef {{node: HTMLElement, refresh: () => unknown, stop: () => void}} Part
 */

/** The parts of the view, by the id in the route. @type {{id: string | null, label: string, create: (context: ViewContext) => Part}[]} */
const PARTS = [
  { id: null, label: 'Overview', create: createOverview },
  { id: 'calls', label: 'Calls', create: createCallList },
  { id: 'changes', label: 'Changes', create: createChangeList },
  { id: 'statement', label: 'Statement', create: createStatement },
];

/** @param {ViewContext} context @returns {import('../page/view.js').View} */
export function createUsageView(context) {
  /** @type {Map<string, Part>} */
  const parts = new Map();
  let current = PARTS[0];
  let wasAway = false; // whether the connection of the socket was lost
  const tabs = createTabs('Usage', 'usage', PARTS);
  const place = element('div', { class: 'usage-place' });
  const heading = element('h2', { tabindex: '-1' }, 'Usage');
  const head = element('div', { class: 'sheet-head' }, heading);
  const node = element('div', { class: 'sheet-view' }, element('div', { class: 'sheet' }, head, tabs.node, place));

  /** @param {string | null} id */
  function show(id) {
    current = PARTS.find((one) => one.id === id) ?? PARTS[0];
    const known = parts.get(current.label);
    const part = known ?? current.create(context);
    parts.set(current.label, part);
    if (place.firstChild !== part.node) place.replaceChildren(part.node);
    tabs.mark(current.id);
    part.refresh();
    context.onTitle();
  }

  /** Reads the failed part again after the connection is back. */
  function readAgain() {
    const { phase } = context.socket;
    if (phase === 'open' && wasAway) parts.get(current.label)?.refresh();
    wasAway = phase === 'open' ? false : wasAway || phase === 'waiting';
  }

  const stopWatching = context.socket.onPhase(readAgain);
  return {
    node,
    get title() {
      return current.id ? current.label : 'Usage';
    },
    show,
    refresh: () => void parts.get(current.label)?.refresh(),
    focus: () => heading.focus(),
    stop() {
      stopWatching();
      for (const part of parts.values()) part.stop();
    },
  };
}
