// A block of code: its language, a button that copies it, and its text. The text is highlighted as soon as
// the module for highlighting is loaded.

import { languageOf } from './code-languages.js';
import { copyOrSelect } from './copying.js';
import { element } from './elements.js';

/** @typedef {import('./code-painter.js').Painter} Painter */

const SHOWN = 2000; // ms for which the button shows "Copied" or "Selected"
const COPIED = 'Copied';
const SELECTED = 'Selected';

/** @param {string} name of the language, as the reply writes it; may be empty */
export function createCodeBlock(name) {
  const language = languageOf(name);
  const label = language?.label ?? name;
  const title = label ? `${label} code` : 'Code';
  let source = '';
  const text = document.createTextNode('');
  const code = element('code', {}, text);
  // A scrollable box must be reachable by keyboard.
  const box = { tabindex: '0', role: 'group', 'aria-label': title };
  const copy = createCopyButton(() => source, code);
  const head = element('div', { class: 'code-head' }, element('span', { class: 'code-language' }, label || title), copy);
  const node = element('div', { class: 'code-block', dir: 'ltr' }, head, element('pre', box, code));
  /** @type {Painter | null} */
  let painter = null;
  if (language) {
    loadPainter().then((create) => {
      code.replaceChildren();
      painter = create(code, language.grammar);
      painter.paint(source);
    }, () => {}); // without highlighting, the code can still be read
  }
  return {
    node,
    /** @param {string} next */
    update(next) {
      if (next === source) return;
      if (painter) painter.paint(next);
      else if (next.startsWith(source)) text.appendData(next.slice(source.length));
      else text.data = next;
      source = next;
    },
  };
}

/** @type {Promise<(code: any, grammar: string) => Painter> | null} */
let loading = null;

/** @returns {Promise<(code: any, grammar: string) => Painter>} loads once, and again after a failure */
function loadPainter() {
  loading ??= import('./code-painter.js').then((module) => module.createPainter);
  loading.catch(() => (loading = null));
  return loading;
}

/** @param {() => string} source @param {any} code */
function createCopyButton(source, code) {
  const button = element('button', { type: 'button', class: 'copy-code' }, 'Copy');
  announcer();
  let timer = 0;
  /** @param {string} word */
  function say(word) {
    button.textContent = word;
    announcer().textContent = word === COPIED ? 'Copied.' : 'The code is selected. Copy it with the keyboard.';
    clearTimeout(timer);
    timer = setTimeout(() => (button.textContent = 'Copy'), SHOWN);
  }
  button.addEventListener('click', async () => say((await copyOrSelect(source(), code)) ? COPIED : SELECTED));
  return button;
}

/** @type {HTMLElement | null} */
let region = null;

/** The live region of all code blocks on the page. It must be in the document before it gets a text. */
function announcer() {
  const node = (region ??= /** @type {HTMLElement} */ (element('p', { class: 'visually-hidden', 'aria-live': 'polite' })));
  if (!node.isConnected) document.body.append(node);
  return node;
}
