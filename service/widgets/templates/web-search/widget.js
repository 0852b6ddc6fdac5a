// @ts-check
// Searches the web and shows the results. A search costs credits, so an input only fills in the field.

import { createChoices, createDraft, createSearchLine, createWidget, textOf } from '../../../browser/widgets/widget-ui.js';

const { client, panel } = createWidget('Web search');
const line = createSearchLine({ label: 'Search the web for', action: 'Search', placeholder: 'Search the web', act: search });
panel.controls.append(line.node);
panel.showEmpty('A search uses credits. Choose a result to pass it on.');
const draft = createDraft(client, panel, { query: line.field });
draft.ready.then(() => client.onInput('query', fill));

/** @param {unknown} value */
function fill(value) {
  const text = textOf(value).replace(/\s+/g, ' ').trim().slice(0, 300);
  if (!text || !draft.isNews('query', text) || text === line.field.value) return;
  draft.fill('query', text);
  panel.say('Press Search to look it up.');
}

/** @param {string} query */
function search(query) {
  panel.run((options) => client.get('search-web-raw', { query, count: 10 }, options), ({ results }) => show(query, results));
}

/** @param {string} query @param {any[]} results */
function show(query, results) {
  if (!results.length) return panel.showEmpty(`Nothing was found for “${query}”. Try fewer words.`);
  panel.show(createChoices('Results', results.map(choice), choose));
  client.setOutput('items', { value: results.map(({ title, site, date, snippet, url }) => ({ title, site, date, snippet, url })) });
}

/** @param {any} result */
function choice(result) {
  const source = result.site ?? hostOf(result.url);
  return { text: result.title ?? result.url, about: [source, result.snippet].filter(Boolean).join(' — '), value: result };
}

/** @param {string} url */
const hostOf = (url) => (URL.canParse(url) ? new URL(url).hostname : '');

/** @param {any} result */
function choose({ title, url, snippet }) {
  client.setOutput('result', { title: title ?? url, url, ...(snippet ? { snippet } : {}) });
  client.setOutput('text', { value: [title, snippet, url].filter(Boolean).join('\n') });
  panel.say('The result is chosen.');
}
