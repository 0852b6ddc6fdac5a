// The changes that the assistant has made for the user, grouped by reply, with an Undo button for each reply.
// @ts-check

import { element, isFocusLost } from '../shared/elements.js';
import { ApiError, errorText } from '../shared/errors.js';
import { moment } from '../shared/time-format.js';
import { quantityWords } from '../calls/value-words.js';
import { canBeUndone, countInWords, groupsOf, sentenceOf, stepsOf } from './change-words.js';
import { createProblem } from './usage-problem.js';

/** @typedef {import('./change-words.js').Change} Change */
/** @typedef {import('./change-words.js').Group} Group */
/** @typedef {{undone: {collection: string, recordId: string}[], conflicts: {collection: string, recordId: string, reason: string}[]}} Result */

const PAGE = 50;
const EMPTY = 'The assistant has changed nothing for you in the last 30 days.';

/** @param {import('../page/view.js').ViewContext} context */
export function createChangeList({ transport, announce }) {
  /** @type {Change[]} */
  let changes = [];
  /** @type {Map<string, Result | string>} by turn: the result of undoing it, or an error */
  const results = new Map();
  /** @type {Set<string>} turns that are being undone: the answer to a second request would hide the answer to the first */
  const undoing = new Set();
  /** @type {string | null} */
  let cursor = null;
  let reads = 0; // the number of requests; only the answer to the newest one is used
  let loaded = false;
  const problem = createProblem(() => read(null));
  const list = element('div', { class: 'change-groups' });
  const empty = element('p', { class: 'usage-empty' });
  const more = element('button', { type: 'button', class: 'quiet usage-more', hidden: true, on: { click: readMore } }, 'Show older changes');
  const lead = element('p', { class: 'hint' }, 'What the assistant did with your records. Each reply can be undone once; calls of endpoints can’t.');
  const node = element('div', { class: 'usage-part' }, element('div', { class: 'usage-bar' }, lead), problem.node, list, empty, more);

  /** @param {string | null} after */
  async function read(after) {
    const mine = (reads += 1);
    try {
      const answer = await transport.get('/api/ai/journal', { limit: PAGE, cursor: after });
      if (mine !== reads) return;
      changes = after ? [...changes, ...answer.entries] : answer.entries;
      cursor = answer.nextCursor;
      loaded = true;
      problem.clear();
    } catch (error) {
      if (mine !== reads) return;
      problem.unread(error);
    }
    render();
  }

  /** Loads the next page. If the button is then hidden, the focus moves to the first new group. */
  async function readMore() {
    const before = list.childElementCount;
    await read(cursor);
    if (more.hidden && isFocusLost()) headings()[Math.min(before, list.childElementCount - 1)]?.focus();
  }

  function headings() {
    return /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('h3'));
  }

  function render() {
    list.replaceChildren(...groupsOf(changes).map((group) => createGroup(group, results.get(group.turnId), undo)));
    empty.textContent = loaded ? EMPTY : 'Loading…';
    empty.hidden = changes.length > 0 || (problem.isOpen && !loaded);
    more.hidden = cursor === null;
  }

  /** @param {Group} group */
  async function undo({ turnId }) {
    if (undoing.has(turnId)) return;
    undoing.add(turnId);
    try {
      const result = /** @type {Result} */ (await transport.post(`/api/ai/turns/${encodeURIComponent(turnId)}/undo`));
      results.set(turnId, result);
      announce(summaryOf(result));
    } catch (error) {
      if (!(error instanceof ApiError)) return problem.failed(error);
      results.set(turnId, errorText(error));
    } finally {
      undoing.delete(turnId);
    }
    await read(null);
    const heading = /** @type {HTMLElement | null} */ (list.querySelector(`[data-turn="${CSS.escape(turnId)}"] h3`));
    if (isFocusLost()) heading?.focus();
  }

  return { node, refresh: () => read(null), stop: () => {} };
}

/** @param {Result} result */
function summaryOf({ undone, conflicts }) {
  const back = undone.length ? `${quantityWords(undone.length, 'record is', 'records are')} as before.` : 'Nothing was undone.';
  return conflicts.length ? `${back} ${quantityWords(conflicts.length, 'change', 'changes')} could not be undone:` : back;
}

/** @param {Group} group @param {Result | string | undefined} result @param {(group: Group) => void} undo */
function createGroup(group, result, undo) {
  const name = moment(group.createdAt);
  const button = element('button', { type: 'button', class: 'quiet', 'aria-label': `Undo the changes of ${name}`, on: { click: () => undo(group) } }, 'Undo');
  const mark = group.undone ? element('span', { class: 'outcome', data: { tone: 'plain' } }, 'Undone') : canBeUndone(group) && button;
  const head = element('div', { class: 'usage-box-head' }, element('h3', { tabindex: '-1' }, element('time', { datetime: group.createdAt }, name)), element('span', { class: 'hint' }, countInWords(group.changes)), mark);
  return element('article', { class: 'usage-box', data: { turn: group.turnId } }, head, element('ul', { class: 'change-rows' }, ...group.changes.map(createChange)), result && createResult(result, group));
}

/** @param {Change} change */
function createChange(change) {
  const steps = stepsOf(change).map(({ name, before, after }) =>
    element('li', {}, `${name}: `, before !== null && element('del', {}, before), before !== null && ' → ', element('ins', {}, after)));
  return element('li', {}, element('p', {}, sentenceOf(change)), steps.length > 0 && element('ul', { class: 'change-steps' }, ...steps));
}

/** @param {Result | string} result @param {Group} group */
function createResult(result, group) {
  if (typeof result === 'string') return element('p', { class: 'change-result' }, result);
  const about = (/** @type {string} */ recordId) => group.changes.find((change) => change.recordId === recordId);
  const conflicts = result.conflicts.map(({ recordId, reason }) => {
    const change = about(recordId);
    return element('li', {}, change ? `${sentenceOf(change)}. ` : '', reason);
  });
  return element('div', { class: 'change-result' }, element('p', {}, summaryOf(result)), conflicts.length > 0 && element('ul', {}, ...conflicts));
}
