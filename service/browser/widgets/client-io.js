// The slots of a widget. Outputs are checked before they are sent; the last value of each input is kept for listeners
// that are added later.

import { isObject, toJson } from './json-value.js';
import { LIMITS } from './messages.js';
import { valueMismatch } from './slot-types.js';
import { toStored } from './storable.js';
import { SlotError, TooLargeError, WidgetError } from './widget-errors.js';

/**
 * @typedef {import('./slot-types.js').Slot} Slot
 * @typedef {import('./json-value.js').JsonValue} JsonValue
 * @typedef {{slots: Slot[], send: (slotId: string, value: JsonValue, force: boolean) => void}} Host
 */

export function createIo() {
  /** @type {Host | 'none' | null} null until it is known whether there is a host */
  let host = null;
  /** @type {Map<string, {value: JsonValue, force: boolean}>} the last output of each slot before the handshake */
  const waiting = new Map();
  /** @type {Map<string, JsonValue>} */
  const inputs = new Map();
  /** @type {Map<string, Set<(value: any) => void>>} */
  const listeners = new Map();

  /** @param {string} slotId @param {(value: any) => void} listener */
  function deliver(slotId, listener) {
    const value = structuredClone(inputs.get(slotId)); // a copy, because a listener may change the value
    queueMicrotask(() => listeners.get(slotId)?.has(listener) && listener(value));
  }

  /** Keeps an output until the handshake is over, by the host's rules: the last set slot comes last, and a forced value stays forced. @param {string} slotId @param {JsonValue} value @param {boolean} force */
  function wait(slotId, value, force) {
    const wasForced = waiting.get(slotId)?.force ?? false;
    waiting.delete(slotId);
    waiting.set(slotId, { value, force: force || wasForced });
  }

  return {
    /** @param {Host} next */
    begin(next) {
      host = next;
      for (const slotId of listeners.keys()) reportUnknownInput(next, slotId);
      for (const [slotId, { value, force }] of waiting) sendOrReport(next, slotId, value, force);
      waiting.clear();
    },

    /** Call this if there is no host: then outputs are dropped. */
    beginAlone() {
      host = 'none';
      waiting.clear();
    },

    /**
     * Throws `SlotError`, `TooLargeError`. Before the end of the handshake, only the value can be checked.
     * @param {string} slotId @param {unknown} value @param {{force?: boolean}} [options]
     */
    setOutput(slotId, value, { force = false } = {}) {
      const json = checkValue(slotId, value);
      if (host === null) wait(slotId, json, force);
      else if (host !== 'none') checkAndSend(host, slotId, json, force);
    },

    /** @param {{slotId: string, value: JsonValue}} message from the host */
    receive({ slotId, value }) {
      inputs.set(slotId, value);
      for (const listener of listeners.get(slotId) ?? []) deliver(slotId, listener);
    },

    /** @param {string} slotId @param {(value: any) => void} listener @returns {() => void} */
    onInput(slotId, listener) {
      const all = listeners.get(slotId) ?? new Set();
      listeners.set(slotId, all.add(listener));
      if (isObject(host)) reportUnknownInput(host, slotId);
      if (inputs.has(slotId)) deliver(slotId, listener);
      return () => all.delete(listener);
    },
  };
}

/** @param {string} slotId @param {unknown} value @returns {JsonValue} a copy */
function checkValue(slotId, value) {
  if (typeof slotId !== 'string' || !slotId || slotId.length > LIMITS.slotId) {
    throw fault(`A slot’s name is a text of 1 to ${LIMITS.slotId} characters.`);
  }
  const copy = toJson(value, LIMITS.ioValueBytes);
  if (copy.error === 'too_large') {
    const message = `The value of “${slotId}” has more than ${LIMITS.ioValueBytes} bytes. Send less.`;
    throw new TooLargeError({ error: 'too_large', message });
  }
  if (copy.error || !isObject(copy.json)) throw fault(`The value of “${slotId}” must be an object of JSON.`);
  return copy.json;
}

/** @param {Host} host @param {string} slotId @param {JsonValue} value @param {boolean} force */
function checkAndSend(host, slotId, value, force) {
  const slot = host.slots.find((one) => one.id === slotId && one.direction === 'output');
  if (!slot) throw fault(`This widget’s manifest has no output “${slotId}”.`);
  if (slot.persist && toStored(value).error) throw fault(`The value of “${slotId}” has persist, and can’t be stored: it has NUL, half of a surrogate pair, or the key __proto__ or constructor.`);
  const mismatch = valueMismatch(slot, value);
  if (mismatch) throw fault(mismatch);
  host.send(slotId, value, force);
}

/** Sends an output that was set before the handshake; an error is logged, because the caller can't catch it any more. */
function sendOrReport(/** @type {Parameters<typeof checkAndSend>} */ ...output) {
  try {
    checkAndSend(...output);
  } catch (error) {
    if (!(error instanceof WidgetError)) throw error;
    console.error(error);
  }
}

/** Logs that an input does not exist. This is not thrown, because the code may be used with several manifests. @param {Host} host @param {string} slotId */
function reportUnknownInput(host, slotId) {
  const isThere = host.slots.some((one) => one.id === slotId && one.direction === 'input');
  if (!isThere) console.error(fault(`This widget’s manifest has no input “${slotId}”.`));
}

/** @param {string} message */
function fault(message) {
  return new SlotError({ error: 'slot_error', message });
}
