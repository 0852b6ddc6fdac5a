// Undo and redo of the user's own operations, while others may change the same canvas.

import { inverse } from './canvas-inverse.js';
import { apply, widgetOf } from './canvas-state.js';
import { canonical } from './json-value.js';
import { storedSettings } from './widget-settings.js';

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').Operation} Operation
 * @typedef {ReturnType<typeof createHistory>} History
 */

const MOST_STEPS = 200;

/**
 * A step is an operation, not a state. So undoing a step does not undo the changes of others.
 * @param {{countBroken?: (state: Canvas) => number}} [options] `countBroken` counts the connections of a state that
 *   don't work. When a step is undone, a connection that would not work is left out: another connection may use its
 *   input by now.
 */
export function createHistory({ countBroken = () => 0 } = {}) {
  /** @type {Operation[]} each undoes a step */
  let done = [];
  /** @type {Operation[]} each does an undone step again */
  let undone = [];

  /**
   * @param {Operation[]} from @param {Operation[]} to @param {Canvas} state
   * @returns {Operation | null}
   */
  function revert(from, to, state) {
    for (let step = from.pop(); step; step = from.pop()) {
      const operation = withoutBroken(state, adaptToNow(state, step), countBroken);
      const back = operation && inverse(state, operation);
      if (!operation || !back) continue; // others have removed the widget or connection of this step
      to.push(back);
      return operation;
    }
    return null;
  }

  return {
    get canUndo() {
      return done.length > 0;
    },
    get canRedo() {
      return undone.length > 0;
    },

    /** Records an operation of this user. Call this with the state before the operation. @param {Canvas} state @param {Operation} operation */
    record(state, operation) {
      const back = inverse(state, operation);
      if (!back) return;
      done = [...done.slice(1 - MOST_STEPS), back];
      undone = [];
    },

    /** @param {Canvas} state the current state @returns {Operation | null} the operation to perform; null if there is nothing to undo */
    undo: (state) => revert(done, undone, state),

    /** @param {Canvas} state the current state @returns {Operation | null} the operation to perform; null if there is nothing to redo */
    redo: (state) => revert(undone, done, state),
  };
}

/** Adapts an undo step for settings, so that it keeps the settings that others have changed since. @param {Canvas} state @param {Operation} operation @returns {Operation} */
function adaptToNow(state, operation) {
  if (operation.type === 'batch') return { ...operation, operations: adaptAllToNow(state, operation.operations) };
  if (operation.type !== 'set-settings') return operation;
  const { id, settings: before = {}, seen = {} } = operation;
  const now = widgetOf(state, id)?.settings;
  const settings = storedSettings(now ?? {}, seen, before);
  return { type: 'set-settings', id, settings: canonical(settings ?? {}) === canonical(now ?? {}) ? now : settings };
}

/** @param {Canvas} state @param {Operation[]} operations each is adapted to the state after the one before */
function adaptAllToNow(state, operations) {
  return operations.map((each) => {
    const one = adaptToNow(state, each);
    state = apply(state, one);
    return one;
  });
}

/**
 * @param {Canvas} state @param {Operation} operation @param {(state: Canvas) => number} countBroken
 * @returns {Operation | null} the operation without the connections that would not work
 */
function withoutBroken(state, operation, countBroken) {
  const broken = countBroken(state);
  const fits = (/** @type {Operation} */ one) => countBroken(apply(state, one)) <= broken;
  if (fits(operation)) return operation;
  if (operation.type === 'add-widget') return withoutBrokenConnections(operation, fits);
  if (operation.type !== 'batch') return operation.type === 'connect' ? null : operation;
  const operations = [];
  for (const each of operation.operations) {
    const one = withoutBroken(state, each, countBroken);
    if (one) operations.push(one);
    if (one) state = apply(state, one);
  }
  return { ...operation, operations };
}

/**
 * @param {import('./canvas-state.js').AddWidget} operation @param {(operation: Operation) => boolean} fits
 * @returns {Operation}
 */
function withoutBrokenConnections({ connections = [], ...operation }, fits) {
  /** @type {import('./canvas-state.js').Place[]} */
  let kept = [];
  for (const connection of connections) {
    const more = [...kept, connection];
    if (fits({ ...operation, connections: more })) kept = more;
  }
  return { ...operation, connections: kept };
}
