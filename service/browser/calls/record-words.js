// Describes calls of the records tools: "Created 3 tasks", "Changed the task “Write”: due → 1 Dec".

import { dataHref } from '../data/data-route.js';
import { hrefOf } from '../page/route.js';
import { nameInWords, singularOf, withArticle } from '../shared/words.js';
import { isBlank, isMoment, quantityWords, quote, valueInWords } from './value-words.js';
import { targetOf } from './call-groups.js';

/**
 * @typedef {import('./call-groups.js').CallPart} CallPart
 * @typedef {import('./call-groups.js').Known} Known
 * @typedef {{doing: string, done: (calls: CallPart[]) => string, isTitle?: boolean}} Words `isTitle` if `doing` has no verb
 */

const TITLES = ['title', 'name', 'subject', 'label', 'text', 'content'];
const VIEWS = new Map([['canvases', 'canvas'], ['ai-chats', 'chat']]); // collections that have their own page
const MOST_CHANGES = 2; // changes in one sentence
/** Columns of which only one part says something to users. */
const PARTS = new Map([['canvases.io', 'connections']]);

/** @param {string} collection @returns {{one: string, many: string}} "ai-chats" is "chat", "chats" */
export function nounsOf(collection) {
  const many = nameInWords(collection.replace(/^ai-/, '')) || 'records';
  return { one: singularOf(many), many };
}

/** An id, such as that of the owner (`userId`, `buyerId`), is no title, and a time is none. @param {Record<string, any> | undefined} data of a record @returns {string} '' if it has no title */
export function titleIn(data) {
  const entries = Object.entries(data ?? {}).filter(([name, value]) => typeof value === 'string' && !isBlank(value) && !/(^i|I)d$/.test(name));
  const named = TITLES.map((title) => entries.find(([name]) => name === title)).find(Boolean);
  const other = entries.find(([, value]) => !isMoment(value));
  return String((named ?? other)?.[1] ?? '');
}

/** @param {CallPart} call @returns {{href: string, label: string} | null} the record that the call has created or changed, or the only one that it has read */
export function recordLink({ name, state, output, input }) {
  const recordId = state === 'done' && name !== 'records.delete' && output?.recordId;
  if (typeof recordId !== 'string' || !name.startsWith('records.')) return null;
  const collection = String(input?.collection);
  const view = VIEWS.get(collection);
  return { href: view ? hrefOf(view, recordId) : dataHref(collection, recordId), label: `Open the ${nounsOf(collection).one}` };
}

/** @param {CallPart[]} calls of one tool and collection @param {Known} known @returns {Words | null} */
export function recordWords(calls, known) {
  const { one, many } = nounsOf(targetOf(calls[0]));
  const some = calls.length > 1 ? `${calls.length} ${many}` : withArticle(one);
  switch (calls[0].name) {
    case 'records.query':
      return { doing: `Reading ${many}`, done: (all) => queryWords(all, one, many) };
    case 'records.get':
      return { doing: `Reading ${some}`, done: (all) => each('Read', all, one, many, known) };
    case 'records.create':
      return { doing: `Creating ${some}`, done: (all) => each('Created', all, one, many, known) };
    case 'records.update':
      return { doing: `Changing ${some}`, done: (all) => `${each('Changed', all, one, many, known)}${changesOf(all, known)}` };
    case 'records.delete':
      return { doing: `Deleting ${some}`, done: (all) => each('Deleted', all, one, many, known) };
    default:
      return null;
  }
}

/** @param {string} verb @param {CallPart[]} calls @param {string} one @param {string} many @param {Known} known */
function each(verb, calls, one, many, known) {
  if (calls.length > 1) return `${verb} ${calls.length} ${many}`;
  const title = titleOf(calls[0], known);
  return title ? `${verb} the ${one} ${quote(title)}` : `${verb} ${withArticle(one)}`;
}

/** @param {CallPart} call @param {Known} known */
export function titleOf({ input, output }, known) {
  return titleIn(output?.data) || titleIn(known.get(input?.recordId)) || titleIn(input?.recordId ? undefined : input?.data);
}

/** @param {CallPart[]} calls @param {string} one @param {string} many */
function queryWords(calls, one, many) {
  const count = calls.reduce((sum, { output }) => sum + (output?.records?.length ?? 0), 0);
  const isFirst = calls.length === 1 && Boolean(calls[0].output?.nextCursor);
  const counted = quantityWords(count, one, many);
  if (calls.some(({ input }) => input?.where && Object.keys(input.where).length)) return `Found ${counted}${isFirst ? ', and there are more' : ''}`;
  if (!count) return `Looked for ${many} and found none`;
  return isFirst ? `Read the first ${count === 1 ? one : counted}` : `Read ${counted}`;
}

/** @param {CallPart[]} calls @param {Known} known @returns {string} the changes, if all calls have made the same ones; else '' */
function changesOf(calls, known) {
  const descriptions = new Set(calls.map((call) => changesIn(call, calls.length === 1 ? known : new Map()).join(', ')));
  const [changes] = descriptions;
  return descriptions.size === 1 && changes ? `: ${changes}` : '';
}

/** @param {CallPart} call @param {Known} known @returns {string[]} */
function changesIn({ input, output }, known) {
  const before = known.get(input?.recordId);
  const after = output?.data ?? {};
  const names = Object.keys(input?.data ?? {});
  const shown = names.slice(0, names.length > MOST_CHANGES + 1 ? MOST_CHANGES : names.length);
  const changes = shown.map((name) => {
    const { label, read } = columnOf(String(input?.collection), name);
    return changeOf(label, read(before?.[name]), read(name in after ? after[name] : input.data[name]));
  });
  return shown.length < names.length ? [...changes, `${names.length - shown.length} more`] : changes;
}

/** How to show a column. @param {string} collection @param {string} name @returns {{label: string, read: (value: any) => any}} */
export function columnOf(collection, name) {
  const part = PARTS.get(`${collection}.${name}`);
  return part ? { label: part, read: (value) => value?.[part] } : { label: nameInWords(name), read: (value) => value };
}

/** @param {string} label @param {any} before undefined if it is not known @param {any} after */
function changeOf(label, before, after) {
  const isKnown = before !== undefined && !(before && typeof before === 'object') && before !== after;
  return `${label} ${isKnown ? `${valueInWords(before)} ` : ''}→ ${valueInWords(after)}`;
}
