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
      const connections = store.canvas?.io.connections ?? [];
      list.show(connections.map((one) => ({ id: one.id, label: labelOf(one), reason: reasonOf(one.id), enabled: one.enabled !== false })));
    },
  };
}
