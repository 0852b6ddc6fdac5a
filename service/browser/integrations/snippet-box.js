// Shows the call in the form as code to copy.

import { copyOrSelect } from '../shared/copying.js';
import { element } from '../shared/elements.js';
import { storeIfPossible } from '../shared/site-data.js';
import { createChoiceBar } from '../page/choice-bar.js';
import { LANGUAGES } from './snippets.js';

const STORED = 'console.snippet-language';

/** @param {{storage: Storage, announce: (sentence: string) => void}} options */
export function createSnippetBox({ storage, announce }) {
  let language = LANGUAGES.find(({ name }) => name === storage.getItem(STORED)) ?? LANGUAGES[0];
  /** @type {import('./snippets.js').Call} */
  let call = { url: '', body: {} };
  const code = element('code', {});
  const pre = element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Code' }, code);
  const bar = createChoiceBar('Language', LANGUAGES.map(({ name }) => name), choose);
  const copyButton = element('button', { type: 'button', class: 'quiet', on: { click: copy } }, 'Copy');
  const head = element('div', { class: 'box-head' }, element('h4', {}, 'Code'), bar.node, copyButton);
  bar.press(language.name);

  /** @param {string} name */
  function choose(name) {
    language = LANGUAGES.find((each) => each.name === name) ?? language;
    storeIfPossible(storage, STORED, name);
    render();
  }

  function render() {
    code.textContent = language.write(call);
  }

  async function copy() {
    const isCopied = await copyOrSelect(code.textContent ?? '', code);
    announce(isCopied ? 'Copied' : 'Selected. Copy it with the keyboard.');
    copyButton.textContent = isCopied ? 'Copied' : 'Selected';
  }

  return {
    node: element('section', { class: 'box snippets' }, head, pre),
    /** @param {import('./snippets.js').Call} next */
    show(next) {
      call = next;
      copyButton.textContent = 'Copy';
      render();
    },
  };
}
