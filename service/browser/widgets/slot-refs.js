// References to slots on a canvas: a widget's id and a slot's id.

import { isObject } from './json-value.js';

/** @typedef {{widgetId: string, slotId: string}} SlotRef */

/** @param {SlotRef} ref @returns {string} a key for maps, different for different slots */
export function keyOf({ widgetId, slotId }) {
  return JSON.stringify([widgetId, slotId]);
}

/** @param {any} value of a stored canvas @returns {value is SlotRef} */
export function isRef(value) {
  return isObject(value) && typeof value.widgetId === 'string' && typeof value.slotId === 'string';
}

/** @param {SlotRef} a @param {SlotRef} b */
export function sameRef(a, b) {
  return a.widgetId === b.widgetId && a.slotId === b.slotId;
}

/** @param {SlotRef} ref @returns {SlotRef} */
export function copyRef({ widgetId, slotId }) {
  return { widgetId, slotId };
}

/**
 * The id of a connection between two slots. If two tabs create the same connection, it gets the same id in both, so that
 * merging leaves no duplicate.
 * @param {SlotRef} from @param {SlotRef} to
 * @returns {string} `c_` and 16 hexadecimal digits
 */
export function connectionId(from, to) {
  return `c_${fnv1a(keyOf(from) + keyOf(to)).toString(16).padStart(16, '0')}`;
}

/** @param {string} text @returns {bigint} 64 bits of FNV-1a over its UTF-16 units */
function fnv1a(text) {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  }
  return hash;
}
