// Shows JSON in lines, with its parts in colors.

import { element } from '../shared/elements.js';

/** @typedef {{kind: '' | 'key' | 'string' | 'number' | 'word', text: string}} Token */

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;
const MOST = 60_000; // characters that are colored; coloring more would make the page slow

/** @param {string} json @returns {Token[]} the tokens, whose texts together are the JSON */
export function tokensOf(json) {
  /** @type {Token[]} */
  const tokens = [];
  let end = 0;
  for (const match of json.matchAll(TOKEN)) {
    const [whole, text, colon, number] = match;
    if (match.index > end) tokens.push({ kind: '', text: json.slice(end, match.index) });
    tokens.push({ kind: text ? (colon === undefined ? 'string' : 'key') : number ? 'number' : 'word', text: text ?? whole });
    if (colon) tokens.push({ kind: '', text: colon });
    end = match.index + whole.length;
  }
  return [...tokens, { kind: '', text: json.slice(end) }];
}

/** @param {any} value @returns {HTMLElement} */
export function createJsonText(value) {
  const json = JSON.stringify(value, null, 2) ?? '';
  const parts = tokensOf(json.slice(0, MOST)).map(({ kind, text }) => (kind ? element('span', { class: `json-${kind}` }, text) : text));
  return element('pre', { class: 'json', tabindex: '0', 'aria-label': 'Answer as JSON', role: 'region' }, ...parts, json.slice(MOST));
}
