// @ts-check
// What is half-written in the fields of a widget. It is kept as the widget's state, so that it outlives a reload and
// a canvas that is left. Whoever may read the canvas may read it: no field of it is for secrets.

import { printOf } from '../shared/print-of.js';
import { isObject } from './json-value.js';

/**
 * @typedef {Record<string, string>} Texts by name
 * @typedef {{key: string, at: number, user: string, print: string}} Pending a call that must not be made twice: when it
 *   began, in milliseconds, whose it is, and a print of its texts: another text is another call. The server knows a key
 *   of one user; '' where a page is not told who its user is
 * @typedef {ReturnType<typeof createDraft>} Draft
 */

const UNANSWERED = ['network', 'timeout', 'aborted', 'host_error']; // nobody knows whether such a call was made
const UNSEEN = 'No answer has come to what was sent. Press the button again: nothing is sent or paid twice.';
const KEY_LIFE = 23 * 3_600_000; // ms; the server knows an idempotency key for 24 hours

/**
 * @param {any} client
 * @param {import('./widget-panel.js').Panel} panel
 * @param {Record<string, any>} fields inputs, texts and choices, by the names under which they are kept
 */
export function createDraft(client, panel, fields) {
  const names = Object.keys(fields);
  const empty = read();
  /** Prints of what inputs have put into fields, by field. @type {Texts} */
  let filled = {};
  /** Prints of what came last, by input. @type {Texts} */
  let came = {};
  /** @type {Pending | null} */
  let pending = null;
  let last = { key: '', print: '' }; // of the last call: another try of it sends the same text, whatever stands in the fields
  let user = ''; // of this page
  let isTouched = false; // since the page was opened
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

  /** At once: a page that goes away can't do it any more. */
  function keep() {
    const values = Object.fromEntries(Object.entries(read()).filter(([name, value]) => value !== empty[name]));
    const draft = { values, filled, came, ...(pending && { pending }) };
    const isNothing = isEmpty() && Object.keys(came).length === 0; // what has come is known also when it was sent
    client.state.set(isNothing ? null : { draft }).catch((/** @type {Error} */ error) => panel.say(`What you type is not kept here. ${error.message}`));
  }

  /** @param {any} state of any form, as it is stored @param {(field: any, name: string) => boolean} isFree whether it may be replaced */
  function take(state, isFree) {
    const draft = isObject(state?.draft) ? state.draft : {};
    const values = { ...empty, ...textsOf(draft.values) };
    for (const name of names) if (isFree(fields[name], name)) write(name, values[name]);
    [filled, came] = [textsOf(draft.filled), textsOf(draft.came)];
    pending = pendingOf(draft.pending, printOf(JSON.stringify(values)));
  }

  /** @param {string} name @param {string} text */
  function write(name, text) {
    fields[name].value = text;
    if (fields[name].value === '' && text) fields[name].value = empty[name]; // a choice that is gone, a date that is none
  }

  /** @returns {Pending | null} the call of this page's user that the fields would make */
  function own() {
    return pending?.user === user && pending.print === printNow() ? pending : null;
  }

  function printNow() {
    return printOf(JSON.stringify(read()));
  }

  /** @param {string} key @returns {boolean} whether an earlier try of it has no known end */
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

  /** @returns {Promise<boolean>} whether there was a draft */
  async function restore() {
    const [state, { context }] = await Promise.all([client.state.get(), client.ready]); // asked for before anything is kept
    user = context.user ?? '';
    const begun = pending; // somebody was faster, and has sent it: another try must have its key
    take(state, (field, name) => field.value === empty[name]);
    if (begun) pending = { ...begun, user };
    if (isTouched) change(); // both parts are kept
    // Another page has written: what is being typed here stays.
    client.state.onChange((/** @type {any} */ state) => take(state, (field) => field !== document.activeElement || !document.hasFocus()));
    if (!begun && own()?.user) panel.say(UNSEEN);
    return !isEmpty();
  }

  const ready = restore().catch((error) => {
    panel.showProblem(error);
    return false;
  });

  return {
    /** Whether a draft was restored. Inputs are listened to from then on: they must not replace what was typed. */
    ready,
    keep,
    isEmpty,
    /** @param {string} name @returns {boolean} whether a person has written what is in the field */
    isTyped: (name) => fields[name].value !== empty[name] && printOf(fields[name].value) !== filled[name],
    /** @param {string} input @param {unknown} value @returns {boolean} false if it came before, such as again after a reload */
    isNews(input, value) {
      const print = printOf(JSON.stringify(value));
      if (came[input] === print) return false;
      came = { ...came, [input]: print };
      if (!isEmpty()) keep();
      return true;
    },
    /** Puts in what an input has brought. @param {string} name @param {string} text */
    fill(name, text) {
      fields[name].value = text;
      filled = { ...filled, [name]: printOf(fields[name].value) };
      change();
    },
    /** Empties the fields, except for what was typed after `sent` was read. @param {Texts} [sent] */
    clear(sent = read()) {
      for (const name of names) if (fields[name].value === sent[name]) fields[name].value = empty[name];
      pending = null;
      keep();
    },
    read,
    /** The key of a call of this user of which the page has not seen the end, for as long as nothing else is written. */
    get pendingKey() {
      return own()?.key;
    },
    /**
     * A call that must not be made twice: its key is kept until its end is known, or is known to stay unknown. A
     * refusal ends it only if no earlier try of it can have been made.
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

/** Whether a call may have been made, and may still go on. @param {any} error */
function isOpen(error) {
  return UNANSWERED.includes(error?.code) || error?.status >= 500 || (error?.code === 'conflict' && !isConflict(error));
}

/** Whether its key is of no more use. The server says when to ask again for a call that is under way. @param {any} error */
function isConflict(error) {
  return error?.code === 'conflict' && !(error.retryAfterMs > 0);
}

/** @param {unknown} value of any form @returns {Texts} */
function textsOf(value) {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string')) : {};
}

/** @param {any} value of any form @param {string} print of the texts beside it @returns {Pending | null} null if it is too old */
function pendingOf(value, print) {
  if (typeof value?.key !== 'string' || !value.key || typeof value.at !== 'number') return null;
  const age = Date.now() - value.at;
  if (!(age >= 0 && age < KEY_LIFE)) return null;
  const user = typeof value.user === 'string' ? value.user : '';
  return { key: value.key, at: value.at, user, print: typeof value.print === 'string' ? value.print : print };
}
