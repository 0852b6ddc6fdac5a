// The message input. Enter sends, Shift+Enter starts a new line, and every change is stored as a draft.

import { element, icon, iconButton } from '../shared/elements.js';

/** @typedef {ReturnType<typeof createComposer>} Composer */

const KEYS = 'Enter sends, Shift+Enter starts a new line';
const BUSY = 'You can send when the reply has ended';

/**
 * @param {object} options
 * @param {import('../page/drafts.js').Drafts} options.drafts
 * @param {HTMLElement} options.modelPicker
 * @param {(text: string) => void} options.onSend
 * @param {() => void} options.onStop
 * @param {() => string} options.lastMessage the text of the user's last message, or ''
 */
export function createComposer({ drafts, modelPicker, onSend, onStop, lastMessage }) {
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
    { class: 'primary stop', type: 'button', hidden: true, title: 'Stop (Escape)', on: { click: stop } },
    icon('stop'),
    'Stop',
  );
  const problem = element('div', { class: 'problem', role: 'alert' });
  const dismiss = iconButton('cross', 'Dismiss this error', () => showProblem(''));
  const hint = element('span', { class: 'hint', id: 'composer-hint' }, KEYS);
  const node = element(
    'form',
    { class: 'composer', on: { submit } },
    problem,
    element(
      'div',
      { class: 'composer-box' },
      box,
      element('div', { class: 'composer-bar' }, modelPicker, hint, stopButton, sendButton),
    ),
  );

  function onInput() {
    drafts.set(draft, box.value);
    fit();
  }

  /** Sets the height to that of the text, in browsers without `field-sizing`. */
  function fit() {
    if (CSS.supports('field-sizing', 'content')) return;
    box.style.height = 'auto';
    box.style.height = `${box.scrollHeight + 2}px`;
  }

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (event.key === 'ArrowUp' && !box.value && recall()) event.preventDefault();
    // While an input method composes text, Enter selects a candidate.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit(event);
  }

  /** Puts the last own message into the empty box, as a text for a new one. */
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

  function stop() {
    stopButton.disabled = true;
    box.focus();
    onStop();
  }

  /** @param {string} text */
  function setText(text) {
    box.value = text;
    onInput();
  }

  /** @param {string} text @param {boolean} [isExpected] whether it is no alarm */
  function showProblem(text, isExpected = false) {
    problem.classList.toggle('expected', isExpected);
    problem.replaceChildren(...(text ? [element('p', {}, text), dismiss] : []));
  }

  return {
    node,
    showProblem,
    stop,
    /** Whether a key that was pressed there is for the conversation. @param {EventTarget | null} target */
    owns: (target) => target === box,
    focus: () => box.focus(),
    /** @param {string} name of the draft to show */
    open(name) {
      draft = name;
      box.value = drafts.get(name);
      fit();
    },
    /** @param {string} name of the draft that the text is from now on, behind what it has already */
    rename(name) {
      drafts.set(draft, '');
      draft = name;
      setText([drafts.get(name), box.value].filter(Boolean).join('\n\n'));
    },
    /** @param {string} text that could not be sent, put before what was typed since, unless it stands there */
    putBack(text) {
      if (!`${box.value}\n\n`.startsWith(`${text}\n\n`)) setText([text, box.value].filter(Boolean).join('\n\n'));
    },
    /** @param {string} text put behind what was typed, for the user to go on */
    append(text) {
      setText([box.value.trimEnd(), text].filter(Boolean).join('\n'));
      box.focus();
    },
    /** @param {string} text to remove, unless it has been changed since; what was typed behind it stays */
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
      if (hadFocus) box.focus(); // a hidden button would lose the focus to the body
    },
  };
}
