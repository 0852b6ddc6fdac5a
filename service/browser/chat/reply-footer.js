// The line below each reply: how the reply ended, when, and with which model; and the actions of the reply.

import { createActionBar } from './action-bar.js';
import { changesIn, undoTurn } from '../calls/turn-undo.js';
import { createCopyButton } from './copy-button.js';
import { element, icon, iconButton, isFocusLost, setOff } from '../shared/elements.js';
import { writesIn } from './message-actions.js';
import { markdownOf, plainTextOf } from './message-text.js';
import { canContinue, factsOf, summaryOf } from './turn-words.js';

/**
 * @typedef {import('./message-actions.js').Actions} Actions
 * @typedef {import('./message-actions.js').Place} Place
 * @typedef {import('./messages.js').Message} Message
 * @typedef {ReturnType<typeof import('./reply-changes.js').createReplyChanges>} ReplyChanges
 */

/** @param {HTMLElement} body of the reply @param {Actions} actions @param {ReplyChanges} changes */
export function createReplyFooter(body, actions, changes) {
  /** @type {Message | null} */
  let message = null;
  /** @type {Place | null} */
  let place = null;
  let undone = ''; // the id of the turn whose changes were undone
  const summary = element('button', { type: 'button', class: 'reply-summary', title: 'Details', 'aria-expanded': 'false', on: { click: () => panel.toggle(summary, facts) } });
  const copy = createCopyButton('copy', 'Copy', readText, actions.announce);
  const markdown = createCopyButton('markdown', 'Copy as Markdown', () => (message ? markdownOf(message) : ''), actions.announce);
  const again = iconButton('reload', 'Regenerate', () => regenerate());
  const other = iconButton('chevron', 'Regenerate with another model', () => panel.toggle(other, models), { 'aria-expanded': 'false' });
  const goOn = textButton('Continue', () => place?.isBusy || actions.goOn());
  const undo = textButton('Undo changes', undoChanges, icon('undo'));
  const buttons = [summary, goOn, undo, copy, markdown, again, other];
  const bar = createActionBar('Reply', buttons);
  const panel = createReplyPanel([summary, other]);
  const result = element('div', { class: 'reply-panel', hidden: true });
  const node = element('div', { class: 'reply-footer', on: { keydown: panel.press } }, bar.node, panel.node, result);

  function readText() {
    return [...body.querySelectorAll(':scope > .prose')].map(plainTextOf).join('\n\n');
  }

  function facts() {
    const rows = place?.turn ? factsOf(place.turn) : [];
    return element('dl', { class: 'facts' }, ...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))));
  }

  function models() {
    const choices = actions.models().map((id) => textButton(id, () => regenerate(id)));
    return element('div', { class: 'models', role: 'group', 'aria-label': 'Regenerate with' }, element('span', { class: 'hint' }, 'Regenerate with'), ...choices);
  }

  /** @param {string} [modelId] */
  async function regenerate(modelId) {
    if (!place || place.isBusy) return;
    const went = await actions.regenerate(place.questionId, place.later, modelId);
    if (!went) return;
    if (panel.node.contains(document.activeElement)) other.focus(); // the focused button is removed now
    panel.close();
  }

  async function undoChanges() {
    const turnId = place?.turn?.recordId;
    if (!turnId || !message || place?.isBusy) return;
    const outcome = await undoTurn(turnId, changesIn(writes()), actions.transport);
    if (outcome?.isOver) undone = turnId;
    if (outcome) showResult(outcome.lines);
  }

  /** @param {string[]} lines */
  function showResult(lines) {
    result.replaceChildren(...lines.map((line) => element('p', {}, line)));
    result.hidden = false;
    actions.announce(lines.join(' '));
    show();
    if (isFocusLost()) summary.focus();
  }

  /** Called when another reply to the same question takes the place of this one. */
  function forget() {
    panel.close();
    result.hidden = true;
  }

  function writes() {
    if (!message) return [];
    return place?.turn ? changes.of(place.turn.recordId, message.parts, show) : writesIn(message.parts);
  }

  function show() {
    if (!message || !place) return;
    const { turn, isLast, isBusy, questionId } = place;
    node.hidden = !place.isStored;
    summary.hidden = !turn;
    summary.textContent = turn ? summaryOf(turn) : '';
    goOn.hidden = !(turn && isLast && canContinue(turn));
    const hasWritten = writes().length > 0;
    undo.hidden = !turn || turn.data.undoneAt || undone === turn.recordId || !hasWritten;
    bar.node.classList.toggle('is-due', !turn && hasWritten); // the record of the turn arrives a moment later
    copy.hidden = markdown.hidden = !message.parts.some(({ kind }) => kind === 'text');
    again.hidden = !questionId;
    other.hidden = !questionId || !place.hasModels;
    for (const button of [goOn, undo, again, other]) setOff(button, isBusy);
    bar.update();
  }

  return {
    node,
    /** @param {Message} next @param {Place} at */
    update(next, at) {
      if (message && next.id !== message.id) forget();
      message = next;
      place = at;
      show();
    },
  };
}

/** The panel below a reply. One of several buttons opens it with its own content. @param {HTMLElement[]} openers the buttons */
function createReplyPanel(openers) {
  const node = element('div', { class: 'reply-panel', hidden: true });

  /** @returns {HTMLElement | undefined} the button that has opened the panel */
  function openerNow() {
    return openers.find((each) => each.getAttribute('aria-expanded') === 'true');
  }

  function close() {
    for (const each of openers) each.setAttribute('aria-expanded', 'false');
    node.hidden = true;
    node.replaceChildren();
  }

  return {
    node,
    close,
    /** @param {HTMLElement} button @param {() => Node} fill */
    toggle(button, fill) {
      const isOpen = openerNow() === button;
      close();
      if (isOpen) return;
      button.setAttribute('aria-expanded', 'true');
      node.hidden = false;
      node.append(fill());
      node.scrollIntoView({ block: 'nearest' });
    },
    /** Closes the panel on Escape. @param {KeyboardEvent} event */
    press(event) {
      const opener = openerNow();
      if (event.key !== 'Escape' || !opener) return;
      event.stopPropagation(); // one press of Escape closes only this panel
      close();
      opener.focus();
    },
  };
}

/** @param {string} label @param {() => void} act @param {Node} [drawing] */
function textButton(label, act, drawing) {
  return element('button', { type: 'button', class: 'quiet small', on: { click: act } }, drawing, label);
}
