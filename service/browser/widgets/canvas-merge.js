// Merges two versions of a canvas that have the same origin.

import { touches } from './canvas-state.js';
import { canonical, isObject } from './json-value.js';

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {Record<string, any>} Item a widget, a connection, or an object with keys of any kind
 */

// Values that are merged together: half of one move and half of another would be a place that nobody chose.
const TOGETHER = [
  ['x', 'y'],
  ['width', 'height'],
];

/**
 * A three-way merge, by the ids of widgets and connections. If both sides have changed the same value, `mine` wins,
 * because it is written later. A widget that one side has removed stays removed, with its connections. Unknown keys
 * are merged like known ones.
 * @param {Canvas} mine
 * @param {Canvas} theirs the stored version
 * @param {Canvas} base the common origin
 * @returns {Canvas}
 */
export function merge(mine, theirs, base) {
  const widgets = mergeLists(mine.widgets, theirs.widgets, base.widgets);
  const io = {
    ...mergeKeys(mine.io, theirs.io, base.io),
    connections: mergeConnections(mine, theirs, base, idsMissing(base.widgets, widgets)),
    widgets: mergeKeys(mine.io.widgets, theirs.io.widgets, base.io.widgets),
  };
  return /** @type {Canvas} */ ({ ...mergeKeys(mine, theirs, base), widgets, io });
}

/** @param {Canvas} mine @param {Canvas} theirs @param {Canvas} base @param {string[]} removed widgets */
function mergeConnections(mine, theirs, base, removed) {
  const lists = [mine, theirs, base].map(({ io }) => io.connections);
  const merged = byKey(mergeLists(lists[0], lists[1], lists[2]));
  const keys = lists.map(byKey);
  return [...merged]
    .filter(([key, connection]) => {
      const dangling = removed.some((id) => touches(connection, id));
      return !dangling || keys.every((all) => all.has(key)); // if all versions have it, it was broken before
    })
    .map(([, connection]) => connection);
}

/**
 * @param {any[]} mine @param {any[]} theirs @param {any[]} base
 * @returns {any[]} the items of `theirs` in their order, then the items that `mine` has added
 */
function mergeLists(mine, theirs, base) {
  const [my, their, old] = [mine, theirs, base].map(byKey);
  const kept = [...their].filter(([key]) => my.has(key) || !old.has(key));
  const added = [...my].filter(([key]) => !their.has(key) && !old.has(key));
  const merged = kept.map(([key, item]) => (my.has(key) ? mergeItem(my.get(key), item, old.get(key)) : item));
  return [...merged, ...added.map(([, item]) => item)];
}

/** @param {any[]} list @returns {Map<string, any>} by id, or by content without one; duplicates get different keys */
function byKey(list) {
  const items = new Map();
  for (const item of list) {
    const key = typeof item?.id === 'string' ? `id ${item.id}` : `content ${canonical(item)}`;
    let free = key;
    for (let count = 2; items.has(free); count += 1) free = `${count} ${key}`;
    items.set(free, item);
  }
  return items;
}

/** @param {any} mine @param {any} theirs @param {any} base undefined if both sides have added the item */
function mergeItem(mine, theirs, base) {
  if (!isObject(mine) || !isObject(theirs)) return theirs;
  const merged = mergeKeys(mine, theirs, base ?? {});
  if (!isObject(mine.settings) || !isObject(theirs.settings)) return merged;
  return { ...merged, settings: mergeKeys(mine.settings, theirs.settings, base?.settings ?? {}) };
}

/** @param {Item} mine @param {Item} theirs @param {Item} base @returns {Item} if both sides have changed a key, `mine` wins */
export function mergeKeys(mine, theirs, base) {
  const keys = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
  const changed = (/** @type {string} */ key) => !same(mine[key], base[key]);
  const entries = [...keys].flatMap((key) => {
    const group = TOGETHER.find((names) => names.includes(key)) ?? [key];
    const source = group.some(changed) ? mine : theirs;
    return Object.hasOwn(source, key) ? [[key, source[key]]] : [];
  });
  return Object.fromEntries(entries);
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  if (one === other) return true;
  return one !== undefined && other !== undefined && canonical(one) === canonical(other);
}

/** @param {Item[]} before @param {Item[]} after @returns {string[]} */
function idsMissing(before, after) {
  const present = new Set(after.map(({ id }) => id));
  return before.map(({ id }) => id).filter((id) => !present.has(id));
}
