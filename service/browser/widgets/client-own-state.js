// The stored state of a standalone widget: in the tab, for one user.
//
// The page knows its user only after its first request for a token. A state that is stored before belongs to nobody, and
// becomes the state of the user who then signs in.

import { createListeners } from '../shared/listeners.js';
import { subjectOf } from '../shared/token-claims.js';

/**
 * @param {object} options
 * @param {Storage} options.storage for the session of the page
 * @param {string} options.place of this widget in the storage
 * @param {() => Promise<string | null> | string | null} options.getToken
 */
export function createOwnState({ storage, place, getToken }) {
  const nobodys = `widget-state:${place}`;
  const prefix = `${nobodys}:`;
  const changes = createListeners();
  let user = ''; // '' until it is known

  const key = () => (user ? prefix + user : nobodys);
  const read = () => JSON.parse(storage.getItem(key()) ?? 'null');

  /** Returns the token for a request, and changes to the state of its user. */
  async function token() {
    const given = await getToken();
    const next = subjectOf(given);
    if (!next || next === user) return given;
    const isAnother = user !== '';
    const begun = storage.getItem(nobodys);
    user = next;
    if (isAnother) changes.notify();
    else if (begun !== null) adopt(begun);
    return given;
  }

  /** @param {string} begun stored before the sign-in */
  function adopt(begun) {
    storage.removeItem(nobodys);
    storage.setItem(key(), begun);
  }

  return {
    token,

    /** If only users have a state here, this asks for the token. What is stored meanwhile does not change the answer. */
    async get() {
      const stored = Object.keys(storage).filter((one) => one.startsWith(prefix));
      if (user || storage.getItem(nobodys) !== null || !stored.length) return read();
      const states = new Map(stored.map((one) => [one, storage.getItem(one)]));
      await token();
      return JSON.parse(states.get(key()) ?? 'null');
    },

    /** @param {any} value JSON */
    set: async (value) => storage.setItem(key(), JSON.stringify(value)),

    /** @param {(value: any) => void} listener called when another user has signed in */
    onChange: (listener) => changes.add(() => listener(read())),
  };
}
