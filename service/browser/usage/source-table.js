// A table of the credits spent on each model and endpoint, the largest first.
// @ts-check

import { element } from '../shared/elements.js';
import { hrefOf } from '../page/route.js';
import { numberInWords } from '../shared/number-words.js';
import { shareInWords } from './spend-scale.js';

/** @typedef {{what: string, kind: 'model' | 'endpoint' | 'interrupted', credits: number, calls: number}} Source */

const KINDS = { model: 'Model', endpoint: 'Endpoint', interrupted: 'Replies that were cut off' };
const NONE = 'Nothing was spent in this period.';

export function createSourceTable() {
  const rows = element('tbody', {});
  const names = ['Model or endpoint', 'Calls', 'Credits', 'Share'].map((name) => element('th', { scope: 'col' }, name));
  const caption = element('caption', { class: 'visually-hidden' }, 'Spend per model and endpoint');
  const table = element('table', {}, caption, element('thead', {}, element('tr', {}, ...names)), rows);
  const box = element('div', { class: 'usage-table sources' }, table);
  const empty = element('p', { class: 'usage-empty' }, NONE);
  const head = element('div', { class: 'usage-box-head' }, element('h3', {}, 'Models and endpoints'));
  return {
    node: element('section', { class: 'usage-box', 'aria-label': 'Models and endpoints' }, head, box, empty),
    /** @param {Source[]} sources @param {number} total in credits */
    show(sources, total) {
      rows.replaceChildren(...sources.map((source) => rowOf(source, total)));
      empty.hidden = sources.length > 0;
      box.hidden = sources.length === 0;
    },
  };
}

/** @param {Source} source @param {number} total */
function rowOf({ what, kind, credits, calls }, total) {
  const name = kind === 'endpoint' ? element('a', { href: hrefOf('explorer', what) }, what) : element('span', {}, what);
  const fill = element('span', { class: 'share-fill' });
  fill.style.width = `${total > 0 ? Math.min(Math.max((credits / total) * 100, 0), 100) : 0}%`;
  const share = element('span', { class: 'share-bar', 'aria-hidden': 'true' }, fill);
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, name, element('span', { class: 'source-kind' }, KINDS[kind])),
    element('td', {}, numberInWords(calls)),
    element('td', {}, numberInWords(credits)),
    element('td', { class: 'share' }, share, element('span', { class: 'share-words' }, shareInWords(credits, total))),
  );
}
