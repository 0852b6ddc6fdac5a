// Reads canvases as JSON from standard input, and writes what is wrong with the connections of each.

import { readFileSync } from 'node:fs';

import { importIo } from '../../service/browser/widgets/io-state.js';

const answers = JSON.parse(readFileSync(0, 'utf8')).map(({ widgets, connections }) => {
  const { graph, extra, broken } = importIo({ connections }, widgets);
  const reasons = new Map(broken.map(({ entry, reason }) => [entry, reason]));
  const codes = extra.entries.map(({ raw }) => reasons.get(raw) ?? null);
  return { codes, ids: graph.connections.map(({ id }) => id).sort() };
});
process.stdout.write(JSON.stringify(answers));
