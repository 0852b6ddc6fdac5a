// The columns in which connected widgets stand: each one right of all its sources, with few crossings.

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {[from: string, to: string]} Arrow between two widgets
 */

const SWEEPS = 4; // more change little; see Sugiyama's method

/**
 * @param {Canvas} state
 * @returns {{layers: CanvasWidget[][], arrows: Arrow[]}} without the widgets that have no connection, and
 *   without the connections that would close a circle
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
  for (const layer of layers) layer.sort((a, b) => a.y - b.y); // what stood above stays above where it can
  return { layers: untangled(layers, arrows), arrows };
}

/** @param {Canvas} state @returns {Arrow[]} each once, between widgets that are there */
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

/** @param {Arrow[]} arrows @returns {Arrow[]} without those that lead back to where values came from */
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

/** @param {Arrow[]} arrows without a circle @returns {Map<string, number>} the longest way to each widget */
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
  for (const id of sources) ranks.set(id, nearest(id, arrows, rank) - 1); // beside its targets
  return ranks;
}

/** @param {string} id @param {Arrow[]} arrows @param {(id: string) => number} rank @returns {number} of its targets */
function nearest(id, arrows, rank) {
  return Math.min(...arrows.filter(([from]) => from === id).map(([, to]) => rank(to)));
}

/**
 * Sorts each layer by the mean place of its neighbours in the layer before, then in the one after.
 * @param {CanvasWidget[][]} layers @param {Arrow[]} arrows
 */
function untangled(layers, arrows) {
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

/** @param {CanvasWidget[][]} layers @param {Arrow[]} arrows @returns {number} of arrows between the same two layers */
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
