// One notice for the whole page: the server can't be reached, or live updates are off.

import { element } from '../shared/elements.js';

/** @typedef {'none' | 'offline' | 'not-live'} Outage */

const WORDS = {
  none: ['', ''],
  offline: ['The server can’t be reached.', 'What you see may be out of date. The page keeps trying to connect.'],
  'not-live': ['Live updates are off.', 'Lists reload after each reply.'],
};

/** @param {{retry: () => void, leave: () => void}} options `leave` moves the focus away when the notice ends while its button has the focus */
export function createOutageNotice({ retry, leave }) {
  const text = element('span', {});
  const more = element('span', { class: 'more' });
  const button = element('button', { type: 'button', class: 'quiet', on: { click: retry } }, 'Try now');
  /** @type {Outage} */
  let shown = 'none';
  const node = element('p', { class: 'notice', role: 'status', hidden: true }, text, more, button);
  return {
    node,
    /** @param {Outage} outage */
    show(outage) {
      if (outage === shown) return; // screen readers read out each change of the text
      shown = outage;
      [text.textContent, more.textContent] = WORDS[outage];
      button.textContent = outage === 'offline' ? 'Try now' : 'Reload lists';
      const hadFocus = document.activeElement === button;
      node.hidden = outage === 'none';
      if (node.hidden && hadFocus) leave();
    },
  };
}
