// The panels beside an open canvas. Where there is little room, one at most is open, so that the canvas is seen.

/**
 * @typedef {{name: string, hint: string, isShown: () => boolean, show: (on: boolean) => void}} Panel
 * @typedef {ReturnType<typeof createCanvasPanels>} CanvasPanels
 */

const LITTLE_ROOM = '(max-width: 720px), (max-height: 520px)'; // as in canvases.css

/** @param {HTMLElement} connections @param {ReturnType<typeof import('../widgets/message-inspector.js').createMessageInspector>} inspector */
export function createCanvasPanels(connections, inspector) {
  const littleRoom = matchMedia(LITTLE_ROOM);
  /** @type {Panel[]} */
  const all = [
    {
      name: 'Connections',
      hint: 'Show or hide the list of connections',
      isShown: () => !connections.hidden,
      show: (on) => void (connections.hidden = !on),
    },
    {
      name: 'Messages',
      hint: 'Show or hide what the widgets send and receive',
      isShown: () => !inspector.node.hidden,
      show: inspector.show,
    },
  ];
  connections.hidden = littleRoom.matches;
  let newest = all[0]; // that was opened
  let onClosed = () => {};
  littleRoom.addEventListener('change', closeOthers);

  /** The newest stays where the window has become small. */
  function closeOthers() {
    if (!littleRoom.matches || !newest.isShown()) return;
    for (const other of all) if (other !== newest) other.show(false);
    onClosed();
  }

  return {
    all,
    /** @param {Panel} panel */
    toggle(panel) {
      const isOpening = !panel.isShown();
      panel.show(isOpening);
      if (isOpening) newest = panel;
      closeOthers();
    },
    /** @param {() => void} listener is called when a panel was closed because of another */
    whenClosed: (listener) => void (onClosed = listener),
    stop: () => littleRoom.removeEventListener('change', closeOthers),
  };
}
