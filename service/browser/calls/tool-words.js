// Describes a group of calls in a sentence, in the tense that fits its state.

import { groupOutcome, outcomeOf } from './call-states.js';
import { targetOf } from './call-groups.js';
import { endpointWords } from './endpoint-sentences.js';
import { nounsOf, recordWords } from './record-words.js';
import { withArticle } from '../shared/words.js';
import { quantityWords, quote } from './value-words.js';

/**
 * @typedef {import('./call-groups.js').CallPart} CallPart
 * @typedef {import('./call-groups.js').CallGroup} CallGroup
 * @typedef {import('./record-words.js').Words} Words
 * @typedef {import('../integrations/endpoint-search.js').Endpoint} Endpoint
 * @typedef {(name: string) => Endpoint | undefined} FindEndpoint
 * @typedef {{text: string, note: string, state: import('./call-states.js').Outcome}} Description
 *   `note` has the error messages of the tools
 */

/** @param {CallGroup} group @param {FindEndpoint} find @returns {Description} */
export function describe({ calls, known }, find) {
  const { doing, done, isTitle } = wordsOf(calls, known, find);
  const ended = isTitle ? `${doing}:` : doing;
  const state = groupOutcome(calls);
  const finished = calls.filter((call) => outcomeOf(call) === 'done');
  const failed = calls.filter((call) => outcomeOf(call) === 'failed');
  const note = [...new Set(failed.map(({ message }) => message ?? ''))].filter(Boolean).join(' ');
  switch (state) {
    case 'running':
      return { state, note, text: `${doing}…` };
    case 'done':
      return { state, note, text: `${done(finished)}${failed.length ? `, ${failed.length} failed` : ''}` };
    case 'failed':
      return { state, note, text: `${ended} failed` };
    case 'declined':
      return { state, note, text: `${ended} was not allowed` };
    case 'cut':
      return { state, note, text: `${ended} was not run` };
  }
}

/** @param {CallPart[]} calls @param {import('./call-groups.js').Known} known @param {FindEndpoint} find @returns {Words} */
function wordsOf(calls, known, find) {
  return recordWords(calls, known) ?? lookupWords(calls[0]) ?? endpointWords(calls, find) ?? otherWords(calls);
}

/** @param {CallPart} call @returns {Words | null} */
function lookupWords(call) {
  const { name, input } = call;
  switch (name) {
    case 'schema.list':
      return fixedWords('Looking up which collections there are', 'Looked up which collections there are');
    case 'schema.describe':
      return schemaWords(targetOf(call));
    case 'user.current':
      return fixedWords('Looking up who you are', 'Looked up who you are');
    case 'canvas.templates':
      return fixedWords('Looking up which widgets there are', 'Looked up which widgets there are');
    case 'canvas.check':
      return fixedWords('Checking the canvas', 'Checked the canvas');
    case 'integrations.find':
      return searchWords(typeof input?.query === 'string' ? input.query : '');
    default:
      return null;
  }
}

/** @param {string} doing @param {string} done @returns {Words} */
function fixedWords(doing, done) {
  return { doing, done: () => done };
}

/** @param {string} collection @returns {Words} */
function schemaWords(collection) {
  const one = withArticle(collection ? nounsOf(collection).one : 'record');
  return fixedWords(collection ? `Looking up the collection ${quote(collection)}` : 'Looking up a collection', `Looked up what ${one} consists of`);
}

/** @param {string} query @returns {Words} */
function searchWords(query) {
  const what = query ? ` for ${quote(query)}` : '';
  const count = (/** @type {CallPart[]} */ [{ output }]) => quantityWords(output?.endpoints?.length ?? 0, 'endpoint');
  return { doing: `Looking for endpoints${what}`, done: (calls) => `Looked for endpoints${what}: ${count(calls)}` };
}

/** The words for a tool that the app itself has added. @param {CallPart[]} calls @returns {Words} */
function otherWords([{ name }, ...more]) {
  const times = more.length ? ` ${more.length + 1} times` : '';
  return { doing: `Calling ${name || 'a tool'}${times}`, done: (calls) => `Called ${name}${calls.length > 1 ? ` ${calls.length} times` : ''}` };
}
