// @ts-check
// Draws the connections as curves between slots. Screen readers use the list of connections instead.

import { curvePath } from './canvas-geometry.js';

const SPACE = 'http://www.w3.org/2000/svg';

/**
 * @typedef {import('./canvas-geometry.js').Point} Point
 * @typedef {{id: string, from: Point, to: Point, state: 'live' | 'off' | 'broken', reason?: string}} Line
 */

export function createLines() {
  const node = document.createElementNS(SPACE, 'svg');
  node.setAttribute('class', 'canvas-lines');
  node.setAttribute('aria-hidden', 'true');
  const draft = curveNode('draft');
  draft.setAttribute('hidden', '');
  node.append(draft);
  /** @type {Map<string, SVGPathElement>} */
  const paths = new Map();
  /** @type {Map<string, string>} the drawn state of each line, by its id */
  const drawn = new Map();

  /** @param {Line} line */
  function draw({ id, from, to, state, reason = '' }) {
    const path = paths.get(id) ?? add(id);
    path.setAttribute('d', curvePath(from, to));
    if (drawn.get(id) === state + reason) return;
    drawn.set(id, state + reason);
    path.dataset.state = state;
    path.querySelector('title')?.remove();
    if (reason) path.append(Object.assign(document.createElementNS(SPACE, 'title'), { textContent: reason }));
  }

  /** @param {string} id */
  function add(id) {
    const path = curveNode('line');
    path.dataset.connectionId = id;
    paths.set(id, path);
    node.append(path);
    return path;
  }

  return {
    node,
    /** @param {Line[]} lines all lines of the canvas */
    show(lines) {
      const ids = new Set(lines.map(({ id }) => id));
      for (const [id, path] of paths) {
        if (ids.has(id)) continue;
        path.remove();
        paths.delete(id);
        drawn.delete(id);
      }
      lines.forEach(draw);
    },
    /** @param {Line[]} lines that have moved; the others stay */
    move: (lines) => lines.forEach(draw),
    /** @param {string} id of a connection, or '' @param {boolean} on */
    mark(id, on) {
      paths.get(id)?.classList.toggle('marked', on);
    },
    /** @param {[Point, Point] | null} ends of the connection that is being drawn */
    showDraft(ends) {
      draft.toggleAttribute('hidden', !ends);
      if (ends) draft.setAttribute('d', curvePath(...ends));
    },
  };
}

/** @param {string} name of the CSS class */
function curveNode(name) {
  const path = /** @type {SVGPathElement} */ (document.createElementNS(SPACE, 'path'));
  path.setAttribute('class', name);
  return path;
}
