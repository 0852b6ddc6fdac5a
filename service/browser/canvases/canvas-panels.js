// The panels beside an open canvas. On a small screen, at most one panel is open, so that the canvas can be seen.

/**
 * @typedef {{name: string, hint: string, isShown: () => boolean, show: (on: boolean) => void}} Panel
 * @typedef {ReturnType<typeof createCanvasPanels>} CanvasPanels
 */

const LITTLE_ROOM = '(max-width: 45em), (max-height: 32.5em)'; // the same condition as in canvases.css

/** @param {HTMLElement} connections @param {ReturnType<typeof import('../widgets/message-inspector.js').createMessageInspector>} inspector @param {(change: () => void) => void} keepVisible runs a change of the canvas's size */
export function createCanvasPanels(connections, inspector, keepVisible) {
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
  let newest = all[0]; // the panel that was opened last
  let onClosed = () => {};
  littleRoom.addEventListener('change', closeOthers);

  /** When the window becomes small, closes all panels except the newest. */
  function closeOthers() {
    if (!littleRoom.matches || !newest.isShown()) return;
    for (const other of all) if (other !== newest) other.show(false);
    onClosed();
  }

  /** @param {Panel} panel */
  function toggle(panel) {
    const isOpening = !panel.isShown();
    panel.show(isOpening);
    if (isOpening) newest = panel;
    closeOthers();
  }

  return {
    all,
    toggle: (/** @type {Panel} */ panel) => keepVisible(() => toggle(panel)),
    /** @param {() => void} listener called when a panel was closed because another was opened */
    whenClosed: (listener) => void (onClosed = listener),
    stop: () => littleRoom.removeEventListener('change', closeOthers),
  };
}
