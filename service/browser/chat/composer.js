// The message input. Enter sends the message, Shift+Enter starts a new line, and every change is stored as a draft.

import { element, fitHeight, icon, iconButton, isFocusLost, mayFocusFields, watchDoubleClicks } from '../shared/elements.js';
import { isComposing } from '../shared/typing.js';

/** @typedef {ReturnType<typeof createComposer>} Composer */

const KEYS = 'Shift+Enter for a new line';
const BUSY = 'You can send when the reply has ended';

/**
 * @param {object} options
 * @param {import('../page/drafts.js').Drafts} options.drafts
 * @param {HTMLElement} options.modelPicker
 * @param {(text: string) => void} options.onSend
 * @param {() => void} options.onStop
 * @param {() => void} options.onDismiss called when the user has dismissed the problem
 * @param {() => string} options.lastMessage the text of the user's last message, or ''
 * @param {() => void} options.leave moves the focus to the conversation
 */
export function createComposer({ drafts, modelPicker, onSend, onStop, onDismiss, lastMessage, leave }) {
  let draft = 'new';
  let busy = false;
  const box = element('textarea', {
    id: 'composer-text',
    rows: '1',
    placeholder: 'Ask something',
    'aria-label': 'Message',
    'aria-describedby': 'composer-hint',
    maxlength: '100000',
    on: { input: onInput, keydown: onKeyDown },
  });
  const sendButton = element('button', { class: 'primary', type: 'submit' }, icon('send'), 'Send');
  const stopButton = element(
    'button',
    { class: 'primary stop', type: 'button', hidden: true, title: 'Stop (Escape)', on: { click: pressStop } },
    icon('stop'),
    'Stop',
  );
  const problem = element('div', { class: 'problem', role: 'alert' });
  const dismiss = iconButton('cross', 'Dismiss this error', dismissProblem);
  const hint = element('span', { class: 'hint', id: 'composer-hint' }, KEYS);
  const bar = element('div', { class: 'composer-bar', on: { mousedown: keepFocus } }, modelPicker, hint, stopButton, sendButton);
  const node = element('form', { class: 'composer', on: { submit } }, problem, element('div', { class: 'composer-box' }, box, bar));

  const isSecondPress = watchDoubleClicks(node);

  function onInput() {
    drafts.set(draft, box.value);
    fitHeight(box);
  }

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (event.key === 'ArrowUp' && !box.value && recall()) event.preventDefault();
    // Enter in an input method selects a candidate.
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    submit(event);
  }

  /** Puts the user's last message into the empty box, as the text of a new message. */
  function recall() {
    const text = lastMessage();
    if (text) setText(text);
    return Boolean(text);
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const text = box.value.trim();
    if (!text || busy) return;
    setText('');
    showProblem('');
    onSend(text);
  }

  /**
   * Leaves the focus where it is. The second press of a double click on Send may be on the bar, because the Stop button
   * in its place takes no presses while it is off. @param {MouseEvent} event
   */
  function keepFocus(event) {
    if (event.target === bar) event.preventDefault();
  }

  function pressStop() {
    if (!isSecondPress()) stop(); // the first press was for Send, in the same place
  }

  function stop() {
    stopButton.disabled = true;
    if (mayFocusFields()) box.focus();
    else if (document.activeElement !== box) leave();
    onStop();
  }

  /** @param {string} text */
  function setText(text) {
    box.value = text;
    onInput();
  }

  /** @param {string} text @param {boolean} [isExpected] whether the user has caused it, so that it is not shown as an error */
  function showProblem(text, isExpected = false) {
    problem.classList.toggle('expected', isExpected);
    problem.replaceChildren(...(text ? [element('p', {}, text), dismiss] : []));
  }

  function dismissProblem() {
    showProblem('');
    onDismiss();
    if (isFocusLost() && mayFocusFields()) box.focus();
  }

  return {
    node,
    showProblem,
    stop,
    /** Whether a key press there belongs to the conversation. @param {EventTarget | null} target */
    owns: (target) => target === box,
    focus: () => box.focus(),
    /** @param {string} name of the draft to show */
    open(name) {
      draft = name;
      box.value = drafts.get(name);
      fitHeight(box);
    },
    /** Stores the text under another draft from now on, after the text that this draft has already. @param {string} name */
    rename(name) {
      drafts.set(draft, '');
      draft = name;
      setText([drafts.get(name), box.value].filter(Boolean).join('\n\n'));
    },
    /** Puts a text that could not be sent before the text in the box, unless it is there already. @param {string} text */
    putBack(text) {
      if (!`${box.value}\n\n`.startsWith(`${text}\n\n`)) setText([text, box.value].filter(Boolean).join('\n\n'));
    },
    /** Adds a text after the text in the box, for the user to continue. @param {string} text */
    append(text) {
      setText([box.value.trimEnd(), text].filter(Boolean).join('\n'));
      box.focus();
    },
    /** Removes a text from the box, unless the user has changed it. Text after it stays. @param {string} text */
    takeOut(text) {
      if (box.value === text) setText('');
      else if (box.value.startsWith(`${text}\n\n`)) setText(box.value.slice(text.length + 2));
    },
    /** @param {boolean} now @param {boolean} stopping */
    setBusy(now, stopping) {
      busy = now;
      const hadFocus = document.activeElement === stopButton || document.activeElement === sendButton;
      sendButton.hidden = now;
      stopButton.hidden = !now;
      stopButton.disabled = stopping;
      const keys = now ? BUSY : KEYS;
      if (hint.textContent !== keys) hint.textContent = keys; // this runs in each frame of a reply
      if (hadFocus) box.focus(); // when a button is hidden, the body would get its focus
    },
  };
}
