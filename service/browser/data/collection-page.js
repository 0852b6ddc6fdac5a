// The page of one collection: the search, the filters, the records, and a panel for one record or a new one.

import { element, icon, isFocusLost, setOff } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { createDataGrid } from './data-grid.js';
import { dataHref } from './data-route.js';
import { createDeletion } from './deletion.js';
import { createFilterBar } from './filter-bar.js';
import { whereOf } from './filters.js';
import { markMore } from './edge-shadow.js';
import { nextSort } from './order.js';
import { createPagedRows } from './paged-rows.js';
import { createSidePanel } from './side-panel.js';
import { isOfTheService, recordColumns, singularOf, tableColumns, writableColumns, wordOf } from './collections.js';

/**
 * @typedef {import('./collections.js').Collection} Collection
 * @typedef {ReturnType<typeof createCollectionPage>} CollectionPage
 */

const PAGE = 50;

/**
 * @param {Collection} collection @param {import('../page/view.js').ViewContext} context
 * @param {import('./new-record.js').NewRecord} draft
 * @param {(text: string) => void} onUnsaved gets the error of a save that is refused after the page was left
 */
export function createCollectionPage(collection, context, draft, onUnsaved) {
  const { name } = collection;
  let isLeft = false;
  const rows = createPagedRows(name, context, { size: PAGE });
  const isShown = () => !isLeft;
  const grid = createDataGrid({ collection, columns: tableColumns(collection), subject: context.subject, rows, isShown, onSort, onLost });
  const filters = createFilterBar(recordColumns(collection), onFilter);
  const deletion = createDeletion(collection, rows, { ...context, leave: focusTable });
  const canCreate = Boolean(collection.permissions.create) && writableColumns(collection).length > 0;
  const create = element('button', { type: 'button', class: 'primary', hidden: !canCreate, on: { click: openForm } }, icon('plus'), `New ${singularOf(name)}`);
  const count = element('span', { class: 'count' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const empty = element('p', { class: 'empty' });
  const clear = element('button', { type: 'button', class: 'quiet', on: { click: filters.clear } }, 'Clear the filters');
  const news = element('button', { type: 'button', class: 'quiet', on: { click: readAgain } });
  const more = element('button', { type: 'button', class: 'quiet', on: { click: loadMore } }, `Load ${PAGE} more`);
  const back = element('a', { class: 'data-back', href: dataHref() }, '‹ All data');
  const head = element('header', { class: 'data-head' }, back, element('h2', {}, wordOf(name)), count, element('span', { class: 'spacer' }), create);
  const foot = element('div', { class: 'data-foot' }, clear, news, more);
  const scroller = element('div', { class: 'data-scroller' }, grid.node, empty, foot);
  const frame = element('div', { class: 'data-frame' }, scroller);
  const table = element('section', { class: 'data-table', 'aria-label': wordOf(name) }, head, filters.node, problem, frame, deletion.node);
  const node = element('div', { class: 'collection-page' }, table);
  const panel = createSidePanel(collection, context, draft, { node, rows, grid, deletion, createButton: create, focus: focusTable, warn });
  let isAwaited = false; // whether the user waits for the records of another search or filter
  const stopListening = rows.onChange(show);
  const stopMarking = markMore(scroller, grid.node, frame);
  show();
  if (canCreate && draft.exists()) panel.showForm();

  function show() {
    const { list, loaded, hasMore } = rows;
    grid.show(panel.current?.recordId ?? null);
    count.textContent = loaded ? `${list.length}${hasMore ? '+' : ''}` : '';
    count.title = hasMore ? 'More can be loaded' : '';
    empty.textContent = emptyText();
    if (isAwaited && loaded) announceCount();
    clear.hidden = !loaded || list.length > 0 || filters.isEmpty();
    const mayReadAgain = rows.isUnread && !rows.missing;
    news.hidden = !rows.news && !mayReadAgain;
    news.textContent = mayReadAgain ? 'Try again' : `Show ${rows.news} new`;
    more.hidden = !hasMore;
    setOff(more, rows.isReading());
    const wrong = rows.offline ? '' : rows.problem;
    if (wrong && problem.textContent !== wrong) problem.textContent = wrong; // screen readers read out an alert each time it is set
    if (!wrong && problem.dataset.of === 'rows') problem.textContent = '';
    problem.dataset.of = wrong ? 'rows' : '';
  }

  function announceCount() {
    isAwaited = false;
    context.announce(empty.textContent || `${count.textContent} ${rows.list.length === 1 ? singularOf(name) : plural()}`);
  }

  async function readAgain() {
    problem.textContent = ''; // cleared first, so that the same error is read out again
    await rows.readAgain();
    if (news.hidden && isFocusLost()) focusTable();
  }

  /** Loads the next page. If the button is then hidden, the focus moves to the first new row. */
  async function loadMore() {
    const last = rows.list.at(-1)?.recordId;
    await rows.more();
    if (more.hidden && isFocusLost()) grid.focus(last);
  }

  function emptyText() {
    if (!rows.loaded) return rows.problem ? '' : 'Loading…';
    if (rows.missing) return 'You may no longer read this collection.';
    if (rows.list.length) return '';
    return filters.isEmpty() ? `No ${plural()} yet.` : 'Nothing matches.';
  }

  function plural() {
    return wordOf(name).replace(/^(?!AI).*$/, (word) => word.toLowerCase());
  }

  /** @param {string} column */
  function onSort(column) {
    rows.ask({ sort: nextSort(rows.sort, column) });
  }

  /** @param {import('./filters.js').Filter[]} chosen @param {string} search */
  function onFilter(chosen, search) {
    isAwaited = true;
    rows.ask({ where: whereOf(chosen, search, collection.columns) });
  }

  /** @param {string} typed @param {unknown} [error] */
  function onLost(typed, error) {
    const own = typed && `You had typed “${typed}”.`;
    if (isLeft) onUnsaved([`A change in “${wordOf(name)}” was not saved.`, errorText(error), own].join(' ').trim());
    else warn(`The record is no longer in this list. ${own}`);
  }

  /** @param {string} text */
  function warn(text) {
    if (isLeft) return onUnsaved(text);
    problem.textContent = text;
    problem.dataset.of = ''; // not removed when the rows are read again
    return undefined;
  }

  function openForm() {
    panel.showForm();
    panel.current?.focus();
  }

  function focusTable() {
    if (rows.list.length) grid.focus();
    else create.focus();
  }

  return {
    node,
    name,
    isOfTheService: isOfTheService(collection),
    title: () => panel.current?.title() || wordOf(name),
    open: panel.open,
    refresh: rows.refresh,
    focus: () => (panel.current ?? filters).focus(),
    stop() {
      isLeft = true;
      stopListening();
      stopMarking();
      panel.stop();
      filters.stop();
      rows.stop();
    },
  };
}
