// @ts-check
// Creates a connection: the user presses one slot, then the other (with Enter, a click or a finger), or drags from one
// to the other.

/**
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 * @typedef {import('./slot-types.js').Slot} Slot
 * @typedef {{ok: true} | {ok: false, error: string, message: string}} Verdict
 */

/**
 * @param {object} options
 * @param {(from: SlotRef, to: SlotRef) => Verdict} options.check
 * @param {(from: SlotRef, to: SlotRef) => void} options.connect
 * @param {(sentence: string) => void} options.announce
 * @param {() => void} options.onChange
 */
export function createLinking({ check, connect, announce, onChange }) {
  /** @type {{ref: SlotRef, slot: Slot} | null} */
  let source = null;

  /** @param {{ref: SlotRef, slot: Slot} | null} next */
  function set(next) {
    source = next;
    onChange();
  }

  /** @param {SlotRef} ref @param {Slot} slot @returns {[SlotRef, SlotRef]} the output and the input */
  function pair(ref, slot) {
    const start = /** @type {{ref: SlotRef, slot: Slot}} */ (source).ref;
    return slot.direction === 'input' ? [start, ref] : [ref, start];
  }

  return {
    get source() {
      return source;
    },
    /** @param {SlotRef} ref @param {Slot} slot */
    begin(ref, slot) {
      set({ ref, slot });
      const goal = slot.direction === 'output' ? 'an input' : 'an output';
      announce(`${slot.title}: choose ${goal} to connect it to, or press Escape.`);
    },
    cancel() {
      if (!source) return false;
      set(null);
      announce('No connection was made.');
      return true;
    },
    /**
     * Call this when a slot was pressed, or a drag has ended on it.
     * @param {SlotRef} ref @param {Slot} slot
     */
    press(ref, slot) {
      if (!source) return this.begin(ref, slot);
      if (source.ref.widgetId === ref.widgetId && source.ref.slotId === ref.slotId) return void this.cancel();
      if (source.slot.direction === slot.direction) return this.begin(ref, slot);
      const verdict = check(...pair(ref, slot));
      if (!verdict.ok) return announce(verdict.message);
      const ends = pair(ref, slot);
      set(null);
      return connect(...ends);
    },
    /**
     * @param {SlotRef} ref @param {Slot} slot
     * @returns {{state: import('./canvas-slot.js').SlotState, reason: string}} how the slot looks while a connection is being made
     */
    look(ref, slot) {
      if (!source) return { state: 'idle', reason: '' };
      if (source.ref.widgetId === ref.widgetId && source.ref.slotId === ref.slotId) return { state: 'source', reason: '' };
      if (source.slot.direction === slot.direction) return { state: 'idle', reason: '' };
      const verdict = check(...pair(ref, slot));
      return verdict.ok ? { state: 'fits', reason: '' } : { state: 'unfit', reason: verdict.message };
    },
  };
}
