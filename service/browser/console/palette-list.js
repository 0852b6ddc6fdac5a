// The list of the command palette: groups of rows, one of which is active.

import { markedPieces } from './fuzzy.js';
import { piecesOf } from '../chat/search-results.js';
import { element } from '../shared/elements.js';

/**
 * @typedef {import('./palette-ranking.js').Row & {excerpt?: import('../chat/search-results.js').Excerpt}} Row
 * @typedef {{name: string, rows: Row[]}} Group
 */

const SHORT = 12; // characters; a hint up to this length fits beside the label on a narrow screen

/** @param {(row: Row) => void} onChoose */
export function createPaletteList(onChoose) {
  const nothing = element('p', { class: 'empty', hidden: true }, 'Nothing found.');
  const box = element('div', { id: 'palette-list', class: 'palette-list', role: 'listbox', 'aria-label': 'Results' });
  const node = element('div', { class: 'palette-results' }, box, nothing);
  /** @type {{row: Row, node: HTMLElement}[]} */
  let options = [];
  let active = 0;
  let isMoved = false; // whether the user has chosen the active row

  /** @param {number} at */
  function activate(at) {
    options[active]?.node.setAttribute('aria-selected', 'false');
    active = at;
    options[active]?.node.setAttribute('aria-selected', 'true');
  }

  /** @param {Group} group @param {number} number */
  function createGroup({ name, rows }, number) {
    const heading = element('div', { id: `palette-group-${number}`, class: 'palette-heading', role: 'presentation' }, name);
    return element('div', { role: 'group', 'aria-labelledby': heading.id }, heading, ...rows.map(createOption));
  }

  /** @param {Row} row */
  function createOption(row) {
    const at = options.length;
    const on = {
      pointerdown: (/** @type {Event} */ event) => event.preventDefault(), // the focus stays in the field
      pointermove: () => at === active || ((isMoved = true), activate(at)),
      click: () => onChoose(row),
    };
    const props = { id: `palette-row-${at}`, class: 'palette-row', role: 'option', 'aria-selected': 'false', on };
    const option = element('div', props, createLabel(row), createHint(row));
    options.push({ row, node: option });
    return option;
  }

  return {
    node,
    id: box.id,
    /** Shows the groups. A row that the user has made active stays active. @param {Group[]} groups @returns {number} the number of rows */
    show(groups) {
      const before = isMoved ? options[active]?.row.id : undefined;
      options = [];
      box.replaceChildren(...groups.map(createGroup));
      box.hidden = !options.length;
      nothing.hidden = options.length > 0;
      activate(Math.max(0, options.findIndex(({ row }) => row.id === before)));
      return options.length;
    },
    toFirst: () => void (isMoved = false),
    /** @returns {string} the id of the active row's node, or '' */
    active: () => options[active]?.node.id ?? '',
    choose: () => options[active] && onChoose(options[active].row),
    /** @param {string} key @returns {boolean} whether the key moves in a list */
    move(key) {
      const goal = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: -1 }[key];
      if (goal === undefined) return false;
      isMoved = true;
      activate((goal + options.length) % (options.length || 1));
      const first = active === 0;
      (first ? box.firstElementChild : options[active]?.node)?.scrollIntoView({ block: 'nearest' });
      return true;
    },
  };
}

/** @param {Row} row */
function createLabel({ label, hits }) {
  const pieces = markedPieces(label, hits).map(({ text, isHit }) => (isHit ? element('mark', {}, text) : text));
  return element('span', { class: 'palette-label' }, ...pieces);
}

/** @param {Row} row */
function createHint({ hint, excerpt }) {
  if (excerpt) return element('span', { class: 'palette-hint excerpt' }, ...piecesOf(excerpt));
  return hint && element('span', { class: hint.length > SHORT ? 'palette-hint long' : 'palette-hint' }, hint);
}
