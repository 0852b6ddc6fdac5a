// @ts-check
// Unfinished input in the fields of a widget. It is stored as the widget's state, so that it survives a reload and leaving
// the canvas. Everybody who may read the canvas can read it, so the fields must not contain secrets.

import { fingerprint } from '../shared/fingerprint.js';
import { isObject } from './json-value.js';

/**
 * @typedef {Record<string, string>} Texts by name
 * @typedef {{key: string, at: number, user: string, print: string}} Pending a call that must not be made twice: its
 *   idempotency key, the time of its beginning in milliseconds, its user, and a fingerprint of its texts, because another
 *   text is another call. The server knows the key only for this user. `user` is '' if the page does not know its user
 * @typedef {ReturnType<typeof createDraft>} Draft
 */

const UNANSWERED = ['network', 'timeout', 'aborted', 'host_error']; // it is not known whether such a call was made
const UNSEEN = 'No answer has come to what was sent. Press the button again: nothing is sent or paid twice.';
const KEY_LIFE = 23 * 3_600_000; // ms; the server knows an idempotency key for 24 hours

/**
 * @param {any} client
 * @param {import('./widget-panel.js').Panel} panel
 * @param {Record<string, any>} fields inputs, text areas and selects, by the names under which their values are stored
 */
export function createDraft(client, panel, fields) {
  const names = Object.keys(fields);
  const empty = read();
  /** Fingerprints of the texts that inputs have put into fields, by field. @type {Texts} */
  let filled = {};
  /** Fingerprints of the last received values, by input. @type {Texts} */
  let came = {};
  const call = createPendingCall(() => fingerprint(JSON.stringify(read())), keep);
  let isTouched = false; // whether a field was changed since the page was opened
  for (const name of names) fields[name].addEventListener('input', change);

  /** @returns {Texts} */
  function read() {
    return Object.fromEntries(names.map((name) => [name, fields[name].value]));
  }

  function isEmpty() {
    return names.every((name) => fields[name].value === empty[name]);
  }

  function change() {
    isTouched = true;
    keep();
  }

  /** Stores the draft at once, because a page that is being unloaded can't store it any more. */
  function keep() {
    const values = Object.fromEntries(Object.entries(read()).filter(([name, value]) => value !== empty[name]));
    const draft = { values, filled, came, ...(call.pending && { pending: call.pending }) };
    const isNothing = isEmpty() && Object.keys(came).length === 0; // the received values are stored even if the fields are empty
    client.state.set(isNothing ? null : { draft }).catch((/** @type {Error} */ error) => panel.say(`What you type is not kept here. ${error.message}`));
  }

  /** @param {any} state as stored; may have any form @param {(field: any, name: string) => boolean} isFree whether a field may be overwritten */
  function take(state, isFree) {
    const draft = isObject(state?.draft) ? state.draft : {};
    const values = { ...empty, ...textsOf(draft.values) };
    for (const name of names) if (isFree(fields[name], name)) write(name, values[name]);
    [filled, came] = [textsOf(draft.filled), textsOf(draft.came)];
    call.take(pendingOf(draft.pending, fingerprint(JSON.stringify(values))));
  }

  /** @param {string} name @param {string} text */
  function write(name, text) {
    fields[name].value = text;
    if (fields[name].value === '' && text) fields[name].value = empty[name]; // an option that no longer exists, or an invalid date
  }

  /** @returns {Promise<boolean>} whether there was a draft */
  async function restore() {
    const [state, { context }] = await Promise.all([client.state.get(), client.ready]); // requested before this page stores anything
    const begun = call.pending; // the user has already sent the texts: a retry must use the same key
    take(state, (field, name) => field.value === empty[name]);
    call.know(context.user ?? '', begun);
    if (isTouched) change(); // stores the restored texts and the new ones
    // Another page has changed the state: the field that is being edited here stays.
    client.state.onChange((/** @type {any} */ state) => take(state, (field) => field !== document.activeElement || !document.hasFocus()));
    if (!begun && call.own?.user) panel.say(UNSEEN);
    return !isEmpty();
  }

  const ready = restore().catch((error) => {
    panel.showProblem(error);
    return false;
  });

  return {
    /** Resolves to whether a draft was restored. Listen to inputs only after that, so that they don't replace the draft. */
    ready,
    keep,
    isEmpty,
    /** @param {string} name @returns {boolean} whether the user has typed the text in the field */
    isTyped: (name) => fields[name].value !== empty[name] && fingerprint(fields[name].value) !== filled[name],
    /** @param {string} input @param {unknown} value @returns {boolean} false if the same value came before, for example before a reload */
    isNews(input, value) {
      const print = fingerprint(JSON.stringify(value));
      if (came[input] === print) return false;
      came = { ...came, [input]: print };
      if (!isEmpty()) keep();
      return true;
    },
    /** Puts the value of an input into a field. @param {string} name @param {string} text */
    fill(name, text) {
      fields[name].value = text;
      filled = { ...filled, [name]: fingerprint(fields[name].value) };
      change();
    },
    /** Empties the fields, except those that were changed after `sent` was read. @param {Texts} [sent] */
    clear(sent = read()) {
      for (const name of names) if (fields[name].value === sent[name]) fields[name].value = empty[name];
      call.take(null);
      keep();
    },
    read,
    /** The key of this user's call whose outcome is not known, as long as the fields have the same texts. */
    get pendingKey() {
      return call.own?.key;
    },
    sending: call.sending,
  };
}

/**
 * The call of a draft that must not be made twice, from its first try until its outcome is known.
 * @param {() => string} printNow a fingerprint of the texts in the fields @param {() => void} keep stores the draft
 */
function createPendingCall(printNow, keep) {
  /** @type {Pending | null} */
  let pending = null;
  let last = { key: '', print: '' }; // of the last call: a retry sends the same text, even if the fields have changed
  let user = ''; // the user of this page

  /** @param {string} key @returns {boolean} whether the outcome of an earlier try is not known */
  function begin(key) {
    const isAgain = pending?.key === key;
    if (last.key !== key) last = { key, print: printNow() };
    if (!isAgain) pending = { key, at: Date.now(), user, print: last.print };
    keep();
    return isAgain;
  }

  /** @param {string} key */
  function end(key) {
    if (pending?.key !== key) return;
    pending = null;
    keep();
  }

  return {
    get pending() {
      return pending;
    },
    /** The pending call of this page's user, if the fields still have its texts. */
    get own() {
      return pending?.user === user && pending.print === printNow() ? pending : null;
    },
    /** @param {Pending | null} stored */
    take: (stored) => void (pending = stored),
    /** @param {string} name of the user of this page @param {Pending | null} begun the call that was begun before the user was known */
    know(name, begun) {
      user = name;
      if (begun) pending = { ...begun, user };
    },
    /**
     * Runs a call that must not be made twice. Its key is stored until its outcome is known, or will never be known. A
     * refusal removes the key only if no earlier try can have been carried out.
     * @template T
     * @param {import('./widget-panel.js').CallOptions} options @param {(options: any) => Promise<T>} act
     */
    async sending(options, act) {
      const key = options.idempotencyKey ?? '';
      const isAgain = begin(key);
      try {
        const answer = await act(options);
        end(key);
        return answer;
      } catch (error) {
        if (isConflict(error) || !(isAgain || isOpen(error))) end(key);
        throw error;
      }
    },
  };
}

/** Whether a call may have been carried out, or may still run. @param {any} error */
function isOpen(error) {
  return UNANSWERED.includes(error?.code) || error?.status >= 500 || (error?.code === 'conflict' && !isConflict(error));
}

/** Whether the key is of no more use. For a call that still runs, the server says when to try again. @param {any} error */
function isConflict(error) {
  return error?.code === 'conflict' && !(error.retryAfterMs > 0);
}

/** @param {unknown} value which may have any form @returns {Texts} */
function textsOf(value) {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string')) : {};
}

/** @param {any} value which may have any form @param {string} print of the stored texts @returns {Pending | null} null if the call is too old */
function pendingOf(value, print) {
  if (typeof value?.key !== 'string' || !value.key || typeof value.at !== 'number') return null;
  const age = Date.now() - value.at; // negative if the clock of the other computer is ahead
  if (!(Math.abs(age) < KEY_LIFE)) return null;
  const user = typeof value.user === 'string' ? value.user : '';
  return { key: value.key, at: value.at, user, print: typeof value.print === 'string' ? value.print : print };
}
