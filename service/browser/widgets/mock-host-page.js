// @ts-check
// The page for developers of widgets: a widget with a simulated canvas, switches for the behavior of the simulated user
// and server, and a log of all messages with their outcomes.

import { element } from '../shared/elements.js';
import { createMessageLog } from './message-log.js';
import { createMockHost } from './mock-host.js';

/** The choices of each switch, with their labels. @type {Record<string, {label: string, choices: Record<string, string>}>} */
const SWITCHES = {
  approval: { label: 'Approval', choices: { ask: 'Ask me', once: 'Always allow', deny: 'Always deny' } },
  answer: {
    label: 'Answers',
    choices: {
      data: 'The data below',
      consent: 'Consent is needed',
      reconnect: 'The account must be reconnected',
      upstream: 'The vendor fails',
      credits: 'No credits',
      limit: 'Too many calls',
      network: 'No network',
    },
  },
  consent: { label: 'Consent', choices: { connected: 'Given', cancelled: 'Refused', timeout: 'Too late' } },
};

/** The first value for an input, by its type. @type {Record<import('./slot-types.js').SlotType, string>} */
const EXAMPLES = { string: '{"value": ""}', number: '{"value": 0}', boolean: '{"value": true}', array: '{"value": []}', object: '{}', any: '{}' };

/** @type {ReturnType<typeof createMockHost>} */
let mock;
const main = /** @type {HTMLElement} */ (document.getElementById('dev'));
begin(main);

/** @param {HTMLElement} main */
async function begin(main) {
  const address = `/dev/widget/${main.dataset.handle}/manifest.json`;
  const template = await (await fetch(address)).json();
  const log = createMessageLog();
  const root = element('section', { class: 'mock-stage', 'aria-label': 'Widget' });
  const outputs = createOutputs(template);
  main.append(
    element('h1', {}, template.name),
    element('p', { class: 'hint' }, template.summary),
    element('div', { class: 'mock' }, root, controls(template, outputs.node)),
    log.node,
  );
  mock = createMockHost({ root, template, onEvent: log.add, onOutput: outputs.show });
  mock.iframe.style.height = `${template.size.height}px`;
}

/** @param {any} template @param {Node} outputs */
function controls(template, outputs) {
  const inputs = template.slots.filter((/** @type {any} */ slot) => slot.direction === 'input');
  return element(
    'section',
    { class: 'mock-controls', 'aria-label': 'Pretended canvas' },
    ...Object.entries(SWITCHES).map(([name, { label, choices }]) => choice(name, label, choices)),
    latency(),
    jsonField('Data of answers', '{}', 'Use', (value) => Object.assign(mock.settings, { data: value })),
    ...inputs.map(inputField),
    outputs,
    element('button', { type: 'button', class: 'quiet', on: { click: () => mock.host.reload('widget') } }, 'Reload the widget'),
  );
}

/** @param {string} name @param {string} label @param {Record<string, string>} choices */
function choice(name, label, choices) {
  const options = Object.entries(choices).map(([value, words]) => element('option', { value }, words));
  const change = (/** @type {any} */ { target }) => Object.assign(mock.settings, { [name]: target.value });
  return element('label', {}, label, element('select', { class: 'field', on: { change } }, ...options));
}

function latency() {
  const change = (/** @type {any} */ { target }) => Object.assign(mock.settings, { latency: Number(target.value) || 0 });
  const field = { type: 'number', class: 'field', min: 0, max: 60_000, step: 100, value: '0', on: { change } };
  return element('label', {}, 'Latency in ms', element('input', field));
}

/** @param {import('./slot-types.js').Slot} slot */
function inputField({ id, title, type }) {
  return jsonField(`Input: ${title}`, EXAMPLES[type], 'Send', (value) => mock.setInput(id, value));
}

/** @param {string} label @param {string} text @param {string} action @param {(value: any) => void} use */
function jsonField(label, text, action, use) {
  const area = element('textarea', { class: 'field', rows: 3, spellcheck: 'false', value: text });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const act = () => {
    const value = parsed(area.value);
    problem.textContent = value === undefined ? 'Write an object of JSON.' : '';
    if (value !== undefined) use(value);
  };
  const button = element('button', { type: 'button', class: 'quiet', on: { click: act } }, action);
  button.setAttribute('aria-label', `${action}: ${label}`);
  return element('div', { class: 'mock-json' }, element('label', {}, label, area), problem, button);
}

/** @param {string} text @returns {any} undefined if it is not a JSON object */
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The last value of each output. @param {any} template */
function createOutputs(template) {
  const slots = template.slots.filter((/** @type {any} */ slot) => slot.direction === 'output');
  const values = new Map(slots.map((/** @type {any} */ { id }) => [id, element('code', {}, 'nothing yet')]));
  const lines = slots.map((/** @type {any} */ { id, title }) => element('li', {}, `Output: ${title}: `, values.get(id)));
  return {
    node: element('ul', { class: 'mock-outputs', 'aria-label': 'Outputs' }, ...lines),
    show(/** @type {string} */ slotId, /** @type {any} */ value) {
      values.get(slotId).textContent = JSON.stringify(value);
    },
  };
}
