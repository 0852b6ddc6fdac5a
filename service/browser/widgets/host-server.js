// @ts-check
// Connects a widget host to the server: makes calls with the user's token, and reads prices and approval rules from the
// list of templates.

import { queryString } from '../shared/api-transport.js';
import { createConsentWindow } from './consent-window.js';

/**
 * @typedef {import('./host-options.js').HostOptions} HostOptions
 * @typedef {import('./host-options.js').CallRequest} CallRequest
 * @typedef {import('./host-options.js').Policy} Policy
 * @typedef {import('../shared/api-transport.js').Transport} Transport
 */

/** @type {Policy} for an endpoint that no template declares: calls of it are refused */
const UNKNOWN = { approval: 'ask', credits: 0, title: '', known: false };

/**
 * @param {Transport} transport
 * @param {any[]} templates from `GET /api/widgets/templates`
 * @returns {Pick<HostOptions, 'call' | 'policy' | 'price' | 'scopes' | 'consent'>}
 */
export function createHostServer(transport, templates) {
  const policies = policiesOf(templates);
  return {
    call: (request) => call(transport, request),
    policy: (endpoint) => policies.get(endpoint) ?? UNKNOWN,
    price: (endpoint, body, signal) => price(transport, endpoint, body, signal),
    scopes: () => transport.get('/api/integrations/status'),
    consent: createConsentWindow(transport),
  };
}

/** @param {any[]} templates @returns {Map<string, Policy>} by the endpoint's name */
export function policiesOf(templates) {
  const endpoints = templates.flatMap((template) => template.endpoints);
  return new Map(endpoints.map(({ name, ...policy }) => [name, policy]));
}

/** @param {Transport} transport @param {string} endpoint @param {string} text @param {AbortSignal} signal @returns {Promise<number>} */
async function price(transport, endpoint, text, signal) {
  return (await transport.call('POST', `/api/integrations/price/${endpoint}`, { body: JSON.parse(text), signal })).credits;
}

/** @param {Transport} transport @param {CallRequest} request */
function call(transport, { endpoint, method, body, query, idempotencyKey, approval, signal }) {
  /** @type {Record<string, string>} */
  const headers = { 'X-Approval': approval, 'X-Door': 'widget' };
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  const content = body === undefined ? {} : { body: JSON.parse(body) }; // when it is serialized again, the text is the same
  return transport.call(method, `/api/integrations/${endpoint}${queryString(query)}`, { ...content, headers, signal });
}
