// The list of the connections of an open canvas.

import { createConnectionList } from '../widgets/connection-list.js';

/** @param {import('./canvas-room.js').CanvasRoom} room */
export function createListedConnections({ store, view, act, mayEdit, labelOf, reasonOf }) {
  const list = createConnectionList({
    remove: (id) => act({ type: 'disconnect', id }),
    enable: (id, enabled) => act({ type: 'set-enabled', id, enabled }),
    mark: view.mark,
  });
  return {
    node: list.node,
    show() {
      list.node.classList.toggle('read-only', !mayEdit());
      list.show(rowsOf(store.canvas?.io.connections ?? [], { labelOf, reasonOf }));
    },
  };
}

/**
 * The rows of the list. A canvas of an earlier version may have invalid entries; an entry without an id can't be
 * switched off or removed.
 * @param {any[]} connections as stored
 * @param {{labelOf: (connection: any) => string, reasonOf: (id: string) => string}} words
 * @returns {import('../widgets/connection-list.js').Row[]}
 */
export function rowsOf(connections, { labelOf, reasonOf }) {
  const listed = connections.filter((one) => typeof one?.id === 'string');
  return listed.map((one) => ({ id: one.id, label: labelOf(one), reason: reasonOf(one.id), enabled: one.enabled !== false }));
}
