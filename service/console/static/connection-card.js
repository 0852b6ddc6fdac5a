// A card for one permission: what it allows, whether it is granted, and the ways to get and try it.

import { confirmed } from './confirm-dialog.js';
import { element, icon } from './elements.js';
import { isGranted } from './integrations.js';
import { consentNeeded, isAboutTheBody, isRefreshFailure } from './oauth-answer.js';
import { ENDINGS, LACKING, NEEDED, STAGES, advice } from './connection-words.js';

/**
 * @typedef {import('./integrations.js').Card} Card
 * @typedef {import('./integrations.js').Line} Line
 *
 * @typedef {object} Site
 * @property {string} name of the integration
 * @property {import('./api-transport.js').Transport} transport
 * @property {import('./connections.js').Connections} connections
 * @property {ReturnType<typeof import('./consent.js').createConsents>} consents
 * @property {(sentence: string) => void} announce
 */

/** @param {Card} card @param {Site} site */
export function createConnectionCard(card, { name, transport, connections, consents, announce }) {
  const state = element('span', { class: 'connection-state' });
  const note = element('p', { class: 'note' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const preview = element('div', { class: 'preview', hidden: true });
  const connect = element('button', { type: 'button', class: 'primary', on: { click: ask } });
  const tryIt = labelled(element('button', { type: 'button', class: 'quiet', on: { click: attempt } }), 'Try it');
  const node = element(
    'li',
    { class: 'connection', data: { flag: card.flag } },
    element('div', { class: 'connection-head' }, icon(card.icon), element('h4', {}, card.title), state),
    element('p', { class: 'allows' }, card.allows, element('code', {}, card.endpoint)),
    element('div', { class: 'connection-actions' }, connect, tryIt),
    element('div', { class: 'connection-told' }, problem, note, preview),
  );
  /** @type {'' | 'Connect' | 'Reconnect'} what has to be done although the flag is lit */
  let repair = '';
  let trying = false;

  async function ask() {
    say('');
    try {
      const ending = await consents.ask(name, card, { renew: repair === 'Reconnect', tell });
      if (ending === 'granted') repair = '';
      say(ENDINGS[ending]);
      announce(ending === 'granted' ? `${card.title}: granted` : ENDINGS[ending]);
    } catch (error) {
      fail(error);
    }
    update();
  }

  /** @param {import('./consent.js').Stage} stage @param {string} [url] */
  function tell(stage, url) {
    say(STAGES[stage], url);
    announce(STAGES[stage]);
  }

  async function attempt() {
    if (trying) return;
    const status = connections.of(name);
    const was = isGranted(card, status);
    if (was && card.attempt.question && !(await confirmed(card.attempt.question(status)))) return;
    trying = true;
    say('Trying…');
    try {
      const data = await called(was ? card.attempt.body(status) : {});
      if (!data) await lacks(was);
      else if (!was) await connections.refresh(); // granted elsewhere, since it was last read
      if (data) show(card.attempt.lines(data, status));
    } catch (error) {
      fail(error);
    }
    trying = false;
    update();
  }

  /** @param {Record<string, any>} body @returns {Promise<any>} null when consent is needed first */
  async function called(body) {
    try {
      const answer = await transport.post(`/api/integrations/${card.endpoint}`, body);
      return consentNeeded(answer) ? null : answer.data;
    } catch (error) {
      if (card.attempt.dry && isAboutTheBody(error)) return {};
      throw error;
    }
  }

  /** @param {boolean} was granted, as far as we knew */
  async function lacks(was) {
    repair = 'Connect';
    say(was ? '' : NEEDED);
    warn(was ? LACKING : '');
    if (!was) announce(NEEDED);
    await connections.refresh(); // the service may have forgotten the tokens just now
  }

  /** @param {unknown} error */
  function fail(error) {
    say('');
    warn(advice(error));
    if (isRefreshFailure(error)) repair = 'Reconnect';
  }

  /** @param {{title: string, lines: Line[]}} found */
  function show({ title, lines }) {
    say('');
    repair = '';
    const items = lines.map(({ text, about }) => element('li', {}, bdi(text), about && bdi(about, 'about')));
    const list = lines.length ? element('ul', {}, ...items) : element('p', { class: 'about' }, 'There are none.');
    preview.replaceChildren(element('p', { class: 'preview-title' }, title), list);
    preview.hidden = false;
    announce(`${card.title}: ${title}, ${lines.length}`);
  }

  /** @param {string} text @param {string} [url] of the page that could not be opened */
  function say(text, url) {
    const link = url && element('a', { href: url, target: '_blank', rel: 'opener' }, 'Open the consent page');
    note.replaceChildren(...[text, link].filter(Boolean).flatMap((part) => [part, ' ']));
    problem.textContent = '';
    hide();
  }

  function hide() {
    preview.replaceChildren();
    preview.hidden = true;
  }

  /** @param {string} text */
  function warn(text) {
    problem.textContent = text;
  }

  function update() {
    const granted = isGranted(card, connections.of(name));
    if (!granted) repair = repair && 'Connect'; // forgotten already: nothing is left to renew
    const whole = granted && !repair;
    if (!granted) hide(); // what was shown of an account goes with it
    if (whole && document.activeElement === connect) tryIt.focus(); // before it is taken away
    connect.hidden = whole;
    labelled(connect, repair || 'Connect');
    node.dataset.state = whole ? 'granted' : granted ? 'broken' : 'open';
    state.textContent = whole ? 'Granted' : granted ? 'Broken' : 'Not granted';
  }

  /** @param {HTMLElement} button @param {string} label */
  function labelled(button, label) {
    button.textContent = label;
    button.setAttribute('aria-label', `${label}: ${card.title}`);
    return button;
  }

  update();
  return { node, update, focus: () => (connect.hidden ? tryIt : connect).focus() };
}

/** Writing of either direction, apart from what is around it. @param {string} text @param {string} [kind] */
function bdi(text, kind) {
  return element('bdi', { class: kind }, text);
}
