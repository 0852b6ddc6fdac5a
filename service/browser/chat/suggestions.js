// The suggestions on the page of a new chat, made from the collections that the user may read and write.

import { isOfTheService, readCollections, singularOf, titleColumn, wordOf, writableColumns } from '../data/collections.js';
import { withArticle } from '../shared/words.js';

/**
 * @typedef {import('../data/collections.js').Collection} Collection
 * @typedef {{label: string, text: string}} Suggestion the label of the button, and the text that it puts into the composer
 */

const MOST = 3; // suggestions about collections
const GENERAL = asQuestion('What can you do here?');

/** @param {import('../shared/api-transport.js').Transport} transport @returns {Promise<Suggestion[]>} */
export async function readSuggestions(transport) {
  return suggestionsFor(await readCollections(transport));
}

/**
 * At most four suggestions: for each collection a question or a record to add, and a general question.
 * @param {Collection[]} collections @returns {Suggestion[]}
 */
export function suggestionsFor(collections) {
  const own = collections.filter((one) => !isOfTheService(one));
  const about = own.length === 1 ? [own[0], own[0]] : own.slice(0, MOST);
  return [...about.map((one, place) => (place % 2 && addTo(one)) || askAbout(one)), GENERAL].filter(isFirst);
}

/** @param {Suggestion} one @param {number} place @param {Suggestion[]} all */
function isFirst({ text }, place, all) {
  return all.findIndex((other) => other.text === text) === place;
}

/** @param {Collection} collection */
function askAbout({ name, permissions }) {
  return asQuestion(`What is in ${permissions.read === 'own' ? 'my' : 'the'} ${wordOf(name).toLowerCase()}?`);
}

/** @param {Collection} collection @returns {Suggestion | null} null if a record of the collection needs more than a title */
function addTo(collection) {
  const title = titleColumn(collection);
  const required = writableColumns(collection).filter((column) => column.required && column !== title);
  const word = singularOf(collection.name);
  if (!collection.permissions.create || !title || title.readOnly || required.length || word.startsWith('record of')) return null;
  const text = `Add ${withArticle(word)}: `;
  return { label: `${text}…`, text };
}

/** @param {string} text @returns {Suggestion} */
function asQuestion(text) {
  return { label: text, text };
}
