// The panel of one endpoint: its description, the form for the body, the call, the answer, and code for the call.

import { element, isFocusLost } from '../shared/elements.js';
import { createSchemaForm } from '../shared/schema-form.js';
import { requestApproval } from './call-approval.js';
import { createCallView } from './call-view.js';
import { createChoiceBar } from '../page/choice-bar.js';
import { createChosenFiles } from './chosen-files.js';
import { createEndpointCall } from './endpoint-call.js';
import { createStoredKey } from '../page/stored-keys.js';
import { createEndpointHead } from './endpoint-head.js';
import { createFileControl } from './file-control.js';
import { refuseFiles } from './file-drops.js';
import { bodyProblem } from './file-fields.js';
import { createSnippetBox } from './snippet-box.js';

/**
 * @typedef {import('./endpoint-search.js').Endpoint} Endpoint
 *
 * @typedef {import('../page/view.js').ViewContext & {
 *   connections: import('../shared/connections.js').Connections,
 *   consents: ReturnType<typeof import('../shared/consent.js').createConsents>,
 *   sessions: import('../widgets/session-approvals.js').SessionApprovals,
 * }} PanelContext
 */

/** @param {Endpoint} endpoint @param {any} schema @param {PanelContext} context */
export function createEndpointPanel(endpoint, schema, context) {
  const { transport, drafts, storage, sessions, announce, onTurnEnd } = context;
  const draft = `explorer:${endpoint.name}`;
  const jobDraft = `explorer-job:${endpoint.name}`;
  const url = new URL(`/api/integrations/${endpoint.name}`, location.href).href;
  const files = createChosenFiles();
  const form = createSchemaForm(schema, { onChange: keep, controlOf: (field, place) => createFileControl(field, place, { files, announce }) });
  const modes = createChoiceBar('Edit the body as', ['Fields', 'JSON'], (name) => form.edit(name === 'JSON') && keep());
  const snippets = createSnippetBox({ storage, announce });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const sendButton = element('button', { class: 'primary' }, 'Send');
  const note = endpoint.configured ? '' : 'This server has no key for it yet.';
  const submitLine = element('div', { class: 'submit-line' }, sendButton, element('p', { class: 'hint' }, note));
  const head = element('div', { class: 'box-head' }, element('h4', {}, 'Body'), modes.node);
  const body = element('form', { class: 'box', novalidate: true, on: { submit } }, head, form.node, problem, submitLine);
  const call = createEndpointCall(endpoint, {
    transport,
    price,
    approve,
    sessions,
    keys: createStoredKey(drafts, `explorer-key:${endpoint.name}`).keys,
    onProgress,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    now: () => performance.now(),
  });
  const answer = createCallView(endpoint, { ...context, call, refuse });
  const side = element('div', { class: 'endpoint-side' }, answer.node, snippets.node);
  const node = element('article', { class: 'endpoint' }, createEndpointHead(endpoint), element('div', { class: 'endpoint-work' }, body, side));

  /** @type {Element | null} the element that had the focus when the call was sent; the answer may come late */
  let sender = null;

  function keep() {
    drafts.set(draft, JSON.stringify(form.draft()));
    if (!form.isText()) files.retain(form.read().value);
    showCode();
  }

  function showCode() {
    snippets.show({ url, body: form.read().value });
  }

  /** @param {any} value the body with its files @returns {Promise<number>} the most that the call can cost, in credits */
  async function price(value) {
    return (await transport.post(`/api/integrations/price/${endpoint.name}`, value)).credits;
  }

  /** @param {any} value the body @param {number} most in credits @returns {Promise<import('./endpoint-call.js').Decision>} */
  async function approve(value, most) {
    const credits = await transport.get('/api/credits', { limit: 1 }).catch(() => null); // without it, the dialog shows no balance
    return node.isConnected ? requestApproval({ ...endpoint, credits: most }, value, credits?.balance ?? null) : 'deny'; // 'deny' if the page was left meanwhile
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    sender = document.activeElement;
    const { value, problems: own } = form.read();
    const problems = [...own, ...files.problems(value)];
    const lines = form.showProblems(problems);
    problem.textContent = lines.join(' ');
    if (problems.length) announce(`${problems.length === 1 ? 'One field is' : `${problems.length} fields are`} not valid.`);
    else sendBody(value, files.complete(value));
  }

  /** @param {any} value the body @param {any} sent with the contents of its files */
  function sendBody(value, sent) {
    problem.textContent = bodyProblem(sent, endpoint.bodyLimit);
    if (!problem.textContent) call.send(value, sent);
  }

  /** Marks the fields that the server has refused. @param {any} details of the error */
  function refuse(details) {
    problem.textContent = form.show(details, sender).join(' ');
  }

  /** @param {import('./endpoint-call.js').Progress} progress */
  function onProgress(progress) {
    // The focus does not move from the Cancel button to the Send button: a key that is held down would send the call again.
    const wasOff = sendButton.disabled && !answer.node.contains(document.activeElement);
    sendButton.disabled = ['asking', 'running'].includes(progress.phase);
    answer.show(progress);
    if (sender && wasOff && !sendButton.disabled && isFocusLost()) sendButton.focus({ preventScroll: true });
    drafts.set(jobDraft, (['job', 'consent'].includes(progress.phase) && progress.job) || ''); // stored, so that the job continues after a reload
    if (progress.phase === 'done' && endpoint.credits) onTurnEnd(); // the balance has changed
  }

  /** @param {string} text */
  function restore(text) {
    try {
      form.restore(text ? JSON.parse(text) : null);
    } catch {
      form.restore(null); // the text is not a valid draft
    }
    modes.press(form.isText() ? 'JSON' : 'Fields');
  }

  refuseFiles(node);
  restore(drafts.get(draft));
  showCode();
  if (drafts.get(jobDraft)) call.resume(drafts.get(jobDraft));
  return { node, stop: call.leave };
}
