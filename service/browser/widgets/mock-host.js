// @ts-check
// A host for developers of widgets: the real host with a simulated canvas and a simulated server. Each slot of the widget
// is connected to a simulated sibling, and nothing is sent to the network.

import { ApiError, NetworkError } from '../shared/errors.js';
import { createApprovalDialog } from './approval.js';
import { policiesOf } from './host-server.js';
import { createCanvasHost } from './widget-host.js';
import { settingsOf } from './widget-settings.js';

/**
 * @typedef {'ask' | 'once' | 'deny'} MockApproval
 * @typedef {'data' | 'consent' | 'reconnect' | 'upstream' | 'credits' | 'limit' | 'network'} MockAnswer
 *
 * @typedef {object} MockSettings the behavior of the simulated user and server; may be changed at any time
 * @property {MockApproval} approval
 * @property {MockAnswer} answer
 * @property {'connected' | 'timeout' | 'cancelled'} consent
 * @property {any} data of successful answers
 * @property {number} latency ms
 */

/** @type {Record<Exclude<MockAnswer, 'data' | 'consent' | 'network'>, [number, string, string]>} status, error, message */
const FAILURES = {
  reconnect: [502, 'upstream_provider_error', 'Token refresh failed: reconnect the account.'],
  upstream: [502, 'upstream_provider_error', 'The vendor could not answer.'],
  credits: [402, 'insufficient_credits', 'There are not enough credits.'],
  limit: [429, 'rate_limited', 'Too many calls.'],
};
const NEEDED = { requiresOAuth: true, scopes: [], authUrl: 'https://consent.invalid/' };

/**
 * @param {object} options
 * @param {HTMLElement} options.root
 * @param {any} options.template in the form of `GET /api/widgets/templates`
 * @param {(template: any) => string} [options.widgetUrl]
 * @param {(event: any) => void} [options.onEvent]
 * @param {(slotId: string, value: any) => void} [options.onOutput] called when a value of the widget arrives at its sibling
 */
export function createMockHost({ root, template, widgetUrl = addressOf, onEvent, onOutput = () => {} }) {
  /** @type {MockSettings} */
  const settings = { approval: 'ask', answer: 'data', consent: 'connected', data: {}, latency: 0 };
  const policies = policiesOf([template]);
  const ask = createApprovalDialog({ balance: () => 100 });
  const host = createCanvasHost({
    root,
    widgetUrl: () => widgetUrl(template),
    policy: (endpoint) => policies.get(endpoint) ?? { approval: 'ask', credits: 0, title: endpoint, known: false },
    call: ({ endpoint, signal }) => answer(settings, policies.get(endpoint)?.integration ?? '', signal),
    approve: (request) => (settings.approval === 'ask' ? ask(request) : Promise.resolve(settings.approval)),
    async consent() {
      await pause(settings.latency);
      if (settings.consent === 'connected') settings.answer = 'data';
      return { status: settings.consent };
    },
    scopes: async () => Object.fromEntries([...policies.values()].map(({ integration }) => [integration, { connected: settings.answer !== 'consent' }])),
    onEvent,
  });
  const { handle: templateHandle, name: templateName, icon, slots, collections, permissions, version } = template;
  const endpoints = [...policies.keys()];
  const facts = { templateHandle, templateName, icon, slots, endpoints, collections, permissions, version };
  const iframe = host.mount({ id: 'widget', ...facts, settings: settingsOf(template.settings) });
  const siblings = new Map(slots.map((/** @type {any} */ slot) => [slot.id, addSibling(host, slot, onOutput)]));
  return {
    host,
    iframe,
    settings,
    /** Sends a value to an input of the widget. @param {string} slotId @param {any} value */
    setInput: (slotId, value) => siblings.get(slotId)?.set('value', value),
    close: host.close,
  };
}

/**
 * Adds the simulated sibling at the other end of a slot.
 * @param {import('./widget-host.js').CanvasHost} host
 * @param {import('./slot-types.js').Slot} slot
 * @param {(slotId: string, value: any) => void} onOutput
 */
function addSibling(host, slot, onOutput) {
  const isInput = slot.direction === 'input';
  const id = `sibling-${slot.id}`;
  /** @type {import('./slot-types.js').Slot} */
  const own = { ...slot, id: 'value', direction: isInput ? 'output' : 'input' };
  const record = { id, templateHandle: 'sibling', templateName: `Sibling of ${slot.title}`, icon: '', slots: [own] };
  const sibling = host.join(record, (_, value) => onOutput(slot.id, value));
  const [widget, other] = [{ widgetId: 'widget', slotId: slot.id }, { widgetId: id, slotId: 'value' }];
  if (isInput) host.connect(other, widget);
  else host.connect(widget, other);
  return sibling;
}

/** @param {MockSettings} settings @param {string} provider of the called endpoint @param {AbortSignal} signal */
async function answer({ answer: kind, data, latency }, provider, signal) {
  await pause(latency);
  signal.throwIfAborted();
  if (kind === 'data') return { success: true, data: structuredClone(data) };
  if (kind === 'consent') return { success: true, data: { ...NEEDED, provider } };
  if (kind === 'network') throw new NetworkError();
  const [status, error, message] = FAILURES[kind];
  throw new ApiError(status, kind === 'reconnect' ? { error, message, provider } : { error, message }, kind === 'limit' ? 2 : null);
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** @param {any} template */
function addressOf({ handle }) {
  return `/w/${encodeURIComponent(handle)}`;
}
