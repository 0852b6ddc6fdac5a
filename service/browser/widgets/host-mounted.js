// @ts-check
// The widgets that a host has mounted: found by their id, by the window of a message, and by their frame.

/** @typedef {import('./host-session.js').Session} Session */

export function createMounted() {
  /** @type {Map<string, Session>} */
  const sessions = new Map();
  /** @param {(iframe: HTMLIFrameElement) => boolean} fits */
  const find = (fits) => [...sessions.values()].find(({ iframe }) => fits(iframe));
  return {
    /** @param {Session} session */
    add: (session) => void sessions.set(session.widget.id, session),
    /** @param {string} id */
    remove(id) {
      sessions.get(id)?.close();
      sessions.delete(id);
    },
    all: () => [...sessions.values()],
    /** @param {string} id */
    named: (id) => sessions.get(id),
    /** @param {MessageEventSource | null} window null if it is gone; so is that of a frame out of the document */
    inWindow: (window) => (window ? find((iframe) => iframe.contentWindow === window) : undefined),
    /** @param {HTMLIFrameElement} frame */
    inFrame: (frame) => find((iframe) => iframe === frame),
  };
}
