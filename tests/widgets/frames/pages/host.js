// A page with a widget host, as in the console. Tests control it with `canvas`.

import { createTransport } from '/browser/shared/api-transport.js';
import { createApprovalDialog } from '/browser/widgets/approval.js';
import { createConsentWindow } from '/browser/widgets/consent-window.js';
import { createMockHost } from '/browser/widgets/mock-host.js';
import { createCanvasHost } from '/browser/widgets/widget-host.js';

const TOKEN = 'token-that-no-widget-may-see';
const root = document.getElementById('root');
const ask = (credits, title, payer = 'user') => ({ approval: 'ask', credits, title, known: true, payer });
const policies = {
  'search-web': ask(2, 'Search the web'),
  'search-images': ask(3, 'Search images', 'owner'),
  'cloudsuite/mail-send': ask(0, 'Send mail'),
  'cloudsuite/contacts-list': { approval: 'auto', credits: 0, title: 'Contacts', known: true },
  'profnet-search-profiles': { approval: 'auto', credits: 0, title: 'Profiles', known: true },
  'generate-video': { approval: 'auto', credits: 0, title: 'Video', known: true },
};
const slot = (id, direction, type = 'object') => ({ id, direction, type, title: id });
const SLOTS = [slot('person', 'output'), slot('number', 'output', 'number'), slot('who', 'input'), slot('count', 'input', 'number')];

async function call({ endpoint, body, query, approval, signal }) {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Approval': approval };
  const init = { method: 'POST', headers, body: body ?? JSON.stringify(query), signal };
  return (await fetch(`/api/integrations/${endpoint}`, init)).json();
}

const canvas = {
  /** @type {any[]} */ events: [],
  /** @type {any[]} */ states: [],
  /** @type {any[]} */ needs: [],
  /** @type {string[]} */ violations: [],
  policies,
  consentStatus: 'connected',
  SLOTS,
  /** @type {string[]} the collections that are followed */ open: [],
  records(collection) {
    canvas.open.push(collection);
    const rows = { r1: { recordId: 'r1', data: {} } };
    const stop = () => canvas.open.splice(canvas.open.indexOf(collection), 1);
    return { rows, loaded: true, missing: false, problem: '', onChange: () => () => {}, stop };
  },
  consentWindow: createConsentWindow(createTransport({ token: () => TOKEN })),
  make(options = {}) {
    canvas.host = createCanvasHost({
      root,
      widgetUrl: ({ templateHandle }) => `${location.origin}/w/${templateHandle}`,
      call,
      policy: (endpoint) => policies[endpoint] ?? { approval: 'ask', credits: 0, title: endpoint, known: false },
      approve: createApprovalDialog({ balance: () => 120 }),
      consent: async (need) => {
        canvas.needs.push({ ...need, active: navigator.userActivation.isActive });
        return { status: canvas.consentStatus };
      },
      scopes: async () => ({ cloudsuite: { connected: true, contacts: false, email: 'ada@suite.invalid' } }),
      onEvent: (event) => canvas.events.push(structuredClone(event)),
      onState: (io) => canvas.states.push(io),
      ...options,
    });
  },
  makeMock(handle) {
    const endpoints = Object.entries(policies).map(([name, policy]) => ({ name, ...policy }));
    const template = { handle, name: handle, icon: '', slots: SLOTS, endpoints, collections: [], permissions: [], version: 1 };
    canvas.mock = createMockHost({ root, template, onEvent: (event) => canvas.events.push(structuredClone(event)) });
  },
  mount(id, templateHandle, more = {}) {
    const widget = { id, templateHandle, templateName: `Widget ${id}`, icon: '', slots: SLOTS, version: 1, ...more };
    canvas.host.mount(widget);
  },
  connect: (from, to) => canvas.host.connect({ widgetId: from[0], slotId: from[1] }, { widgetId: to[0], slotId: to[1] }),
};
globalThis.canvas = canvas;
addEventListener('securitypolicyviolation', ({ effectiveDirective }) => canvas.violations.push(effectiveDirective));
canvas.make();
document.body.dataset.ready = 'yes';
