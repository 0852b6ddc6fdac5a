// Where a message is written. Enter sends, Shift+Enter is a new line, and a draft is never lost.

import { element, icon, iconButton } from './elements.js';

/**
 * @param {object} options
 * @param {import('./drafts.js').Drafts} options.drafts
 * @param {HTMLElement} options.modelPicker
 * @param {(text: string) => void} options.onSend
 * @param {() => void} options.onStop
 */
export function createComposer({ drafts, modelPicker, onSend, onStop }) {
  let draft = 'new';
  let busy = false;
  const box = element('textarea', {
    id: 'composer-text',
    rows: '1',
    placeholder: 'Ask something',
    'aria-label': 'Message',
    'aria-describedby': 'composer-hint',
    maxlength: '100000',
    on: { input: typed, keydown: pressed },
  });
  const sendButton = element('button', { class: 'primary', type: 'submit' }, icon('send'), 'Send');
  const stopButton = element(
    'button',
    { class: 'primary stop', type: 'button', hidden: true, on: { click: stop } },
    icon('stop'),
    'Stop',
  );
  const problem = element('div', { class: 'problem', role: 'alert' });
  const dismiss = iconButton('cross', 'Dismiss this error', () => showProblem(''));
  const hint = element('span', { class: 'hint', id: 'composer-hint' }, 'Enter sends, Shift+Enter starts a new line');
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

  function typed() {
    drafts.set(draft, box.value);
    fit();
  }

  /** Browsers without `field-sizing` need to be told how high the text is. */
  function fit() {
    if (CSS.supports('field-sizing', 'content')) return;
    box.style.height = 'auto';
    box.style.height = `${box.scrollHeight + 2}px`;
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    // While an input method composes, Enter chooses a word.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit(event);
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const text = box.value.trim();
    if (!text || busy) return;
    write('');
    showProblem('');
    onSend(text);
  }

  function stop() {
    stopButton.disabled = true;
    box.focus();
    onStop();
  }

  /** @param {string} text */
  function write(text) {
    box.value = text;
    typed();
  }

  /** @param {string} text */
  function showProblem(text) {
    problem.replaceChildren(...(text ? [element('p', {}, text), dismiss] : []));
  }

  return {
    node,
    showProblem,
    focus: () => box.focus(),
    /** @param {string} name whose draft is shown from now on */
    open(name) {
      draft = name;
      box.value = drafts.get(name);
      fit();
    },
    /** @param {string} text what could not be sent comes before what was typed since */
    putBack(text) {
      write([text, box.value].filter(Boolean).join('\n\n'));
    },
    /** @param {string} text unless something else has been typed since */
    takeOut(text) {
      if (box.value === text) write('');
    },
    /** @param {boolean} now @param {boolean} stopping */
    setBusy(now, stopping) {
      busy = now;
      const held = document.activeElement === stopButton || document.activeElement === sendButton;
      sendButton.hidden = now;
      stopButton.hidden = !now;
      stopButton.disabled = stopping;
      if (held) box.focus(); // never to the body
    },
  };
}
