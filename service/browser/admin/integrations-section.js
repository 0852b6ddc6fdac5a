// The health of the integrations: which are configured, what is missing, who pays, and how many calls failed.

import { createTable } from './table.js';
import { badge } from './words.js';
import { element } from '../shared/elements.js';

/**
 * @typedef {{name: string, missing: string | null, standIn: boolean}} VendorState
 * @typedef {{integration: string, payer: 'user' | 'owner', endpoints: number, configured: number, vendors: VendorState[],
 *   breaker: {state: 'closed' | 'open' | 'trial', failures: number, openUntil: string | null},
 *   calls: {total: number, failed: number, refused: number, averageMs: number | null, longestMs: number | null},
 *   grants: {connected: number, failing: number}}} IntegrationState
 */

/** @param {import('./admin-view.js').AdminContext} context @returns {import('./admin-view.js').Section} */
export function createIntegrationsSection({ transport }) {
  const table = createTable({
    caption: 'Integrations',
    empty: 'There are no integrations.',
    key: (/** @type {IntegrationState} */ each) => each.integration,
    columns: [
      { label: 'Integration', cell: nameOf },
      { label: 'State', cell: stateOf },
      { label: 'Who pays', cell: ({ payer }) => (payer === 'owner' ? 'The owner' : 'The user') },
      { label: 'Calls, 24 h', number: true, cell: ({ calls }) => String(calls.total) },
      { label: 'Failed', number: true, cell: ({ calls }) => String(calls.failed) },
      { label: 'Connected', number: true, cell: connectedOf },
      { label: 'Average', number: true, cell: ({ calls }) => (calls.averageMs === null ? '–' : `${calls.averageMs} ms`) },
    ],
  });
  return {
    node: element('section', { class: 'admin-section', 'aria-label': 'Integrations' }, table.node),
    async load() {
      /** @type {{integrations: IntegrationState[]}} */
      const { integrations } = await transport.get('/api/admin/integrations', { hours: 24 });
      return () => table.show(integrations.sort((a, b) => rank(a) - rank(b))); // by name within a rank
    },
  };
}

/** The sort rank: integrations with problems first, then those in use. @param {IntegrationState} state */
function rank({ breaker, calls, configured }) {
  if (breaker.state !== 'closed' || calls.failed) return 0;
  if (calls.total) return 1;
  return configured ? 2 : 3;
}

/** @param {IntegrationState} state */
export function nameOf({ integration, vendors }) {
  const names = vendors.map(({ name }) => name).join(', ');
  return element('span', { class: 'admin-name' }, integration, names !== integration && element('span', { class: 'soft' }, names));
}

/** @param {IntegrationState} state */
function connectedOf({ grants: { connected, failing } }) {
  return failing ? `${connected} (${failing} failing)` : connected ? String(connected) : '–';
}

/** @param {IntegrationState} state */
export function stateOf({ breaker, vendors, configured }) {
  if (breaker.state === 'open') return badge('Paused after failures', 'warn');
  if (breaker.state === 'trial') return badge('Next call is a test', 'warn');
  const missing = vendors.find((vendor) => vendor.missing)?.missing;
  if (!configured) return badge(missing ? `Set ${missing}` : 'Not configured', 'off');
  if (missing) return badge(`Partly: set ${missing}`, 'warn');
  return vendors.every((vendor) => vendor.standIn) ? badge('Sandbox', 'good') : badge('Ready', 'good');
}
