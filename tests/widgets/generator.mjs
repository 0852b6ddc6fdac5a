// Random values, graphs and canvases for property tests. A seed gives the same ones each time.

import { IoGraph } from '../../service/browser/widgets/io-graph.js';

const SLOT_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'any'];
const DEPTH = Number(process.env.TEST_DEPTH ?? 1);

/** Runs a property for many seeds; the seed of a failure is in its message. */
export function forSeeds(count, property) {
  for (let seed = 1; seed <= count * DEPTH; seed += 1) {
    try {
      property(createRandom(seed));
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
}

/** mulberry32 */
export function createRandom(seed) {
  let state = seed;
  const number = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit) => Math.floor(number() * limit);
  const pick = (items) => items[below(items.length)];
  const shuffled = (items) => items.map((item) => [number(), item]).sort((a, b) => a[0] - b[0]).map(([, item]) => item);
  return { number, below, pick, shuffled, maybe: (chance = 0.5) => number() < chance };
}

export function randomJson(random, depth = 3) {
  const leaves = [null, true, -1.5, 0, 'é"\\\u2028', '', 1e21];
  if (depth === 0 || random.maybe(0.4)) return random.pick(leaves);
  const parts = Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1));
  if (random.maybe()) return parts;
  return Object.fromEntries(parts.map((part) => [random.pick(['a', 'b', '10', '9', '__proto__', 'é']), part]));
}

/** Two to eight widgets with up to five slots, most of type any. */
export function randomWidgets(random) {
  return Array.from({ length: 2 + random.below(7) }, (_, at) => ({
    id: `w${at}`,
    slots: Array.from({ length: 1 + random.below(5) }, (_, number) => randomSlot(random, number)),
  }));
}

function randomSlot(random, number) {
  const id = `s${number}`;
  const direction = random.pick(['input', 'output']);
  const slot = { id, direction, type: random.maybe(0.6) ? 'any' : random.pick(SLOT_TYPES), title: `Slot ${number}` };
  return random.maybe(0.3) ? { ...slot, maxConnections: 1 + random.below(3) } : slot;
}

export function randomRef(random, widgets) {
  const widget = random.pick(widgets);
  return { widgetId: widget.id, slotId: random.pick(widget.slots).id };
}

/** A graph in which many connections were tried. */
export function randomGraph(random, widgets = randomWidgets(random)) {
  const graph = new IoGraph();
  for (const widget of widgets) graph.addWidget(widget);
  for (let round = 0; round < 60; round += 1) {
    const [from, to] = [randomRef(random, widgets), randomRef(random, widgets)];
    const createdAt = new Date(1e12 + random.below(20) * 1000).toISOString();
    if (graph.check(from, to).ok) graph.connect(from, to, { createdAt, enabled: random.maybe(0.8) });
  }
  return { graph, widgets };
}

export const slotRef = (text) => ({ widgetId: text.split('.')[0], slotId: text.split('.')[1] });

export function connectionOf(from, to, more = {}) {
  return { id: `${from}>${to}`, from: slotRef(from), to: slotRef(to), createdAt: '2026-01-01T00:00:00Z', enabled: true, ...more };
}

export function widgetAt(id, x = 0, y = 0, more = {}) {
  return { id, templateHandle: 'note', x, y, width: 320, height: 240, ...more };
}

/** A canvas with up to ten widgets and connections between them; some pairs of connections close circles. */
export function randomCanvas(random) {
  const widgets = Array.from({ length: random.below(10) }, (_, at) => widgetAt(`w${at}`, random.below(2000), random.below(900), randomSize(random)));
  const all = widgets.flatMap(({ id }) => widgets.map((other) => connectionOf(`${id}.out`, `${other.id}.in`)));
  const connections = random.shuffled(all).slice(0, random.below(15));
  const noted = Object.fromEntries(widgets.filter(() => random.maybe()).map(({ id }) => [id, { slotsVersion: 1 }]));
  return { title: 'Canvas', widgets, io: { version: 1, connections, widgets: noted }, theme: 'dark' };
}

function randomSize(random) {
  return { width: 100 + random.below(500), height: 80 + random.below(400), settings: { a: random.below(3) } };
}

/** Any operation, also one whose widget or connection is not there. Ids that are new begin with `prefix`. */
export function randomOperation(random, state, prefix = 'n') {
  const id = `w${random.below(10)}`;
  const ends = [`w${random.below(10)}.out`, `w${random.below(10)}.in`];
  const number = () => random.below(1000);
  return random.pick([
    () => ({ type: 'add-widget', widget: widgetAt(prefix + number(), number(), number()) }),
    () => ({ type: 'add-widget', widget: widgetAt(id, number()) }),
    () => ({ type: 'remove-widget', id }),
    () => ({ type: 'move', id, x: number(), y: number() }),
    () => ({ type: 'resize', id, width: number(), height: number(), ...(random.maybe() ? { x: number() } : {}) }),
    () => ({ type: 'set-settings', id, settings: random.maybe(0.2) ? undefined : { [random.pick(['a', 'b', 'c'])]: number() } }),
    () => ({ type: 'set-title', title: `Canvas ${number()}` }),
    () => ({ type: 'connect', connection: connectionOf(...ends) }),
    () => ({ type: 'disconnect', id: random.pick(state.io.connections)?.id ?? 'none' }),
    () => ({ type: 'set-enabled', id: random.pick(state.io.connections)?.id ?? 'none', enabled: random.maybe() }),
    () => ({ type: 'batch', operations: Array.from({ length: random.below(4) }, () => randomOperation(random, state, prefix)) }),
  ])();
}
