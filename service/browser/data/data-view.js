// The data view, with every collection that the user may read.

import { element, isFocusLost, tryAgain } from '../shared/elements.js';
import { NetworkError, errorText } from '../shared/errors.js';
import { createCollectionList } from './collection-list.js';
import { createCollectionPage } from './collection-page.js';
import { isOfTheService, readCollections } from './collections.js';
import { dataHref, parseDataRoute } from './data-route.js';
import { createNewRecord } from './new-record.js';

/** @typedef {import('./collections.js').Collection} Collection */

/** @param {import('../page/view.js').ViewContext} context @returns {import('../page/view.js').View} */
export function createDataView(context) {
  const list = createCollectionList();
  const message = element('p', {});
  const retry = element('button', { type: 'button', class: 'quiet', on: { click: () => tryAgain(load, retry, focus) } }, 'Try again');
  const notice = element('div', { class: 'notice', role: 'alert', hidden: true }, message, retry);
  const lost = element('p', {});
  const hide = element('button', { type: 'button', class: 'quiet', on: { click: dismiss } }, 'Dismiss');
  const unsaved = element('div', { class: 'notice', role: 'alert', hidden: true }, lost, hide);
  const place = element('div', { class: 'collection-place' });
  const panes = element('div', { class: 'data-panes' }, list.node, place);
  const node = element('div', { class: 'data-view' }, element('h2', { class: 'visually-hidden' }, 'Data'), notice, unsaved, panes);
  /** @type {Map<string, import('./new-record.js').NewRecord>} by collection: the creation of a record goes on after its page is closed */
  const newRecords = new Map();
  /** @type {Collection[] | null} */
  let collections = null;
  /** @type {import('./collection-page.js').CollectionPage | null} */
  let page = null;
  let declared = ''; // the collection of the page, as JSON
  /** @type {string | null} */
  let route = null;
  let stopped = false;

  async function load() {
    notice.hidden = true;
    try {
      const newest = await readCollections(context.transport);
      if (stopped) return;
      if (JSON.stringify(newest) === JSON.stringify(collections)) return; // not drawn again, because the focus may be in the list
      collections = newest;
      list.fill(collections);
    } catch (error) {
      if (collections || stopped) return; // the collections on the screen stay
      message.textContent = error instanceof NetworkError ? 'The collections are not loaded yet.' : errorText(error);
      notice.hidden = false;
    }
    render();
  }

  function render() {
    const { collection: name, recordId } = parseDataRoute(route);
    panes.dataset.open = String(Boolean(name));
    const all = collections ?? [];
    const first = all.find((one) => !isOfTheService(one)) ?? all[0];
    const collection = name ? all.find((one) => one.name === name) : first;
    list.mark(collection?.name ?? '');
    if (collection) pageOf(collection).open(name ? recordId : null);
    else place.replaceChildren(createAdvice(name));
    context.onTitle();
  }

  /** The page of a collection. A restart of the service may have changed the columns, which needs another page. @param {Collection} collection */
  function pageOf(collection) {
    const declaration = JSON.stringify(collection);
    const hadFocus = place.contains(document.activeElement);
    if (!page || declaration !== declared) {
      page?.stop();
      page = createCollectionPage(collection, context, newRecordOf(collection.name), showUnsaved);
      declared = declaration;
    }
    if (place.firstChild !== page.node) place.replaceChildren(page.node);
    if (hadFocus && isFocusLost()) page.focus();
    return page;
  }

  /** Shows what was not saved on a page that was left meanwhile. @param {string} text */
  function showUnsaved(text) {
    lost.textContent = text;
    unsaved.hidden = false;
    if (!node.isConnected) context.announce(text); // another view is shown
  }

  function dismiss() {
    unsaved.hidden = true;
    focus();
  }

  /** @param {string} name */
  function newRecordOf(name) {
    const record = newRecords.get(name) ?? createNewRecord(context.drafts, name);
    newRecords.set(name, record);
    return record;
  }

  /** @param {string | null} name */
  function createAdvice(name) {
    if (!collections) return element('p', { class: 'empty' }, notice.hidden ? 'Loading…' : '');
    if (!name) return element('p', { class: 'page-note' }, 'There is no collection that you may read.');
    const all = element('a', { href: dataHref() }, 'See all data');
    return element('p', { class: 'page-note' }, `There is no collection “${name}” that you may read. `, all);
  }

  const stopListening = context.socket.onPhase(() => context.socket.phase === 'open' && load());
  const focus = () => (page ? page.focus() : list.focus());
  load();
  return {
    node,
    get title() {
      return page && collections ? page.title() : 'Data';
    },
    show(id) {
      route = id;
      render();
    },
    refresh: () => void (collections ? page?.refresh() : load()),
    focus,
    stop() {
      stopped = true;
      stopListening();
      page?.stop();
    },
  };
}
