// What a reply has changed in records: its calls tell it for the service's tools, the journal for the tools of the app.
// @ts-check

import { writesOf } from '../calls/turn-undo.js';
import { writesIn } from './message-actions.js';

/** @typedef {import('./message-actions.js').Write} Write */

const RECORDS = ['records.query', 'records.get', 'records.create', 'records.update', 'records.delete'];
const READS = ['schema.list', 'schema.describe', 'user.current', 'canvas.templates', 'canvas.check'];
/** The names of the service's own tools. */
const OWN = new Set([...RECORDS, ...READS, 'integrations.find', 'integrations.call']);
const PAGE = 200;

/** @param {Pick<import('../shared/api-transport.js').Transport, 'get'>} transport */
export function createReplyChanges(transport) {
  /** @type {Map<string, Write[] | null>} by turn id, what the journal has; null while it is being read, and if it can't be read */
  const journaled = new Map();

  /** @param {string} turnId @param {() => void} show */
  async function read(turnId, show) {
    const entries = [];
    let cursor = null;
    try {
      do {
        const answer = await transport.get('/api/ai/journal', { turnId, limit: PAGE, cursor });
        entries.push(...answer.entries);
        cursor = answer.nextCursor;
      } while (cursor);
    } catch {
      return; // the changes that the calls tell are still known
    }
    journaled.set(turnId, writesOf(entries));
    show();
  }

  return {
    /**
     * @param {string} turnId of a turn that has ended
     * @param {readonly import('./chat-reducer.js').Part[]} parts of its reply
     * @param {() => void} show is called when more changes are known
     * @returns {Write[]}
     */
    of(turnId, parts, show) {
      const isOfApp = parts.some((part) => part.kind === 'call' && !OWN.has(part.name));
      if (isOfApp && !journaled.has(turnId)) {
        journaled.set(turnId, null);
        read(turnId, show);
      }
      return journaled.get(turnId) ?? writesIn(parts);
    },
  };
}
