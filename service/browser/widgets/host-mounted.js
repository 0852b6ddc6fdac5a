// @ts-check
// The mounted widgets of a host, which can be looked up by id, by the window of a message, and by frame.

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
    /** @param {MessageEventSource | null} window null if the frame was removed from the document */
    inWindow: (window) => (window ? find((iframe) => iframe.contentWindow === window) : undefined),
    /** The widget that has put the window into a frame of its own page. @param {MessageEventSource | null} window */
    around(window) {
      const outer = windowsAround(window);
      return find(({ contentWindow }) => contentWindow !== null && outer.includes(contentWindow));
    },
    /** @param {HTMLIFrameElement} frame */
    inFrame: (frame) => find((iframe) => iframe === frame),
  };
}

/** @param {MessageEventSource | null} source which may be no window @returns {Window[]} the windows of the pages around a frame, from the inside out */
function windowsAround(source) {
  const found = [];
  let inner = /** @type {any} */ (source);
  while (inner?.parent && inner.parent !== inner) found.push((inner = inner.parent));
  return found;
}
