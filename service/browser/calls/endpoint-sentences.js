// Describes calls of endpoints in a sentence: with the template of the endpoint, or else with its summary and values
// of the answer.

import { targetOf } from './call-groups.js';
import { capitalize, isBlank, quantityWords, quote } from './value-words.js';
import { numberInWords } from '../shared/number-words.js';
import { nameInWords, singularOf } from '../shared/words.js';

/**
 * @typedef {import('./call-groups.js').CallPart} CallPart
 * @typedef {import('./record-words.js').Words} Words
 * @typedef {import('../integrations/endpoint-search.js').Endpoint} Endpoint
 * @typedef {Record<string, any>} Data
 */

const CALL = 'integrations.call';
const WHAT = ['query', 'prompt', 'title', 'name', 'city', 'symbol', 'text', 'url']; // parameters that name the subject of a call
const TELLING = ['title', 'name', 'status', 'price', 'total', 'count', 'summary', 'answer'];
const PLACE = /\{([\w.]+)(?::([a-z |]+))?\}/g;
const UNTELLING = ['', 'data']; // names of lists that say nothing about their items
const LONG = 50; // characters of a value in a sentence

/** @param {CallPart[]} calls of one endpoint @param {(name: string) => Endpoint | undefined} find @returns {Words | null} */
export function endpointWords(calls, find) {
  const [{ name }] = calls;
  const wanted = name === CALL ? targetOf(calls[0]) : name;
  const endpoint = find(wanted);
  if (!endpoint && name !== CALL) return null;
  if (!endpoint) return namedWords(wanted);
  const { says } = endpoint;
  const title = titleOf(endpoint);
  const own = says && calls.length === 1 && fillTemplate(says.doing, {}, bodyOf(calls[0]));
  return { doing: own || title, isTitle: !own, done: (done) => (done.length === 1 ? sentenceOf(endpoint, title, done[0]) : `${title}, ${done.length} times`) };
}

/** The words for an endpoint that is not in the catalog, or whose catalog is not loaded yet. @param {string} name @returns {Words} */
function namedWords(name) {
  const title = capitalize(nameInWords(name.split('/').at(-1) ?? '')) || 'A service';
  return { doing: title, isTitle: true, done: (calls) => (calls.length > 1 ? `${title}, ${calls.length} times` : title) };
}

/** @param {Endpoint} endpoint @param {string} title @param {CallPart} call */
function sentenceOf({ says }, title, call) {
  const { data, runs } = dataOf(call);
  const body = bodyOf(call);
  if (runs) return `${title}: not finished yet`;
  return (says && fillTemplate(says.done, data, body)) || byRule(title, data, body);
}

/** The data of an answer; for a job, the data of its result. @param {CallPart} call @returns {{data: Data, runs: boolean}} */
export function dataOf({ output }) {
  const data = output && typeof output === 'object' ? output : {};
  const isJob = typeof data.jobId === 'string' && typeof data.status === 'string';
  return { data: isJob ? (data.result ?? {}) : data, runs: isJob && data.status === 'running' };
}

/** @param {CallPart} call @returns {Data} the parameters */
export function bodyOf({ name, input }) {
  return (name === CALL ? input?.body : input) ?? {};
}

/** @param {Endpoint} endpoint the beginning of its summary, used as a title */
function titleOf({ summary }) {
  return summary.replace(/\.$/, '').split(/[,;:]\s/)[0];
}

/**
 * Fills the placeholders of a sentence: `{place.name}` is a value, `{messages:mail}` a number of items.
 * @param {string} template @param {Data} data @param {Data} body
 * @returns {string | null} null if one of the values is missing
 */
export function fillTemplate(template, data, body) {
  let isWhole = true;
  const text = template.replace(PLACE, (_, path, nouns) => {
    // A value is taken from the request first, in the user's words; a number of items from the answer first.
    const [first, second] = nouns ? [data, body] : [body, data];
    const value = valueAt(first, path) ?? valueAt(second, path);
    const words = nouns ? countedIn(value, nouns) : wordsOf(value);
    isWhole &&= words !== '';
    return words;
  });
  return isWhole ? text : null;
}

/** @param {any} value @param {string} nouns "mail", or "entry|entries" */
function countedIn(value, nouns) {
  const [one, many] = nouns.split('|');
  const number = Array.isArray(value) ? value.length : value;
  return typeof number === 'number' && number >= 0 && number < Infinity ? quantityWords(number, one, many) : '';
}

/** @param {any} data @param {string} path */
function valueAt(data, path) {
  return path.split('.').reduce((value, name) => (value && typeof value === 'object' ? value[name] : undefined), data);
}

/** @param {any} value @returns {string} '' if the value can't be part of a sentence */
function wordsOf(value) {
  if (typeof value === 'number') return numberInWords(value);
  return typeof value === 'string' && !isBlank(value) ? quote(value, LONG).slice(1, -1) : '';
}

/** @param {string} title @param {Data} data @param {Data} body */
function byRule(title, data, body) {
  const wanted = WHAT.map((name) => body[name]).find((value) => typeof value === 'string' && !isBlank(value));
  const facts = [wanted && quote(wanted, LONG), listIn(data) || scalarsIn(data, wanted)].filter(Boolean);
  return facts.length ? `${title}: ${facts.join(', ')}` : title;
}

/** @param {Data} data @returns {string} how many items its first list has: "8 results" */
function listIn(data) {
  const list = Object.entries(data).find(([, value]) => Array.isArray(value));
  if (!list) return '';
  const many = UNTELLING.includes(list[0]) ? 'items' : nameInWords(list[0]);
  return quantityWords(list[1].length, singularOf(many), many);
}

/** @param {Data} data @param {any} known a value that the sentence has already @returns {string} the most useful values */
function scalarsIn(data, known) {
  const isUseful = (/** @type {string} */ name) => wordsOf(data[name]) && data[name] !== known && !String(data[name]).startsWith('http');
  const names = TELLING.filter(isUseful).slice(0, 2);
  return names.map((name) => (typeof data[name] === 'number' ? `${nameInWords(name)} ${wordsOf(data[name])}` : quote(data[name], LONG))).join(', ');
}
