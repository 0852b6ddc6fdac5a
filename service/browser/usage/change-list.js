// The changes that the assistant has made for the user, grouped by reply, with an Undo button for each reply.
// @ts-check

import { element, isFocusLost } from '../shared/elements.js';
import { moment } from '../shared/time-format.js';
import { changesIn, undoTurn, writesOf } from '../calls/turn-undo.js';
import { canBeUndone, countInWords, groupsOf, sentenceOf, stepsOf } from './change-words.js';
import { createProblem } from './usage-problem.js';

/** @typedef {import('./change-words.js').Change} Change */
/** @typedef {import('./change-words.js').Group} Group */
/** @typedef {import('../calls/turn-undo.js').UndoOutcome} UndoOutcome */

const PAGE = 50;
const PARTIAL = 'It may have changed more records than are listed here.';
const EMPTY = 'The assistant has changed nothing for you in the last 30 days.';

/** @param {import('../page/view.js').ViewContext} context */
export function createChangeList({ transport, announce }) {
  /** @type {Change[]} */
  let changes = [];
  /** @type {Map<string, UndoOutcome>} by turn: the outcome of undoing its changes */
  const outcomes = new Map();
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
    list.replaceChildren(...groupsOf(changes).map((group) => createGroup(group, outcomes.get(group.turnId), undo)));
    empty.textContent = loaded ? EMPTY : 'Loading…';
    empty.hidden = changes.length > 0 || (problem.isOpen && !loaded);
    more.hidden = cursor === null;
  }

  /** @param {Group} group */
  async function undo({ turnId, changes: listed }) {
    const isCut = cursor !== null && turnId === changes.at(-1)?.turnId; // the next page may have more changes of this reply
    const text = changesIn(writesOf(listed));
    const outcome = await undoTurn(turnId, isCut ? `${text} ${PARTIAL}` : text, transport);
    if (!outcome) return;
    outcomes.set(turnId, outcome);
    announce(outcome.lines.join(' '));
    await read(null);
    const heading = /** @type {HTMLElement | null} */ (list.querySelector(`[data-turn="${CSS.escape(turnId)}"] h3`));
    if (isFocusLost()) heading?.focus();
  }

  return { node, refresh: () => read(null), stop: () => {} };
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
