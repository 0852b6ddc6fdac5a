// A canvas record in one tab: changes are shown at once, stored soon after, and merged with the changes of others.

import { ApiError, NetworkError, errorText } from '../shared/errors.js';
import { createListeners } from '../shared/listeners.js';
import { isConflict, isSameAnswer, isTemporary, waitAfter } from './canvas-failures.js';
import { apply } from './canvas-state.js';
import { changesOf, versionsOf, withRecord, withStored, withUnanswered } from './canvas-versions.js';

/**
 * @typedef {import('./canvas-versions.js').Row} Row
 * @typedef {import('./canvas-versions.js').Versions} Versions
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').Operation} Operation
 * @typedef {'loading' | 'saved' | 'unsaved' | 'saving' | 'offline' | 'failed' | 'gone'} Phase
 *   `offline`: storing failed and is tried again automatically; `failed`: the server refuses the canvas, and `problem`
 *   says why; `gone`: the record was deleted
 * @typedef {object} Options
 * @property {string} recordId
 * @property {Pick<import('../shared/api-transport.js').Transport, 'get' | 'patch'>} transport
 * @property {Pick<import('../shared/live-collection.js').LiveCollection, 'rows' | 'isCut' | 'onChange' | 'put'>} [collection]
 *   the collection of canvases, which reports the changes of others
 * @property {Pick<import('../shared/records-socket.js').RecordsSocket, 'phase' | 'onPhase'>} [socket]
 *   when it opens, a wait ends
 * @property {{get: (name: string) => string, set: (name: string, text: string) => void}} [drafts]
 *   of this tab, which keep unsaved changes during a reload
 * @property {EventTarget} [page] tells when the page is left, by the event `pagehide`
 * @property {(act: () => void, ms: number) => () => void} [schedule] returns a function that cancels the call
 * @property {(error: unknown, sent: Canvas) => string} [refusalText] says to the user why a canvas is not stored
 * @typedef {ReturnType<typeof createCanvasStore>} CanvasStore
 */

const SAVE_DELAY = 200; // ms: short enough that others see a drag, and not every move is a request
// The page itself says that the server can't be reached.
const UNSAVED = 'Your changes are kept in this tab. They are stored as soon as the server is back.';
const UNREAD = 'This canvas is not loaded yet.';

/** @param {Options} options */
export function createCanvasStore(options) {
  const { recordId, transport, collection, socket, drafts, page = globalThis.window, schedule = setTimer, refusalText = errorText } = options;
  const listeners = createListeners();
  const path = `/api/records/canvases/${encodeURIComponent(recordId)}`;
  const draft = `canvas:${recordId}`;
  /** @type {Versions | null} null until the record is read */
  let versions = JSON.parse(drafts?.get(draft) || 'null');
  /** @type {Phase} */
  let phase = versions ? 'unsaved' : 'loading';
  let problem = '';
  let failures = 0; // successive failures
  /** @type {unknown} */
  let failure = null; // the last temporary one
  let busy = false; // whether a request is running; changes reported meanwhile are read after it
  let last = Promise.resolve(); // the last attempt
  let stopped = false;
  /** @type {Canvas | null} the canvas that the server has just refused */
  let refused = null;
  let listed = false; // whether the collection has had the record
  let doubted = false; // whether the record may have been deleted
  /** @type {(() => void) | null} */
  let cancelTimer = null;

  /** @param {Phase} next @param {string} [text] */
  function show(next, text = '') {
    [phase, problem] = [next, text];
    keepDraft();
    listeners.notify();
  }

  function keepDraft() {
    const changed = versions !== null && changesOf(versions) !== null;
    drafts?.set(draft, changed && phase !== 'gone' ? JSON.stringify(versions) : '');
  }

  /** @param {number} ms until the next attempt, unless one is due already */
  function later(ms) {
    if (stopped) return;
    cancelTimer ??= schedule(() => {
      cancelTimer = null;
      synchronize();
    }, ms);
  }

  /** Reads the record if it is not known, else stores unsaved changes. It never throws. */
  function synchronize() {
    if (busy) keepDraft(); // keeps the changes that were made since the request was sent
    else if (!stopped && phase !== 'gone') last = attempt();
    return last;
  }

  async function attempt() {
    busy = true;
    refused = null;
    try {
      if (versions === null || doubted) await read();
      // Each conflict means that another tab has stored something, so the loop ends.
      while (versions !== null && !(await save(versions)));
      failures = 0;
      showProgress();
    } catch (error) {
      fail(error);
    } finally {
      busy = false;
    }
    readCollection();
  }

  function showProgress() {
    const rest = versions !== null && changesOf(versions) !== null;
    show(rest ? 'unsaved' : 'saved');
    if (rest) later(SAVE_DELAY);
  }

  async function read() {
    accept(await transport.get(path));
    doubted = false;
  }

  /** @param {Row} record */
  function accept(record) {
    versions = versions ? withRecord(versions, record) : versionsOf(record);
  }

  /** @param {Versions} before @returns {Promise<boolean>} false if others have stored a change in between */
  async function save(before) {
    const changes = changesOf(before);
    if (!changes) return true;
    show('saving', problem); // a retry that fails again changes nothing
    try {
      const record = await transport.patch(path, changes, { 'If-Match': before.version });
      versions = withStored(/** @type {Versions} */ (versions), record, before.mine);
      collection?.put(record);
      return true;
    } catch (error) {
      if (isTemporary(error)) versions = withUnanswered(/** @type {Versions} */ (versions), before.mine);
      if (!isConflict(error)) {
        refused = before.mine;
        throw error;
      }
      await read();
      if (versions?.version === before.version) throw error; // there is no newer record that explains the conflict
      return false;
    }
  }

  /** @param {unknown} error */
  function fail(error) {
    if (error instanceof ApiError && error.status === 404) return show('gone', errorText(error));
    if (!isTemporary(error)) return show('failed', refused ? refusalText(error, refused) : errorText(error));
    failures += 1;
    const away = versions ? UNSAVED : UNREAD;
    const isShown = problem !== '' && isSameAnswer(error, failure);
    failure = error;
    const text = error instanceof NetworkError ? away : errorText(error);
    show('offline', isShown ? problem : text); // a screen reader would read out the id of each request
    return later(waitAfter(error, failures));
  }

  /** Takes over the changes that others have stored. */
  function readCollection() {
    if (busy || stopped || phase === 'gone') return;
    const row = collection?.rows[recordId];
    if (!row && listed) return leaveList();
    if (!row) return;
    listed = true;
    const before = versions;
    accept(row);
    if (versions === before) return;
    if (phase === 'offline' || phase === 'failed') show(phase, problem); // only a request ends these phases
    else showProgress();
  }

  /** The record has left the collection: it was deleted, or the collection has only the newest of very many canvases. */
  function leaveList() {
    if (!collection?.isCut) return show('gone', 'This canvas was deleted.');
    [listed, doubted] = [false, true];
    return void synchronize();
  }

  /** Ends a wait and tries now. */
  function retry() {
    cancelTimer?.();
    cancelTimer = null;
    return synchronize();
  }

  page?.addEventListener('pagehide', keepDraft); // with the changes since the last time, which are not kept one by one
  const removers = [
    collection?.onChange(readCollection),
    socket?.onPhase(() => void (socket.phase === 'open' && retry())),
    () => page?.removeEventListener('pagehide', keepDraft),
  ];
  readCollection();
  if (versions === null || changesOf(versions)) synchronize();

  return {
    /** @returns {Canvas | null} with the unsaved changes of this tab; null until the record is read */
    get canvas() {
      return versions && versions.mine;
    },
    get phase() {
      return phase;
    },
    /** The error text for the user; '' for none. */
    get problem() {
      return problem;
    },
    onChange: listeners.add,
    retry,

    /** @param {Operation} operation @returns {boolean} whether it had an effect */
    perform(operation) {
      if (!versions || phase === 'gone') return false;
      const mine = apply(versions.mine, operation);
      if (mine === versions.mine) return false;
      versions = { ...versions, mine };
      if (phase === 'saved' || phase === 'failed') show('unsaved');
      else if (phase === 'offline') keepDraft();
      later(SAVE_DELAY);
      listeners.notify();
      return true;
    },

    /** Discards the unsaved changes, after the server has refused them. */
    discard() {
      if (!versions) return;
      versions = { ...versions, mine: versions.base, sent: null };
      show('saved');
    },

    /** Tries once to store the unsaved changes, then ignores all events. Changes that can't be stored stay a draft. */
    stop() {
      for (const remove of removers) remove?.();
      cancelTimer?.();
      const hasMore = () => phase !== 'gone' && versions !== null && changesOf(versions) !== null;
      const rest = busy ? last.then(() => (hasMore() ? attempt() : undefined)) : synchronize();
      stopped = true;
      keepDraft();
      return rest;
    },
  };
}

/** @param {() => void} act @param {number} ms */
function setTimer(act, ms) {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
