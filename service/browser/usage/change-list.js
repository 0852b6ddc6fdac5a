// The changes that the assistant has made for the user, grouped by reply, with an Undo button for each reply.
// @ts-check

import { arrangeOnly, element, isFocusLost } from '../shared/elements.js';
import { moment } from '../shared/time-format.js';
import { changesIn, undoTurn, writesOf } from '../calls/turn-undo.js';
import { canBeUndone, countInWords, groupsOf, sentenceOf, stepsOf } from './change-words.js';
import { createPagedEntries } from './paged-entries.js';
import { createProblem } from './usage-problem.js';

/** @typedef {import('./change-words.js').Change} Change */
/** @typedef {import('./change-words.js').Group} Group */
/** @typedef {import('../calls/turn-undo.js').UndoOutcome} UndoOutcome */

const PARTIAL = 'It may have changed more records than are listed here.';
const EMPTY = 'The assistant has changed nothing for you in the last 30 days.';

/** @param {import('../page/view.js').ViewContext} context */
export function createChangeList({ transport, announce }) {
  /** @type {import('./paged-entries.js').PagedEntries<Change>} */
  const changes = createPagedEntries({
    read: (page) => transport.get('/api/ai/journal', page),
    onRead() {
      problem.clear();
      render();
    },
    onProblem(error) {
      problem.unread(error);
      render();
    },
  });
  /** @type {Map<string, UndoOutcome>} by turn: the outcome of undoing its changes */
  const outcomes = new Map();
  /** @type {Map<string, {node: HTMLElement, key: string}>} by turn */
  const shown = new Map();
  const problem = createProblem(changes.refresh);
  const list = element('div', { class: 'change-groups' });
  const empty = element('p', { class: 'usage-empty' });
  const more = element('button', { type: 'button', class: 'quiet usage-more', hidden: true, on: { click: readMore } }, 'Show older changes');
  const lead = element('p', { class: 'hint' }, 'What the assistant did with your records. Each reply can be undone once; calls of endpoints can’t.');
  const node = element('div', { class: 'usage-part' }, element('div', { class: 'usage-bar' }, lead), problem.node, list, empty, more);

  /** Loads the next page. If the button is then hidden, the focus moves to the first new group. */
  async function readMore() {
    const before = list.childElementCount;
    await changes.more();
    if (more.hidden && isFocusLost()) headings()[Math.min(before, list.childElementCount - 1)]?.focus();
  }

  function headings() {
    return /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('h3'));
  }

  function render() {
    const groups = groupsOf(changes.list);
    arrangeOnly(list, groups.map(nodeOf));
    empty.textContent = changes.loaded ? EMPTY : 'Loading…';
    empty.hidden = groups.length > 0 || (problem.isOpen && !changes.loaded);
    more.hidden = !changes.hasMore;
  }

  /** @param {Group} group @returns {HTMLElement} the same node until something in it changes, so that its button keeps the focus */
  function nodeOf(group) {
    const outcome = outcomes.get(group.turnId);
    const key = JSON.stringify([group, outcome]);
    const known = shown.get(group.turnId);
    if (known?.key === key) return known.node;
    const node = createGroup(group, outcome, undo);
    shown.set(group.turnId, { node, key });
    if (known) known.node.replaceWith(node);
    return node;
  }

  /** @param {Group} group */
  async function undo({ turnId, changes: listed }) {
    const isCut = changes.hasMore && turnId === changes.list.at(-1)?.turnId; // the next page may have more changes of this reply
    const text = changesIn(writesOf(listed));
    const outcome = await undoTurn(turnId, isCut ? `${text} ${PARTIAL}` : text, transport);
    if (!outcome) return;
    outcomes.set(turnId, outcome);
    announce(outcome.lines.join(' '));
    await changes.refresh();
    const heading = /** @type {HTMLElement | null} */ (list.querySelector(`[data-turn="${CSS.escape(turnId)}"] h3`));
    if (isFocusLost()) heading?.focus();
  }

  return { node, refresh: changes.refresh, stop: () => {} };
}

/** @param {Group} group @param {UndoOutcome | undefined} outcome @param {(group: Group) => void} undo */
function createGroup(group, outcome, undo) {
  const name = moment(group.createdAt);
  const button = element('button', { type: 'button', class: 'quiet', 'aria-label': `Undo the changes of ${name}`, on: { click: () => undo(group) } }, 'Undo');
  const mark = group.undone ? element('span', { class: 'outcome', data: { tone: 'plain' } }, 'Undone') : canBeUndone(group) && button;
  const head = element('div', { class: 'usage-box-head' }, element('h3', { tabindex: '-1' }, element('time', { datetime: group.createdAt }, name)), element('span', { class: 'hint' }, countInWords(group.changes)), mark);
  return element('article', { class: 'usage-box', data: { turn: group.turnId } }, head, element('ul', { class: 'change-rows' }, ...group.changes.map(createChange)), outcome && createOutcome(outcome, group));
}

/** @param {Change} change */
function createChange(change) {
  const steps = stepsOf(change).map(({ name, before, after }) =>
    element('li', {}, `${name}: `, before !== null && element('del', {}, before), before !== null && ' → ', element('ins', {}, after)));
  return element('li', {}, element('p', {}, sentenceOf(change)), steps.length > 0 && element('ul', { class: 'change-steps' }, ...steps));
}

/** @param {UndoOutcome} outcome @param {Group} group */
function createOutcome({ lines: [first], conflicts }, group) {
  const about = (/** @type {string} */ recordId) => group.changes.find((change) => change.recordId === recordId);
  const left = conflicts.map(({ recordId, reason }) => {
    const change = about(recordId);
    return element('li', {}, change ? `${sentenceOf(change)}. ` : '', reason);
  });
  const [head, list] = left.length ? [element('p', {}, 'Left as before:'), element('ul', {}, ...left)] : [];
  return element('div', { class: 'change-result' }, element('p', {}, first), head, list);
}
