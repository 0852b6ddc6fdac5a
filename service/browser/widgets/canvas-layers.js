// The columns in which connected widgets stand: each one right of all its sources, with few crossings.

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {[from: string, to: string]} Link between two widgets
 */

const SWEEPS = 4; // more change little; see Sugiyama's method

/**
 * @param {Canvas} state
 * @returns {{layers: CanvasWidget[][], links: Link[]}} without the widgets that have no connection, and
 *   without the connections that would close a circle
 */
export function layersOf(state) {
  const links = acyclic(linksOf(state));
  const ranks = ranksOf(links);
  /** @type {CanvasWidget[][]} */
  const layers = [];
  for (const widget of state.widgets) {
    const rank = ranks.get(widget.id);
    if (rank !== undefined) (layers[rank] ??= []).push(widget);
  }
  for (const layer of layers) layer.sort((a, b) => a.y - b.y); // what stood above stays above where it can
  return { layers: untangled(layers, links), links };
}

/** @param {Canvas} state @returns {Link[]} each once, between widgets that are there */
function linksOf({ widgets, io }) {
  const ids = new Set(widgets.map(({ id }) => id));
  /** @type {Map<string, Link>} */
  const links = new Map();
  for (const connection of io.connections) {
    const [from, to] = [connection?.from?.widgetId, connection?.to?.widgetId];
    if (ids.has(from) && ids.has(to)) links.set(JSON.stringify([from, to]), [from, to]);
  }
  return [...links.values()];
}

/** @param {Link[]} links @returns {Link[]} without those that lead back to where values came from */
function acyclic(links) {
  /** @type {Link[]} */
  const kept = [];
  for (const link of links) if (!reachable(link[1], kept).has(link[0])) kept.push(link);
  return kept;
}

/** @param {string} start @param {Link[]} links @returns {Set<string>} */
function reachable(start, links) {
  const seen = new Set([start]);
  for (const id of seen) for (const [from, to] of links) if (from === id) seen.add(to);
  return seen;
}

/** @param {Link[]} links without a circle @returns {Map<string, number>} the longest way to each widget */
function ranksOf(links) {
  const ranks = new Map(links.flat().map((id) => [id, 0]));
  const rank = (/** @type {string} */ id) => /** @type {number} */ (ranks.get(id));
  for (let moved = true; moved; ) {
    moved = false;
    for (const [from, to] of links) {
      if (rank(to) > rank(from)) continue;
      ranks.set(to, rank(from) + 1);
      moved = true;
    }
  }
  const targets = new Set(links.map(([, to]) => to));
  const sources = [...ranks.keys()].filter((id) => !targets.has(id));
  for (const id of sources) ranks.set(id, nearest(id, links, rank) - 1); // beside its targets
  return ranks;
}

/** @param {string} id @param {Link[]} links @param {(id: string) => number} rank @returns {number} of its targets */
function nearest(id, links, rank) {
  return Math.min(...links.filter(([from]) => from === id).map(([, to]) => rank(to)));
}

/**
 * Sorts each layer by the mean place of its neighbours in the layer before, then in the one after.
 * @param {CanvasWidget[][]} layers @param {Link[]} links
 */
function untangled(layers, links) {
  let best = layers;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forward = sweep % 2 === 0;
    const next = sweepOnce(layers, forward ? links : links.map(([from, to]) => [to, from]), forward);
    if (crossings(next, links) < crossings(best, links)) best = next;
    layers = next;
  }
  return best;
}

/** @param {CanvasWidget[][]} layers @param {Link[]} links @param {boolean} forward @returns {CanvasWidget[][]} */
function sweepOnce(layers, links, forward) {
  const sorted = [...layers];
  const order = forward ? sorted.keys() : [...sorted.keys()].reverse();
  const place = new Map();
  for (const at of order) {
    const layer = sorted[at].map((widget, row) => {
      const rows = links.filter(([from, to]) => to === widget.id && place.has(from)).map(([from]) => place.get(from));
      return { widget, row: rows.length ? rows.reduce((sum, each) => sum + each, 0) / rows.length : row };
    });
    sorted[at] = layer.sort((a, b) => a.row - b.row).map(({ widget }) => widget);
    sorted[at].forEach(({ id }, row) => place.set(id, row));
  }
  return sorted;
}

/** @param {CanvasWidget[][]} layers @param {Link[]} links @returns {number} of links between the same two layers */
function crossings(layers, links) {
  /** @type {Map<string, number[]>} */
  const places = new Map(layers.flatMap((layer, rank) => layer.map(({ id }, row) => [id, [rank, row]])));
  const lines = links.map((link) => link.flatMap((id) => places.get(id) ?? []));
  let count = 0;
  for (const [rank, row, toRank, toRow] of lines) {
    for (const line of lines) {
      if (line[0] === rank && line[2] === toRank && row < line[1] && toRow > line[3]) count += 1;
    }
  }
  return count;
}
