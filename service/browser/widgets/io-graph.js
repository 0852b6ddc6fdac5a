// The graph of connections between outputs and inputs, with the last value of each slot. It does not use the DOM.

import { canonical, toJson } from './json-value.js';
import { connectionId, copyRef, keyOf, sameRef } from './slot-refs.js';
import { typeMismatch, valueMismatch } from './slot-types.js';
import { toStored } from './storable.js';

/**
 * @typedef {import('./slot-types.js').Slot} Slot
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 * @typedef {{id: string, from: SlotRef, to: SlotRef, createdAt: string, enabled: boolean}} Connection
 * @typedef {{widgetId: string, slotId: string, value: any}} Delivery for an input
 * @typedef {'unknown_widget' | 'unknown_slot' | 'wrong_direction' | 'self' | 'type_mismatch'
 *   | 'duplicate' | 'input_taken' | 'cycle' | 'too_many'} ConnectionCode
 * @typedef {{ok: false, error: ConnectionCode, message: string}} Refusal
 * @typedef {{ok: true} | Refusal} Verdict
 * @typedef {{value: any, text: string, at: number}} Output `at` counts the values of all outputs
 */

export const MAX_CONNECTIONS = 500;
export const MAX_PER_SLOT = 64;

/** The graph refuses a connection or a value; `code` is the reason for programs, `message` for people. */
export class IoError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export class IoGraph {
  /** @type {Map<string, Map<string, Slot>>} slots by id, by widget */
  #widgets = new Map();
  /** @type {Map<string, Connection>} */
  #connections = new Map();
  /** @type {Map<string, Output>} the last value of each output, by key */
  #outputs = new Map();
  /** @type {Map<string, string>} the text of the last value that each input was given, by key */
  #given = new Map();
  #clock = 0;

  /** @returns {Connection[]} copies, in the order of their creation */
  get connections() {
    return [...this.#connections.values()].map((connection) => structuredClone(connection));
  }

  /** @param {{id: string, slots: Slot[]}} widget @throws {IoError} `duplicate` */
  addWidget({ id, slots }) {
    if (this.#widgets.has(id)) throw new IoError('duplicate', `There is a widget “${id}” already.`);
    this.#widgets.set(id, new Map(slots.map((slot) => [slot.id, slot])));
  }

  /** @param {string} id @returns {Connection[]} the connections that were removed with the widget */
  removeWidget(id) {
    const gone = this.connections.filter(({ from, to }) => from.widgetId === id || to.widgetId === id);
    for (const connection of gone) this.disconnect(connection.id);
    for (const slotId of this.#widgets.get(id)?.keys() ?? []) {
      this.#outputs.delete(keyOf({ widgetId: id, slotId }));
    }
    this.#widgets.delete(id);
    return gone;
  }

  /** @param {SlotRef} ref @returns {Slot | undefined} */
  slot({ widgetId, slotId }) {
    return this.#widgets.get(widgetId)?.get(slotId);
  }

  /** @param {SlotRef} from an output @param {SlotRef} to an input @returns {Verdict} */
  check(from, to) {
    const problem = this.#slotProblem(from, 'output') ?? this.#slotProblem(to, 'input');
    return problem ?? this.#pairProblem(from, to) ?? { ok: true };
  }

  /** @param {SlotRef} ref @param {'input' | 'output'} direction @returns {Refusal | null} */
  #slotProblem(ref, direction) {
    const { widgetId, slotId } = ref;
    if (!this.#widgets.has(widgetId)) return refuse('unknown_widget', `There is no widget “${widgetId}”.`);
    const slot = this.slot(ref);
    if (!slot) return refuse('unknown_slot', `The widget “${widgetId}” has no slot “${slotId}”.`);
    if (slot.direction === direction) return null;
    const advice = direction === 'output' ? 'Begin a connection at an output.' : 'End a connection at an input.';
    return refuse('wrong_direction', `“${slot.title}” is an ${slot.direction}. ${advice}`);
  }

  /** @param {SlotRef} from @param {SlotRef} to of existing slots @returns {Refusal | null} */
  #pairProblem(from, to) {
    if (from.widgetId === to.widgetId) return refuse('self', 'A widget can’t be connected to itself.');
    const output = /** @type {Slot} */ (this.slot(from));
    const input = /** @type {Slot} */ (this.slot(to));
    const mismatch = typeMismatch(output, input);
    if (mismatch) return refuse('type_mismatch', mismatch);
    return this.#countProblem(from, to, output, input) ?? this.#cycleProblem(from, to);
  }

  /** @param {SlotRef} from @param {SlotRef} to @param {Slot} output @param {Slot} input */
  #countProblem(from, to, output, input) {
    const outgoing = this.#at('from', from);
    const incoming = this.#at('to', to);
    if (outgoing.some((connection) => sameRef(connection.to, to))) {
      return refuse('duplicate', 'These two slots are connected already.');
    }
    if (incoming.length >= (input.maxConnections ?? 1)) {
      return refuse('input_taken', `“${input.title}” takes no more connections. Remove one first.`);
    }
    const most = Math.min(output.maxConnections ?? MAX_PER_SLOT, MAX_PER_SLOT);
    if (outgoing.length >= most) return full(output, most);
    if (incoming.length >= MAX_PER_SLOT) return full(input, MAX_PER_SLOT);
    if (this.#connections.size < MAX_CONNECTIONS) return null;
    return refuse('too_many', `A canvas has at most ${MAX_CONNECTIONS} connections. Remove one first.`);
  }

  /** @param {SlotRef} from @param {SlotRef} to */
  #cycleProblem(from, to) {
    if (!this.#reaches(to.widgetId, from.widgetId)) return null;
    return refuse('cycle', 'This connection would close a circle: values would run round for ever.');
  }

  /** @param {string} start @param {string} goal @returns {boolean} whether values can flow from one widget to another */
  #reaches(start, goal) {
    /** @type {Map<string, string[]>} */
    const targets = new Map([...this.#widgets.keys()].map((id) => [id, []]));
    for (const { from, to } of this.#connections.values()) targets.get(from.widgetId)?.push(to.widgetId);
    const seen = new Set([start]);
    for (const id of seen) for (const next of targets.get(id) ?? []) seen.add(next); // the loop also visits the ids that it adds
    return seen.has(goal);
  }

  /** @param {'from' | 'to'} end @param {SlotRef} ref */
  #at(end, ref) {
    return [...this.#connections.values()].filter((connection) => sameRef(connection[end], ref));
  }

  /**
   * @param {SlotRef} from @param {SlotRef} to
   * @param {{id?: string, createdAt?: string, enabled?: boolean}} [given]
   * @returns {{connection: Connection, deliveries: Delivery[]}} `deliveries` has the last value of the output, if any
   * @throws {IoError} with the error and message of `check`
   */
  connect(from, to, { id, createdAt = new Date().toISOString(), enabled = true } = {}) {
    const verdict = this.check(from, to);
    if (!verdict.ok) throw new IoError(verdict.error, verdict.message);
    const own = id ?? connectionId(from, to);
    if (this.#connections.has(own)) throw new IoError('duplicate', `There is a connection “${own}” already.`);
    const connection = { id: own, from: copyRef(from), to: copyRef(to), createdAt, enabled };
    this.#connections.set(own, connection);
    return { connection: structuredClone(connection), deliveries: this.#deliver(connection, false) };
  }

  /** @param {string} id @returns {Connection | null} the removed connection */
  disconnect(id) {
    const connection = this.#connections.get(id);
    if (!connection) return null;
    this.#connections.delete(id);
    this.#given.delete(keyOf(connection.to)); // so that a new source delivers its value even if it is the same
    return connection;
  }

  /**
   * Sets the value of an output and returns its deliveries to inputs. An input gets nothing if it was last given an
   * equal value, or if the value does not fit it.
   * @param {string} widgetId @param {string} slotId @param {unknown} value a JSON object
   * @param {{force?: boolean}} [options] `force` also sends equal values
   * @returns {Delivery[]}
   * @throws {IoError} `unknown_widget`, `unknown_slot`, `wrong_direction`, `not_json`, `too_large`, `type_mismatch`
   */
  setOutput(widgetId, slotId, value, { force = false } = {}) {
    const from = { widgetId, slotId };
    const problem = this.#slotProblem(from, 'output');
    if (problem) throw new IoError(problem.error, problem.message);
    const slot = /** @type {Slot} */ (this.slot(from));
    const copy = slot.persist ? toStored(value) : toJson(value);
    if (copy.error !== undefined) throw new IoError(copy.error, REFUSED_VALUES[copy.error]);
    const mismatch = valueMismatch(slot, copy.json);
    if (mismatch) throw new IoError('type_mismatch', mismatch);
    this.#clock += 1;
    this.#outputs.set(keyOf(from), { value: copy.json, text: canonical(copy.json), at: this.#clock });
    return this.#at('from', from).flatMap((connection) => this.#deliver(connection, force));
  }

  /** @param {SlotRef} ref @returns {any} the last value of an output; undefined if there is none */
  lastOutput(ref) {
    return structuredClone(this.#outputs.get(keyOf(ref))?.value);
  }

  /** @param {Connection} connection @param {boolean} force @returns {Delivery[]} one or none */
  #deliver({ from, to, enabled }, force) {
    const output = this.#outputs.get(keyOf(from));
    if (!output || !enabled || valueMismatch(/** @type {Slot} */ (this.slot(to)), output.value)) return [];
    if (!force && this.#given.get(keyOf(to)) === output.text) return [];
    this.#given.set(keyOf(to), output.text);
    return [{ ...to, value: structuredClone(output.value) }];
  }

  /**
   * Takes over the values of the graph that this graph replaces.
   * @param {IoGraph} other
   * @returns {Delivery[]} for inputs that have a new source
   */
  takeValues(other) {
    this.#clock = other.#clock;
    for (const [key, output] of other.#outputs) if (this.#hasKey(key)) this.#outputs.set(key, output);
    for (const { id, to } of this.#connections.values()) {
      const given = other.#given.get(keyOf(to));
      // An input whose connection was made or switched on again gets the value again, even if it is equal.
      if (given !== undefined && other.#connections.get(id)?.enabled) this.#given.set(keyOf(to), given);
    }
    return this.connections.flatMap((connection) => this.#deliver(connection, false));
  }

  /** @param {string} key of a slot */
  #hasKey(key) {
    const [widgetId, slotId] = JSON.parse(key);
    return this.slot({ widgetId, slotId }) !== undefined;
  }

  /**
   * The last values of a widget's inputs, for a widget that was loaded again.
   * @param {string} widgetId @returns {Delivery[]} at most one for each input
   */
  lastInputs(widgetId) {
    const incoming = [...this.#connections.values()].filter(({ to }) => to.widgetId === widgetId);
    const age = (/** @type {Connection} */ { from }) => this.#outputs.get(keyOf(from))?.at ?? 0;
    const latest = new Map();
    for (const connection of incoming.sort((a, b) => age(a) - age(b))) {
      for (const delivery of this.#deliver(connection, true)) latest.set(delivery.slotId, delivery);
    }
    return [...latest.values()];
  }
}

const REFUSED_VALUES = {
  not_json: 'A value must be JSON: no functions, dates, files or cycles; where it is kept, no NUL, unpaired surrogates or `__proto__`.',
  too_large: 'The value is too large. Send at most 256 KiB of JSON, nested at most 100 deep.',
};

/** @param {ConnectionCode} error @param {string} message @returns {Refusal} */
function refuse(error, message) {
  return { ok: false, error, message };
}

/** @param {Slot} slot @param {number} most */
function full({ title }, most) {
  return refuse('too_many', `“${title}” has ${most} connections, the most it may have. Remove one first.`);
}
