// The panels beside an open canvas. Where there is little room, one at most is open, so that the canvas is seen.

/**
 * @typedef {{name: string, hint: string, isShown: () => boolean, show: (on: boolean) => void}} Panel
 * @typedef {ReturnType<typeof createCanvasPanels>} CanvasPanels
 */

const LITTLE_ROOM = '(max-width: 720px), (max-height: 520px)'; // as in canvases.css

/** @param {HTMLElement} connections @param {ReturnType<typeof import('../widgets/message-inspector.js').createMessageInspector>} inspector */
export function createCanvasPanels(connections, inspector) {
  const isNarrow = () => matchMedia(LITTLE_ROOM).matches;
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
  connections.hidden = isNarrow();

  return {
    all,
    /** @param {Panel} panel */
    toggle(panel) {
      const isOpening = !panel.isShown();
      if (isOpening && isNarrow()) for (const other of all) other.show(false);
      panel.show(isOpening);
    },
  };
}
