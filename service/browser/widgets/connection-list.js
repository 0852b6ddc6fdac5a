// @ts-check
// The connections of a canvas as a list, for users of the keyboard and of screen readers.

import { arrange, element, iconButton, watchDoubleClicks } from '../shared/elements.js';

/**
 * @typedef {{id: string, label: string, reason: string, enabled: boolean}} Row `reason` says why the
 *   connection does not work, or is ''; `enabled` says whether it is switched on
 */

/**
 * @param {{remove: (id: string) => void, mark: (id: string, on: boolean) => void,
 *   enable: (id: string, on: boolean) => void}} actions
 */
export function createConnectionList({ remove, mark, enable }) {
  const list = element('ul', { class: 'connection-rows' });
  const empty = element('p', { class: 'hint' }, 'None yet. Press an output of a widget, then an input of another.');
  const node = element(
    'section',
    { class: 'connections-of-canvas', 'aria-label': 'Connections of this canvas' },
    element('h2', {}, 'Connections'),
    empty,
    list,
  );
  const isSecondPress = watchDoubleClicks(list);
  /** @type {Map<string, {node: HTMLElement, row: Row, show: (row: Row) => void}>} */
  const rows = new Map();

  /** @param {Row} row */
  function add(row) {
    const { id } = row;
    const label = element('span', { class: 'connection-label' });
    const problem = element('span', { class: 'problem' });
    const toggle = element('input', { type: 'checkbox', class: 'connection-switch', on: { change: () => enable(id, toggle.checked) } });
    const button = iconButton('cross', '', () => removeAndFocus(id));
    const hover = { mouseenter: () => mark(id, true), mouseleave: () => mark(id, false) };
    const focus = { focusin: () => mark(id, true), focusout: () => mark(id, false) };
    const item = element('li', { class: 'connection-row', on: { ...hover, ...focus } }, toggle, label, problem, button);
    const show = (/** @type {Row} */ now) => {
      label.textContent = now.label;
      problem.textContent = now.reason;
      toggle.checked = now.enabled;
      toggle.setAttribute('aria-label', `Pass values from ${now.label}`);
      toggle.title = now.enabled ? 'Passes values: switch it off' : 'Is switched off: passes no values';
      item.classList.toggle('off', !now.enabled);
      button.setAttribute('aria-label', `Remove the connection ${now.label}`);
      button.title = 'Remove this connection';
    };
    const entry = { node: item, row, show };
    rows.set(id, entry);
    return entry;
  }

  /** @param {string} id */
  function removeAndFocus(id) {
    if (isSecondPress()) return;
    const item = rows.get(id)?.node;
    const next = item?.nextElementSibling ?? item?.previousElementSibling;
    const goal = /** @type {HTMLElement | null} */ (next?.querySelector('button') ?? null);
    remove(id);
    if (goal) goal.focus();
    else node.focus();
  }

  node.tabIndex = -1; // gets the focus when the last row is removed
  return {
    node,
    /** @param {Row[]} now */
    show(now) {
      const ids = new Set(now.map(({ id }) => id));
      for (const [id, { node: item }] of rows) {
        if (ids.has(id)) continue;
        item.remove();
        rows.delete(id);
      }
      for (const row of now) (rows.get(row.id) ?? add(row)).show(row);
      arrange(list, now.map(({ id }) => /** @type {{node: Node}} */ (rows.get(id)).node));
      empty.hidden = now.length > 0;
    },
  };
}
