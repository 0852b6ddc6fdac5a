// Arranges connected widgets in columns: each widget is to the right of all its sources, with few crossing connections.

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {[from: string, to: string]} Arrow between two widgets
 */

const SWEEPS = 4; // more sweeps change little; see Sugiyama's method

/**
 * @param {Canvas} state
 * @returns {{layers: CanvasWidget[][], arrows: Arrow[]}} without the widgets that have no connection, and
 *   without the connections that would close a cycle
 */
export function layersOf(state) {
  const arrows = acyclic(arrowsOf(state));
  const ranks = ranksOf(arrows);
  /** @type {CanvasWidget[][]} */
  const layers = [];
  for (const widget of state.widgets) {
    const rank = ranks.get(widget.id);
    if (rank !== undefined) (layers[rank] ??= []).push(widget);
  }
  for (const layer of layers) layer.sort((a, b) => a.y - b.y); // keeps the vertical order where possible
  return { layers: reduceCrossings(layers, arrows), arrows };
}

/** @param {Canvas} state @returns {Arrow[]} without duplicates, between existing widgets */
function arrowsOf({ widgets, io }) {
  const ids = new Set(widgets.map(({ id }) => id));
  /** @type {Map<string, Arrow>} */
  const arrows = new Map();
  for (const connection of io.connections) {
    const [from, to] = [connection?.from?.widgetId, connection?.to?.widgetId];
    if (ids.has(from) && ids.has(to)) arrows.set(JSON.stringify([from, to]), [from, to]);
  }
  return [...arrows.values()];
}

/** @param {Arrow[]} arrows @returns {Arrow[]} without the arrows that close a cycle */
function acyclic(arrows) {
  /** @type {Arrow[]} */
  const kept = [];
  for (const arrow of arrows) if (!reachable(arrow[1], kept).has(arrow[0])) kept.push(arrow);
  return kept;
}

/** @param {string} start @param {Arrow[]} arrows @returns {Set<string>} */
function reachable(start, arrows) {
  const seen = new Set([start]);
  for (const id of seen) for (const [from, to] of arrows) if (from === id) seen.add(to);
  return seen;
}

/** @param {Arrow[]} arrows without a cycle @returns {Map<string, number>} the length of the longest path to each widget */
function ranksOf(arrows) {
  const ranks = new Map(arrows.flat().map((id) => [id, 0]));
  const rank = (/** @type {string} */ id) => /** @type {number} */ (ranks.get(id));
  for (let moved = true; moved; ) {
    moved = false;
    for (const [from, to] of arrows) {
      if (rank(to) > rank(from)) continue;
      ranks.set(to, rank(from) + 1);
      moved = true;
    }
  }
  const targets = new Set(arrows.map(([, to]) => to));
  const sources = [...ranks.keys()].filter((id) => !targets.has(id));
  for (const id of sources) ranks.set(id, nearest(id, arrows, rank) - 1); // in the column next to its nearest target
  return ranks;
}

/** @param {string} id @param {Arrow[]} arrows @param {(id: string) => number} rank @returns {number} the lowest rank of its targets */
function nearest(id, arrows, rank) {
  return Math.min(...arrows.filter(([from]) => from === id).map(([, to]) => rank(to)));
}

/**
 * Sorts each layer by the mean position of its neighbors in the layer before, then in the layer after.
 * @param {CanvasWidget[][]} layers @param {Arrow[]} arrows
 */
function reduceCrossings(layers, arrows) {
  let best = layers;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forward = sweep % 2 === 0;
    const next = sweepOnce(layers, forward ? arrows : arrows.map(([from, to]) => [to, from]), forward);
    if (crossings(next, arrows) < crossings(best, arrows)) best = next;
    layers = next;
  }
  return best;
}

/** @param {CanvasWidget[][]} layers @param {Arrow[]} arrows @param {boolean} forward @returns {CanvasWidget[][]} */
function sweepOnce(layers, arrows, forward) {
  const sorted = [...layers];
  const order = forward ? sorted.keys() : [...sorted.keys()].reverse();
  const place = new Map();
  for (const at of order) {
    const layer = sorted[at].map((widget, row) => {
      const rows = arrows.filter(([from, to]) => to === widget.id && place.has(from)).map(([from]) => place.get(from));
      return { widget, row: rows.length ? rows.reduce((sum, each) => sum + each, 0) / rows.length : row };
    });
    sorted[at] = layer.sort((a, b) => a.row - b.row).map(({ widget }) => widget);
    sorted[at].forEach(({ id }, row) => place.set(id, row));
  }
  return sorted;
}

/** @param {CanvasWidget[][]} layers @param {Arrow[]} arrows @returns {number} the number of crossings of arrows between the same two layers */
function crossings(layers, arrows) {
  /** @type {Map<string, number[]>} */
  const places = new Map(layers.flatMap((layer, rank) => layer.map(({ id }, row) => [id, [rank, row]])));
  const lines = arrows.map((arrow) => arrow.flatMap((id) => places.get(id) ?? []));
  let count = 0;
  for (const [rank, row, toRank, toRow] of lines) {
    for (const line of lines) {
      if (line[0] === rank && line[2] === toRank && row < line[1] && toRow > line[3]) count += 1;
    }
  }
  return count;
}
