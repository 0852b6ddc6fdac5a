// Random values, graphs and canvases for property tests. A seed gives the same ones each time.

import { IoGraph } from '../../service/browser/widgets/io-graph.js';
import { SLOT_TYPES } from '../../service/browser/widgets/slot-types.js';

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
