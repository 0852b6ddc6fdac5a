// The page of a template without a browser, on a canvas of the test's own.

import { readFileSync } from 'node:fs';

import '../console/plain-dom.mjs';
import { TYPES } from '../../service/browser/widgets/messages.js';
import { until } from './client-frame.mjs';

const CONTEXT = { theme: 'light', locale: 'en', cssVars: {}, user: 'alice' };
const ANSWERS = {
  [TYPES.scopesGet]: (page) => ({ type: TYPES.scopes, integrations: page.flags }),
  [TYPES.stateGet]: (page) => ({ type: TYPES.stateGet, value: page.state }),
  [TYPES.stateSet]: (page, { value }) => ((page.state = value), { type: TYPES.stateSet, ok: true }),
};
let pages = 0;

// What the plain document lacks. Fields hold what is set, as they do in browsers.
const { prototype } = document.body.constructor;
const { append } = prototype;
const isIn = (node, root) => node === root || (node?.parentNode ? isIn(node.parentNode, root) : false);
const all = (node) => node.childNodes.flatMap((child) => (child.tag ? [child, ...all(child)] : []));
Object.defineProperties(prototype, {
  isConnected: { get() { return isIn(this, document.body); } },
  children: { get() { return this.childNodes.filter(({ tag }) => tag); } },
  tagName: { get() { return this.tag.toUpperCase(); } },
  style: { get() { return (this.ownStyle ??= {}); } },
  options: { get() { return this.children; } },
  value: {
    get() { return this.text ?? (this.tag === 'select' ? (this.children[0]?.value ?? '') : ''); },
    set(text) { this.text = this.tag === 'select' && !this.children.some(({ value }) => value === text) ? '' : String(text); },
  },
});
Object.assign(prototype, {
  append(...nodes) {
    for (const node of nodes) if (node.parentNode) node.remove();
    append.apply(this, nodes);
  },
  replaceChildren(...nodes) {
    for (const child of [...this.childNodes]) child.remove();
    this.append(...nodes);
  },
  contains(node) { return isIn(node, this); },
  focus() { document.activeElement = this; },
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; },
  querySelectorAll(selector) { return selector.startsWith(':') ? [] : all(this).filter(({ tag, attributes }) => tag === selector || selector === `[aria-pressed="${attributes['aria-pressed']}"]`); },
  setSelectionRange() {},
  setCustomValidity(text) { this.fault = text; },
  reportValidity() { return !this.fault; },
  prepend(node) { this.append(node); this.childNodes.unshift(this.childNodes.pop()); },
});
document.hasFocus = () => true;
document.documentElement = { style: { setProperty() {} } };

// A call that no test answers waits for a minute, and a calendar looks at the day every minute: the process must not wait
// with them.
const { setTimeout: begin, setInterval: repeat } = globalThis;
globalThis.setInterval = (act, ms, ...more) => repeat(act, ms, ...more).unref();
globalThis.setTimeout = (act, ms, ...more) => {
  const timer = begin(act, ms, ...more);
  return ms > 1000 ? timer.unref() : timer;
};

/**
 * Opens the page of a template. It waits for its state where `state` is undefined, until `tellState`.
 * @param {any} t @param {string} handle @param {{state?: any, flags?: any}} [given]
 */
export async function openTemplate(t, handle, given = {}) {
  const { state, flags } = { state: null, flags: {}, ...given };
  const folder = new URL(`../../service/widgets/templates/${handle}/`, import.meta.url);
  const { slots } = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));
  const main = document.createElement('main');
  document.body.replaceChildren(main);
  document.activeElement = null;
  document.getElementById = () => main;
  main.dataset.collections = 'notes tasks';
  const { port1, port2 } = new MessageChannel();
  const listeners = new Set();
  const parent = { postMessage: ({ type, slotId, value }) => type === TYPES.output && (page.outputs[slotId] = value) };
  globalThis.window = globalThis.self = {
    parent,
    location: { hash: '#wn=n', pathname: '/' },
    addEventListener: (type, listener) => type === 'message' && listeners.add(listener),
    removeEventListener() {},
  };
  const say = (data, ports = []) => listeners.forEach((listener) => listener({ data, source: parent, origin: 'http://host', ports }));
  const page = {
    main,
    state,
    flags,
    /** @type {Record<string, any>} the last value of each */
    outputs: {},
    /** @type {any[]} calls and subscriptions */
    asked: [],
    button: (label) => all(main).find((node) => node.tag === 'button' && node.textContent === label),
    field: (tag, number = 0) => all(main).filter((node) => node.tag === tag)[number],
    press: (label) => page.button(label).listeners.click(),
    type(node, text) {
      node.value = text;
      node.listeners.input?.();
    },
    input: (slotId, value) => say({ type: TYPES.input, slotId, value }),
    tell: (message) => port1.postMessage(message),
    call: (endpoint) => until(() => page.asked.find((message) => message.endpoint === endpoint && !message.isAnswered)),
    async answer(endpoint, envelope, more = {}) {
      const asked = await page.call(endpoint);
      asked.isAnswered = true;
      page.tell({ type: TYPES.apiResponse, requestId: asked.requestId, envelope, ...more });
    },
    tellState(value) {
      page.state = value;
      waiting.splice(0).forEach(answer);
    },
  };
  const waiting = [];
  const answer = (message) => page.tell({ requestId: message.requestId, ...ANSWERS[message.type](page, message) });
  port1.onmessage = ({ data }) => {
    if (!ANSWERS[data.type]) page.asked.push(data);
    else if (page.state === undefined) waiting.push(data);
    else answer(data);
  };
  t.after(() => [port1, port2].forEach((port) => port.close()));
  await import(new URL(`widget.js?page=${(pages += 1)}`, folder).href);
  say({ type: TYPES.welcome, v: 1, nonce: 'n', mode: 'canvas', widgetId: 'A', slots, context: CONTEXT, limits: {} }, [port2]);
  return page;
}
